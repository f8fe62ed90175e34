import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AwsChunkedDecoder } from '../../../src/s3/aws-chunked.ts';
import { PlainEncoder, TrailerEncoder } from '../../../src/s3/payload-encoder.ts';

const mebibyte = 1024 * 1024;

it('the last piece of plain content is passed on by the end alone', () => {
  const passed: string[] = [];
  const encoder = new PlainEncoder(5, bytes => passed.push(bytes.toString()));
  for (const piece of ['ab', '', 'cde', '']) encoder.content(Buffer.from(piece));
  expect(passed).toEqual(['ab']);
  encoder.end();
  expect(passed).toEqual(['ab', 'cde']);
});

it.each([
  ['plain', (pass: (bytes: Buffer) => void) => new PlainEncoder(4, pass), ''],
  [
    'with a trailer',
    (pass: (bytes: Buffer) => void) => new TrailerEncoder(4, 'x-amz-checksum-crc32', 'crc32', pass),
    '4\r\naaaa\r\n',
  ],
] as const)(
  'more content than was announced is not passed on, nor the end of the body: %s',
  (_, make, before) => {
    const passed: string[] = [];
    const encoder = make(bytes => {
      passed.push(bytes.toString());
      // so that endless pieces fail, too
      if (passed.length > 10) throw new Error('too many pieces');
    });
    encoder.content(Buffer.from('aaaa'));
    expect(() => encoder.content(Buffer.from('b'))).toThrow(RangeError);
    expect(passed.join('')).toBe(before);
  },
);

it.each([0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte])(
  'content of %d bytes with a trailer has the length that was announced, and can be decoded',
  sizeBytes => {
    const content = Buffer.alloc(sizeBytes, 'content');
    fc.assert(
      fc.property(fc.array(fc.nat(sizeBytes), { maxLength: 5 }), cuts => {
        const coded: Buffer[] = [];
        const encoder = new TrailerEncoder(sizeBytes, 'x-amz-checksum-sha1', 'sha1', bytes =>
          coded.push(Buffer.from(bytes)),
        );
        const at = [0, ...cuts.sort((a, b) => a - b), sizeBytes];
        for (const [index, end] of at.slice(1).entries()) encoder.content(content.subarray(at[index], end));
        const beforeEnd = Buffer.concat(coded).length;
        encoder.end('A'.repeat(27).concat('='));
        const whole = Buffer.concat(coded);
        expect(whole.length).toBe(encoder.lengthBytes);
        expect(beforeEnd).toBeLessThan(whole.length);
        const decoded: Buffer[] = [];
        const decoder = new AwsChunkedDecoder(undefined, 'checksum-sha1', bytes => decoded.push(bytes));
        decoder.write(whole);
        decoder.end();
        expect(Buffer.concat(decoded).equals(content)).toBe(true);
        expect(decoder.trailers.get('checksum-sha1')).toBe('A'.repeat(27).concat('='));
      }),
      { numRuns: 10 },
    );
  },
);

it('what is held back is a copy: its memory may be that of the next read', () => {
  const passed: string[] = [];
  const encoder = new PlainEncoder(6, bytes => passed.push(bytes.toString()));
  const memory = Buffer.from('abcdef');
  encoder.content(memory.subarray(0, 3));
  encoder.content(memory.subarray(3));
  memory.fill('x');
  expect(passed).toEqual(['abc']);
  encoder.end();
  expect(passed).toEqual(['abc', 'def']);
});
