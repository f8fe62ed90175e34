import { describe, expect, it } from 'vitest';
import { boundaryOf, type FormHead, FormHeadReader } from '../../../src/s3/form-head.ts';
import { posted } from '../../support/posted-form.ts';

const { body, headers } = posted({
  fields: { key: 'a', Policy: 'x\r\ny\r\n--the-bound', empty: '', umlaut: 'ü' },
  file: 'the file',
  fileName: 'C:\\\\a \\"b%22.txt',
});
const boundary = boundaryOf(headers['content-type']);

function read(bytes: Buffer, pieceBytes: number): FormHead | undefined {
  const reader = new FormHeadReader(boundary);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const head = reader.write(bytes.subarray(at, at + pieceBytes));
    if (head) return head;
  }
  return undefined;
}

it.each([1, 2, 3, 7, 64, 100_000])('a form is read the same in pieces of %d bytes', pieceBytes => {
  const head = read(body, pieceBytes);
  expect(Object.fromEntries(head?.fields ?? [])).toEqual({
    key: 'a',
    policy: 'x\r\ny\r\n--the-bound',
    empty: '',
    umlaut: 'ü',
  });
  expect(head?.fileName).toBe('C:\\a "b".txt');
  expect(body.toString('utf8', head?.fileStart, (head?.fileStart ?? 0) + 8)).toBe('the file');
});

const part = (head: string, content = 'x') => `--the-boundary\r\n${head}\r\n\r\n${content}\r\n`;
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;

describe('a form is refused', () => {
  it.each([
    ['that does not begin with its boundary', `x${part(named('a'))}`, 'MalformedPOSTRequest'],
    ['with a part that has no name', part('Content-Type: text/plain'), 'MalformedPOSTRequest'],
    [
      'with a part that is no field',
      part('Content-Disposition: attachment; name="a"'),
      'MalformedPOSTRequest',
    ],
    ['with one field twice', part(named('a')) + part(named('A')), 'MalformedPOSTRequest'],
    ['without a file', `${part(named('a'))}--the-boundary--\r\n`, 'InvalidArgument'],
    [
      'with too much before its file',
      part(named('a'), 'x'.repeat(40_000)),
      'MaxPostPreDataLengthExceededError',
    ],
  ])('%s', (_, text, code) => {
    for (const pieceBytes of [1_000, 100_000])
      expect(() => read(Buffer.from(`${text}--the-boundary`), pieceBytes)).toThrow(
        expect.objectContaining({ code }),
      );
  });

  it('with a field that is not UTF-8', () => {
    const bytes = Buffer.from(`${part(named('a'), '\xff')}--the-boundary`, 'latin1');
    expect(() => read(bytes, bytes.length)).toThrow(
      expect.objectContaining({ code: 'MalformedPOSTRequest' }),
    );
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ])('without a valid boundary: %s', contentType => {
    expect(() => boundaryOf(contentType)).toThrow(expect.objectContaining({ code: 'MalformedPOSTRequest' }));
  });
});

it('a boundary may be quoted', () => {
  expect(boundaryOf('multipart/form-data; charset=utf-8; Boundary="a b"; x=y')).toBe('a b');
});
