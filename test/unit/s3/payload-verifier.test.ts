import { createHash, createHmac, createSecretKey, hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChecksumAlgorithm, createChecksum } from '../../../src/s3/checksum.ts';
import type { ChunkSigning } from '../../../src/s3/chunk-signatures.ts';
import { type DeclaredPayload, declaredPayload } from '../../../src/s3/declared-payload.ts';
import { S3Error } from '../../../src/s3/error.ts';
import { PayloadVerifier } from '../../../src/s3/payload-verifier.ts';

const content = Buffer.from('the content of an object, in some chunks');
const nothing: DeclaredPayload = {
  lengthBytes: content.length,
  coding: 'none',
  signing: undefined,
  sha256: undefined,
  md5: undefined,
  checksum: undefined,
};
const chunked: DeclaredPayload = { ...nothing, coding: 'aws-chunked' };
const signing: ChunkSigning = {
  seedSignature: 'a'.repeat(64),
  timestamp: '20260101T000000Z',
  scope: { date: '20260101', region: 'us-east-1', service: 's3' },
  signingKey: createSecretKey(Buffer.from('secret')),
};

function checksumOf(algorithm: ChecksumAlgorithm, bytes: Buffer = content): string {
  const checksum = createChecksum(algorithm);
  checksum.update(bytes);
  return checksum.digest().toString('base64');
}

/** What a verifier passes on of a body in these pieces, or the code of its error. */
function verify(declared: DeclaredPayload, ...pieces: readonly (Buffer | string)[]) {
  const passed: Buffer[] = [];
  const verifier = new PayloadVerifier(declared, 'x-amz-', bytes => passed.push(Buffer.from(bytes)));
  try {
    for (const piece of pieces) verifier.write(Buffer.from(piece));
    const trailer = verifier.end();
    return { code: 'none', passed: Buffer.concat(passed), trailer };
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return { code: error.code, passed: Buffer.concat(passed), trailer: undefined };
  }
}

const frame = (chunks: readonly string[], trailers = '') =>
  `${chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n${trailers}\r\n`;

/** The same with signatures, as the documentation of Signature Version 4 describes them. */
function signedFrame(chunks: readonly string[], trailer?: string): string {
  const scope = '20260101/us-east-1/s3/aws4_request';
  let previous = signing.seedSignature;
  const sign = (kind: string, ...hashes: string[]) => {
    const text = [`AWS4-HMAC-SHA256-${kind}`, signing.timestamp, scope, previous, ...hashes].join('\n');
    previous = createHmac('sha256', signing.signingKey).update(text).digest('hex');
    return previous;
  };
  const lines = [...chunks, ''].map(chunk => {
    const signature = sign('PAYLOAD', hash('sha256', ''), hash('sha256', chunk));
    return `${chunk.length.toString(16)};chunk-signature=${signature}\r\n${chunk}${chunk && '\r\n'}`;
  });
  if (trailer === undefined) return `${lines.join('')}\r\n`;
  return `${lines.join('')}${trailer}\r\nx-amz-trailer-signature:${sign('TRAILER', hash('sha256', `${trailer}\n`))}\r\n\r\n`;
}

const text = content.toString();
const parts = [text.slice(0, 7), text.slice(7)];

describe('a body without a coding', () => {
  const sha256 = hash('sha256', content);
  const md5 = createHash('md5').update(content).digest();

  it.each([
    ['nothing', nothing],
    ['a signed hash', { ...nothing, sha256 }],
    ['an MD5', { ...nothing, md5 }],
    [
      'a checksum',
      { ...nothing, checksum: { kind: 'field', algorithm: 'crc32c', value: checksumOf('crc32c') } },
    ],
  ] as const)('is passed on when it is what was declared: %s', (_, declared) => {
    expect(verify(declared, ...parts)).toEqual({ code: 'none', passed: content, trailer: undefined });
  });

  it.each([
    ['XAmzContentSHA256Mismatch', { ...nothing, sha256: hash('sha256', 'other') }],
    ['BadDigest', { ...nothing, md5: createHash('md5').update('other').digest() }],
    [
      'BadDigest',
      {
        ...nothing,
        checksum: { kind: 'field', algorithm: 'crc64nvme', value: checksumOf('crc64nvme', Buffer.from('o')) },
      },
    ],
    ['IncompleteBody', { ...nothing, lengthBytes: content.length + 1 }],
    ['IncompleteBody', { ...nothing, lengthBytes: content.length - 1 }],
  ] as const)('is refused with %s when it is not', (code, declared) => {
    expect(verify(declared, content).code).toBe(code);
  });

  it('is refused as soon as more comes than was declared, and nothing of that is passed on', () => {
    const passed: string[] = [];
    const verifier = new PayloadVerifier({ ...nothing, lengthBytes: 4 }, 'x-amz-', bytes =>
      passed.push(bytes.toString()),
    );
    verifier.write(Buffer.from('aaaa'));
    expect(() => verifier.write(Buffer.from('b'))).toThrow(S3Error);
    expect(passed).toEqual(['aaaa']);
  });
});

describe('a body in aws-chunked', () => {
  it('that has a chunk larger than its content is malformed, not too long', () => {
    const textOf = (body: string) => {
      const verifier = new PayloadVerifier(chunked, 'x-amz-', () => undefined);
      try {
        verifier.write(Buffer.from(body));
        return 'none';
      } catch (error) {
        return error instanceof S3Error ? error.reason : error;
      }
    };
    const size = (content.length + 1).toString(16);
    expect(textOf(`${size}\r\n${text}\r\n0\r\n\r\n`)).toBe('a line of the coding ends without CRLF');
    expect(textOf(`${size}\r\n${text}+\r\n0\r\n\r\n`)).toBe('the body is longer than declared');
  });

  const trailer = `x-amz-checksum-crc32:${checksumOf('crc32')}`;
  const withTrailer: DeclaredPayload = { ...chunked, checksum: { kind: 'trailer', algorithm: 'crc32' } };

  it('is the same in whatever pieces it arrives', () => {
    const whole = Buffer.from(frame(parts, `${trailer}\r\n`));
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
        expect(verify(withTrailer, ...pieces)).toEqual({
          code: 'none',
          passed: content,
          trailer: checksumOf('crc32'),
        });
      }),
    );
  });

  it('may lack the last empty line where it has no trailers', () => {
    expect(verify(chunked, frame(parts).slice(0, -2)).code).toBe('none');
    expect(verify(withTrailer, frame(parts, `${trailer}\r\n`).slice(0, -2)).code).toBe('IncompleteBody');
  });

  it.each([
    ['IncompleteBody', 'has a size that is none', chunked, 'zz\r\n'],
    ['IncompleteBody', 'has a size with a sign', chunked, '+1\r\nx\r\n0\r\n\r\n'],
    ['IncompleteBody', 'ends in a chunk', chunked, '28\r\nabc'],
    ['IncompleteBody', 'has no last chunk', chunked, `28\r\n${text}\r\n`],
    ['IncompleteBody', 'has a chunk longer than its size', chunked, `27\r\n${text}\r\n0\r\n\r\n`],
    ['IncompleteBody', 'has lines without CR', chunked, `28\n${text}\n0\n\n`],
    ['IncompleteBody', 'goes on after its end', chunked, `${frame(parts)}0\r\n\r\n`],
    ['IncompleteBody', 'has a line without end', chunked, '0'.repeat(5_000)],
    ['IncompleteBody', 'is shorter than declared', { ...chunked, lengthBytes: 41 }, frame(parts)],
    ['MalformedTrailerError', 'has a trailer that was not declared', chunked, frame(parts, `${trailer}\r\n`)],
    ['MalformedTrailerError', 'lacks its trailer', withTrailer, frame(parts)],
    [
      'IncompleteBody',
      'is too long and has another trailer',
      { ...withTrailer, lengthBytes: 3 },
      frame(parts, 'x-amz-checksum-sha1:AAAA\r\n'),
    ],
    ['IncompleteBody', 'is short and lacks its trailer', withTrailer, frame(parts.slice(1))],
    ['MalformedTrailerError', 'has another one', withTrailer, frame(parts, 'x-amz-checksum-sha1:AAAA\r\n')],
    [
      'MalformedTrailerError',
      'has a trailer without value',
      withTrailer,
      frame(parts, 'x-amz-checksum-crc32\r\n'),
    ],
    ['MalformedTrailerError', 'has it twice', withTrailer, frame(parts, `${trailer}\r\n${trailer}\r\n`)],
    ['IncompleteBody', 'ends where its trailer should begin', withTrailer, frame(parts).slice(0, -2)],
    [
      'InvalidRequest',
      'has a trailer whose value is no checksum',
      withTrailer,
      frame(parts, 'x-amz-checksum-crc32:AAAA\r\n'),
    ],
    ['BadDigest', 'has a wrong checksum', withTrailer, frame(parts, 'x-amz-checksum-crc32:AAAAAA==\r\n')],
  ] as const)('is refused with %s if it %s', (code, _, declared, body) => {
    expect(verify(declared, body).code).toBe(code);
  });

  describe('that is signed', () => {
    const signed: DeclaredPayload = { ...chunked, signing };
    const signedTrailer: DeclaredPayload = { ...withTrailer, signing };

    it('is passed on when each signature is right', () => {
      expect(verify(signed, signedFrame(parts))).toMatchObject({ code: 'none', passed: content });
      expect(verify(signedTrailer, signedFrame(parts, trailer))).toMatchObject({ code: 'none' });
    });

    it.each([
      ['a byte of a chunk', signed, signedFrame(parts).replace('object', 'objecT')],
      ['that there was no chunk before', signed, signedFrame(parts).replace(/^.*\r\n.*\r\n/, '')],
      [
        'the signature of the last chunk',
        signed,
        signedFrame(parts).replace(/(0;chunk-signature=.{63})./, '$1-'),
      ],
      ['a trailer', signedTrailer, signedFrame(parts, trailer).replace('crc32:', 'crc32:A')],
      [
        'the signature of the trailers',
        signedTrailer,
        signedFrame(parts, trailer).replace(/x-amz-trailer.*\r\n/, ''),
      ],
      ['that there are trailers', signedTrailer, signedFrame(parts)],
    ] as const)('is refused if something else was signed: %s', (_, declared, body) => {
      expect(verify(declared, body).code).toMatch(
        /^(?:SignatureDoesNotMatch|IncompleteBody|MalformedTrailerError)$/,
      );
    });

    it('names the signature as the reason, and takes no unsigned chunk', () => {
      const changed = signedFrame(parts).replace('object', 'objecT');
      expect(verify(signed, changed).code).toBe('SignatureDoesNotMatch');
      expect(verify(signed, frame(parts)).code).toBe('IncompleteBody');
      expect(
        verify({ ...signed, lengthBytes: 0 }, '0;chunk-signature='.concat('b'.repeat(64), '\r\n\r\n')).code,
      ).toBe('SignatureDoesNotMatch');
    });
  });
});

describe('what a request declares', () => {
  const read = (store: Record<string, string>, more: Partial<Parameters<typeof declaredPayload>[0]> = {}) => {
    try {
      return declaredPayload({
        ...{ signed: undefined, contentLength: '40', contentMd5: undefined, prefix: 'x-amz-' },
        ...more,
        store: new Map(Object.entries(store)),
      });
    } catch (error) {
      if (error instanceof S3Error) return error.code;
      throw error;
    }
  };

  it.each([
    ['MissingContentLength', {}, { contentLength: undefined }],
    ['MissingContentLength', { 'content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' }, {}],
    ['InvalidDigest', {}, { contentMd5: 'x' }],
    // as base64 these have the right number of bytes, but lack padding, or use the letters of URLs (RFC 4648 §5)
    ['InvalidDigest', {}, { contentMd5: '1B2M2Y8AsgTpgAmY7PhCfg' }],
    ['InvalidDigest', {}, { contentMd5: '____________________-w==' }],
    ['InvalidRequest', { 'checksum-crc32': 'AAAAAA' }, {}],
    ['InvalidRequest', { 'checksum-crc32': '_____w==' }, {}],
    ['InvalidRequest', { 'checksum-crc32': 'AAAA' }, {}],
    ['InvalidRequest', { 'checksum-xxhash3': 'AAAAAA==' }, {}],
    ['InvalidRequest', { 'checksum-crc32': 'AAAAAA==', 'checksum-crc32c': 'AAAAAA==' }, {}],
    ['InvalidRequest', { trailer: 'x-amz-checksum-crc32' }, {}],
    [
      'InvalidArgument',
      { 'content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'decoded-content-length': '1' },
      {},
    ],
    ['InvalidArgument', { 'content-sha256': 'nothing' }, {}],
  ] as const)('is refused with %s: %o', (code, store, more) => {
    expect(read(store, more)).toBe(code);
  });

  it.each(['x-amz-meta-a', 'checksum-crc32', 'x-amz-crc32', 'x-amz-checksum-crc'])(
    'is refused for a trailer that is no checksum: %s',
    trailer => {
      const stream = {
        'content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'decoded-content-length': '1',
      };
      expect(read({ ...stream, trailer })).toBe('InvalidRequest');
    },
  );

  it('is what the signature covers, whatever an unsigned field says', () => {
    const unsigned = { signed: { kind: 'unsigned' as const } };
    expect(read({ 'content-sha256': 'a'.repeat(64) }, unsigned)).toMatchObject({
      coding: 'none',
      sha256: undefined,
    });
    expect(read({ 'content-sha256': 'a'.repeat(64) })).toMatchObject({ sha256: 'a'.repeat(64) });
    const name = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
    const signed = { kind: 'stream' as const, name, signing };
    expect(read({ 'decoded-content-length': '7' }, { signed })).toMatchObject({
      ...{ coding: 'aws-chunked', lengthBytes: 7, signing },
    });
  });
});

it('a body of thousands of small chunks is refused: each costs time of its own', () => {
  const few = Array.from({ length: 1_023 }, () => 'x');
  expect(verify({ ...chunked, lengthBytes: 1_023 }, frame(few)).code).toBe('none');
  expect(
    verify({ ...chunked, lengthBytes: 5_000 }, frame(Array.from({ length: 5_000 }, () => 'x'))).code,
  ).toBe('InvalidChunkSizeError');
  const large = Array.from({ length: 1_100 }, () => 'x'.repeat(8_192));
  expect(verify({ ...chunked, lengthBytes: 1_100 * 8_192 }, frame(large)).code).toBe('none');
});

describe('what Amazon S3 says of a body', () => {
  const refusal = (declared: DeclaredPayload, body: Buffer | string) => {
    const verifier = new PayloadVerifier(declared, 'x-amz-', () => undefined);
    try {
      verifier.write(Buffer.from(body));
      verifier.end();
    } catch (error) {
      if (error instanceof S3Error) return { message: error.message, fields: error.fields };
    }
    throw new Error('the body was taken');
  };

  it('both digests of one whose MD5 is another', () => {
    const md5 = createHash('md5').update('other').digest();
    expect(refusal({ ...nothing, md5 }, content).fields).toEqual([
      ['ExpectedDigest', md5.toString('hex')],
      ['CalculatedDigest', createHash('md5').update(content).digest('base64')],
    ]);
  });

  it('that one of another length was not sent as declared', () => {
    const text = 'You did not provide the number of bytes specified by the Content-Length HTTP header';
    expect(refusal({ ...chunked, lengthBytes: 41 }, frame([content.toString()])).message).toBe(text);
    expect(refusal({ ...chunked, lengthBytes: 3 }, frame([content.toString()])).message).toBe(text);
  });

  it('which trailer is no checksum', () => {
    const declared = { ...chunked, checksum: { kind: 'trailer', algorithm: 'crc32' } } as const;
    const body = frame([content.toString()], 'x-amz-checksum-crc32:AAAA\r\n');
    expect(refusal(declared, body).message).toBe(
      'Value for x-amz-checksum-crc32 trailing header is invalid.',
    );
  });
});

describe('a checksum in a field', () => {
  const messageOf = (store: Record<string, string>) => {
    const fields = {
      signed: undefined,
      contentLength: '3',
      contentMd5: undefined,
      prefix: 'x-amz-',
    } as const;
    try {
      declaredPayload({ ...fields, store: new Map(Object.entries(store)) });
      return undefined;
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      expect([error.code, error.status]).toEqual(['InvalidRequest', 400]);
      return error.message;
    }
  };
  const several = 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.';

  it.each([
    [{ 'checksum-crc32': 'AAAAAA==', 'checksum-sha1': 'x' }, several],
    [{ 'checksum-crc32': 'x', trailer: 'x-amz-checksum-crc32' }, several],
    [{ 'checksum-new': 'x' }, 'The algorithm type you specified in x-amz-checksum- header is invalid.'],
    [{ 'checksum-crc32': 'x' }, 'Value for x-amz-checksum-crc32 header is invalid.'],
    [
      { 'checksum-crc32': 'AAAAAA==', 'sdk-checksum-algorithm': 'CRC32C' },
      'Value for x-amz-sdk-checksum-algorithm header is invalid.',
    ],
    [{ 'checksum-crc32': 'AAAAAA==', 'sdk-checksum-algorithm': 'CRC32' }, undefined],
    // the store's to judge
    [{ 'checksum-crc32': 'AAAAAA==', 'sdk-checksum-algorithm': 'NEW' }, undefined],
    [{ 'sdk-checksum-algorithm': 'SHA1' }, undefined],
  ] as const)('is judged as at Amazon S3: %j', (store, message) => {
    expect(messageOf(store)).toBe(message);
  });
});
