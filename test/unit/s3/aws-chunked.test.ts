import { expect, it } from 'vitest';
import { AwsChunkedDecoder } from '../../../src/s3/aws-chunked.ts';
import { S3Error } from '../../../src/s3/error.ts';

/** What a decoder passes on of a body in these pieces, and the error that it throws at one of them, or at the end. */
function decode(...pieces: readonly string[]) {
  return decodeWith(undefined, ...pieces);
}

/** The same of a body whose request has announced the trailer `declared`. */
function decodeWith(declared: string | undefined, ...pieces: readonly string[]) {
  let content = '';
  const decoder = new AwsChunkedDecoder(undefined, declared, bytes => {
    content += bytes.toString();
  });
  for (const [index, piece] of pieces.entries()) {
    const error = errorOf(() => decoder.write(Buffer.from(piece, 'latin1')));
    if (error) return { content, error, at: index };
  }
  return { content, error: errorOf(() => decoder.end()), at: 'end' };
}

function errorOf(step: () => void): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return `${error.code}: ${error.reason ?? ''}`;
  }
}

it('content and trailers are taken out of the coding, and chunks may be of any size', () => {
  const body = '3\r\nabc\r\n01\r\nd\r\nA\r\nefghijklmn\r\n0\r\nX-Amz-Checksum-Crc32: AAAAAA== \r\n\r\n';
  expect(decodeWith('checksum-crc32', body)).toEqual({
    content: 'abcdefghijklmn',
    error: undefined,
    at: 'end',
  });
});

it('a line has at most 1024 bytes, in however many pieces it comes', () => {
  const tooLong = 'IncompleteBody: a line of the coding is too long';
  const pieces = Array.from({ length: 1_024 }, () => '0');
  expect(decode(...pieces, '0')).toMatchObject({ error: tooLong, at: 1_024 });
  expect(decode(...pieces)).toMatchObject({ at: 'end' });
  expect(decode('0\r\n', ...pieces.map(() => 'x'), 'x')).toMatchObject({ error: tooLong, at: 1_025 });
  expect(decode('0'.repeat(600), '0'.repeat(600))).toMatchObject({ error: tooLong, at: 1 });
});

it.each([
  ['a line ends without CRLF', '3\r\nabc\r\n0\r\n\n', 'a line of the coding ends without CRLF'],
  [
    'a line ends in another character and LF',
    '3;\nabc\r\n0\r\n\r\n',
    'a line of the coding ends without CRLF',
  ],
  ['more follows a chunk than its end', '3\r\nabcd\r\n0\r\n\r\n', 'a chunk is longer than its size'],
  [
    'a size has more than 12 digits',
    `${'3'.padStart(13, '0')}\r\nabc\r\n0\r\n\r\n`,
    'the size of a chunk cannot be read',
  ],
  ['a size has 20 digits', `${'f'.repeat(20)}\r\nabc`, 'the size of a chunk cannot be read'],
])('a body is refused when %s', (_, body, reason) => {
  expect(decode(body)).toMatchObject({ error: `IncompleteBody: ${reason}`, at: 0 });
});

const [checksum, signature] = [
  'x-amz-checksum-crc32:AAAAAA==\r\n',
  `x-amz-trailer-signature:${'a'.repeat(64)}\r\n`,
];
const declared = 'checksum-crc32';

it('what comes in place of the trailer that was announced, or behind it, is refused before more is read', () => {
  expect(decodeWith(declared, '0\r\n', checksum, signature, '\r\n')).toMatchObject({ error: undefined });
  const other = 'x-amz-checksum-crc32c:AAAAAA==\r\n';
  const malformed = 'MalformedTrailerError: ';
  expect(decodeWith(declared, '0\r\n', other)).toMatchObject({ error: malformed, at: 1 });
  expect(decodeWith(declared, '0\r\n', '\r\n', signature)).toMatchObject({ error: malformed, at: 2 });
  expect(decodeWith(declared, '0\r\n', checksum, checksum)).toMatchObject({ error: malformed, at: 2 });
  const followed = 'IncompleteBody: the trailer is followed by something else';
  expect(decodeWith(declared, '0\r\n', checksum, other)).toMatchObject({ error: followed, at: 2 });
  expect(decodeWith(declared, '0\r\n', checksum, signature, other)).toMatchObject({ error: followed, at: 3 });
});

it.each(['a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), ''])(
  'the signature of a trailer has 64 digits: %j',
  text => {
    const line = `x-amz-trailer-signature:${text}\r\n`;
    const error = 'IncompleteBody: the signature of the trailer is none';
    expect(decodeWith(declared, '0\r\n', checksum, line)).toMatchObject({ error, at: 2 });
  },
);

it('a line that lost its LF is not taken for a longer one', () => {
  const error = 'IncompleteBody: a line of the coding holds CR';
  expect(decodeWith(declared, '0\r\n', checksum.replace('\n', 'abc') + signature)).toMatchObject({ error });
});

it.each(['checksum-crc32:AAAAAA==', 'etag:x', 'x-amz-checksum-crc32', ':x'])(
  'a trailer must have a value, and the prefix of a store field: %s',
  line => {
    expect(decode(`0\r\n${line}\r\n`)).toMatchObject({ error: 'MalformedTrailerError: ', at: 0 });
  },
);
