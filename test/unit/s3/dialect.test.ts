import { describe, expect, it } from 'vitest';
import { bareName, detectDialect, fieldsFromRaw, inDialect, rawFromFields } from '../../../src/s3/dialect.ts';

describe('a header name', () => {
  it.each([
    ['X-Amz-Version-Id', 'version-id', 'x-amz-'],
    ['x-store-meta-a-b', 'meta-a-b', 'x-store-'],
    ['ETag', 'etag', undefined],
    ['x-cache', 'x-cache', undefined],
  ])('%s is taken apart', (header, name, prefix) => {
    expect(bareName(header)).toEqual({ name, prefix });
  });
});

describe('headers', () => {
  const amz = ['ETag', '"a"', 'X-Amz-Version-Id', 'v1', 'x-amz-server-side-encryption', 'aws:kms'];
  const bare = [
    { name: 'etag', value: '"a"', store: false },
    { name: 'version-id', value: 'v1', store: true },
    { name: 'server-side-encryption', value: 'store:kms', store: true },
  ];

  it('lose their dialect at one door and take another at the other', () => {
    expect(fieldsFromRaw(amz, 'x-amz-')).toEqual(bare);
    expect(rawFromFields(bare, 'x-store-')).toEqual([
      'etag',
      '"a"',
      'x-store-version-id',
      'v1',
      'x-store-server-side-encryption',
      'store:kms',
    ]);
    expect(rawFromFields(bare, 'x-amz-')).toEqual([
      'etag',
      '"a"',
      'x-amz-version-id',
      'v1',
      'x-amz-server-side-encryption',
      'aws:kms',
    ]);
  });

  it('of a store are read in its own prefix alone', () => {
    expect(fieldsFromRaw(['x-store-odd', '1', 'Date', '2'], 'x-amz-')).toEqual([
      { name: 'date', value: '2', store: false },
    ]);
  });

  it('of a client are read in both prefixes', () => {
    expect(fieldsFromRaw(['X-Store-A', '1', 'X-Amz-B', '2'])).toEqual([
      { name: 'a', value: '1', store: true },
      { name: 'b', value: '2', store: true },
    ]);
  });

  it('keep every value that users chose', () => {
    const raw = ['x-amz-meta-note', 'x-amz-version-id aws:kms', 'content-disposition', 'x-amz-'];
    const fields = fieldsFromRaw(raw, 'x-amz-');
    expect(fields.map(field => field.value)).toEqual(['x-amz-version-id aws:kms', 'x-amz-']);
    expect(rawFromFields(fields, 'x-store-')).toEqual([
      'x-store-meta-note',
      'x-amz-version-id aws:kms',
      'content-disposition',
      'x-amz-',
    ]);
  });

  it('that list names of headers are translated in their values', () => {
    const fields = fieldsFromRaw(['Access-Control-Expose-Headers', 'ETag, x-amz-version-id'], 'x-amz-');
    expect(rawFromFields(fields, 'x-store-')).toEqual([
      'access-control-expose-headers',
      'ETag, x-store-version-id',
    ]);
    expect(rawFromFields(fields, 'x-amz-')).toEqual([
      'access-control-expose-headers',
      'ETag, x-amz-version-id',
    ]);
  });

  it('that announce trailers are translated in their values', () => {
    const raw = ['x-amz-trailer', 'x-amz-checksum-crc32', 'trailer', 'x-amz-checksum-crc32'];
    expect(rawFromFields(fieldsFromRaw(raw, 'x-amz-'), 'x-store-')).toEqual([
      'x-store-trailer',
      'x-store-checksum-crc32',
      'trailer',
      'x-store-checksum-crc32',
    ]);
  });

  it('keep the KMS key id under the name that both dialects share', () => {
    const raw = ['x-amz-server-side-encryption-aws-kms-key-id', 'arn:aws:kms:eu-west-1:1:key/2'];
    expect(rawFromFields(fieldsFromRaw(raw, 'x-amz-'), 'x-store-')).toEqual([
      'x-store-server-side-encryption-aws-kms-key-id',
      'arn:aws:kms:eu-west-1:1:key/2',
    ]);
  });
});

describe('the dialect of a request', () => {
  const authorization = (signedHeaders: string) => [
    'Authorization',
    `AWS4-HMAC-SHA256 Credential=x-amz-/20130524/r/s3/aws4_request, SignedHeaders=${signedHeaders}, Signature=s`,
  ];

  it.each([
    ['nothing', [], '', undefined],
    ['what other headers and parameters hold', ['X-Forwarded-For', 'x-amz-'], 'prefix=x-amz-', undefined],
    ['a header', ['host', 'a', 'X-Amz-Date', '1'], '', 'x-amz-'],
    ['a header', ['x-store-date', '1'], '', 'x-store-'],
    ['the first of two headers', ['x-store-date', '1', 'x-amz-date', '1'], '', 'x-store-'],
    ['signed headers', ['x-amz-meta-a', '1', ...authorization('host;x-store-date')], '', 'x-store-'],
    ['signed headers without either', ['x-amz-meta-a', '1', ...authorization('host')], '', 'x-amz-'],
    ['signed headers without either', authorization('host;x-forwarded-for'), '', undefined],
    ['a signature of version 2', ['authorization', 'AWS key:signature'], '', 'x-amz-'],
    ['a parameter that is a header', ['host', 'a'], 'versionId=1&x-amz-checksum-mode=ENABLED', 'x-amz-'],
    ['presigned parameters', ['x-amz-meta-a', '1'], 'a=b&X-Store-Signature=s', 'x-store-'],
    ['presigned parameters', [], 'x-amz-meta-a=1&X-Store-Algorithm=a&X-Store-Signature=s', 'x-store-'],
  ])('is shown by %s (%j, %s)', (_, raw, rawQuery, prefix) => {
    expect(detectDialect(raw, rawQuery)).toBe(prefix);
  });
});

describe('a text of the protocol', () => {
  it('changes its names of headers, parameters and the KMS value', () => {
    const text = 'x-amz-date, X-Amz-Expires, aws:kms and aws:kms:dsse';
    expect(inDialect(text, 'x-store-')).toBe('x-store-date, X-Store-Expires, store:kms and store:kms:dsse');
    expect(inDialect(inDialect(text, 'x-store-'), 'x-amz-')).toBe(text);
  });

  it('leaves the name of a key as it is', () => {
    const text = 'arn:aws:kms:eu-west-1:1:key/2 is disabled.';
    expect(inDialect(text, 'x-store-')).toBe(text);
  });

  it('keeps the signature algorithm and the terminal of the scope', () => {
    expect(inDialect('AWS4-HMAC-SHA256 aws4_request', 'x-store-')).toBe('AWS4-HMAC-SHA256 aws4_request');
  });
});
