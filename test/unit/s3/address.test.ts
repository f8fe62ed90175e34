import { describe, expect, it } from 'vitest';
import { encodeKey, parseAddress, parseBucketAddress } from '../../../src/s3/address.ts';
import { S3Error } from '../../../src/s3/error.ts';

const domain = 's3.example.test';

function object(
  url: string,
  host: string | undefined = '127.0.0.1:8080',
  within: string | undefined = domain,
) {
  const address = parseAddress(url, host, within);
  return address.kind === 'object' ? [address.bucket, address.key] : address;
}

function refusal(url: string, host = 'localhost'): S3Error {
  try {
    parseAddress(url, host, domain);
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error(`${url} was not refused`);
}

describe('an address in the path', () => {
  it('is the service, a bucket or an object', () => {
    expect(object('/')).toEqual({ kind: 'service', query: '' });
    expect(object('/?x-id=ListBuckets')).toEqual({ kind: 'service', query: 'x-id=ListBuckets' });
    expect(object('/photos')).toEqual({ kind: 'bucket', bucket: 'photos', query: '' });
    expect(parseAddress('/photos/a%20b?versionId=1&x=%2F', undefined, undefined)).toEqual({
      kind: 'object',
      bucket: 'photos',
      key: 'a b',
      rawPath: 'a%20b',
      query: 'versionId=1&x=%2F',
    });
  });

  it('is the bucket when the key is empty (row 233)', () => {
    expect(object('/photos/')).toEqual({ kind: 'bucket', bucket: 'photos', query: '' });
  });

  it('is the service for OPTIONS *', () => {
    expect(object('*')).toEqual({ kind: 'service', query: '' });
  });

  it('is found behind any other host, and without one (row 229)', () => {
    expect(object('/photos/a', domain)).toEqual(['photos', 'a']);
    expect(object('/photos/a', 'elsewhere.test')).toEqual(['photos', 'a']);
    expect(object('/photos/a', 'photoss3.example.test')).toEqual(['photos', 'a']);
    expect(object('/photos/a', '[::1]:8080')).toEqual(['photos', 'a']);
    expect(parseAddress('/photos/a', undefined, domain)).toMatchObject({ bucket: 'photos', key: 'a' });
  });
});

describe('an address in the host', () => {
  it('has its bucket before the domain, dots included, whatever port and case (row 230)', () => {
    expect(object('/a/b', 'photos.s3.example.test')).toEqual(['photos', 'a/b']);
    expect(object('/a', 'my.dotted.bucket.S3.Example.TEST:8080')).toEqual(['my.dotted.bucket', 'a']);
    expect(object('/a', 'photos.s3.example.test.')).toEqual(['photos', 'a']);
    expect(object('/?list-type=2', 'photos.s3.example.test')).toEqual({
      kind: 'bucket',
      bucket: 'photos',
      query: 'list-type=2',
    });
  });

  it('needs a domain', () => {
    expect(parseAddress('/photos/a', 'photos.s3.example.test', undefined)).toMatchObject({
      bucket: 'photos',
    });
  });

  it.each([
    [
      'ap-1-123456789012.s3-accesspoint.eu-west-1.amazonaws.com',
      'arn:aws:s3:eu-west-1:123456789012:accesspoint/ap-1',
    ],
    [
      'ap-123456789012.s3-object-lambda.eu-west-1.s3.example.test:8080',
      'arn:aws:s3-object-lambda:eu-west-1:123456789012:accesspoint/ap',
    ],
    [
      'ap-123456789012.op-0123abc.s3-outposts.us-east-1.amazonaws.com',
      'arn:aws:s3-outposts:us-east-1:123456789012:outpost/op-0123abc/accesspoint/ap',
    ],
  ])('is an access point for %s (row 232)', (host, arn) => {
    expect(object('/a/b', host)).toEqual([arn, 'a/b']);
  });

  it('is found in a target that is a URL, whose host counts (RFC 9112 §3.2.2)', () => {
    expect(object('http://photos.s3.example.test/a?b', 'other')).toEqual(['photos', 'a']);
    expect(refusal('http:///photos/a').code).toBe('InvalidURI');
    expect(object('HTTP://other.test', 'photos.s3.example.test')).toEqual({ kind: 'service', query: '' });
  });
});

describe('a key', () => {
  it.each([
    ['218', '/b/a%2Fb', 'a/b'],
    ['218', '/b/file%252Fname', 'file%2Fname'],
    ['219', '/b/test%25123', 'test%123'],
    ['220', '/b/a+b', 'a+b'],
    ['221', '/b/test@key/', 'test@key/'],
    ['221', '/b/test%40key/', 'test@key/'],
    ['222', '/b//foo', '/foo'],
    ['223', '/b/a//b', 'a//b'],
    ['224', '/b/foo/', 'foo/'],
    ['225', '/b/a/../b', 'a/../b'],
    ['225', '/b/./a', './a'],
    ['226', '/b/a/%F0%9F%98%80/', 'a/😀/'],
    ['226', '/b/\u00f0\u009f\u0098\u0080', '😀'],
    ['226', '/b/e%CC%81', 'e\u0301'],
    ['227', '/b/%20%22%26%3C%25', ' "&<%'],
    ['227', '/b/%00', '\0'],
  ])('row %s: %s is %j', (_row, url, key) => {
    expect(object(url)).toEqual(['b', key]);
  });

  it('keeps a leading slash in the host form (row 222)', () => {
    expect(object('//foo', 'photos.s3.example.test')).toEqual(['photos', '/foo']);
  });

  it('of 1024 bytes is the longest (row 217)', () => {
    expect(object(`/b/${'k'.repeat(1024)}`)).toEqual(['b', 'k'.repeat(1024)]);
    expect(object(`/b/${'%C3%A9'.repeat(512)}`)).toEqual(['b', 'é'.repeat(512)]);
  });

  it.each([
    ['k'.repeat(1025), '1025'],
    [`k${'%C3%A9'.repeat(512)}`, '1025'],
    ['%F0%9F%98%80'.repeat(257), '1028'],
  ])('that is longer is refused with both sizes (rows 214, 217)', (key, size) => {
    const error = refusal(`/b/${key}`);
    expect([error.code, error.status]).toEqual(['KeyTooLongError', 400]);
    expect(error.fields).toEqual([
      ['Size', size],
      ['MaxSizeAllowed', '1024'],
    ]);
  });
});

describe('a target that cannot be read', () => {
  it.each([
    '/b/%zz',
    '/b/a%',
    '/b/%2',
    '/b/%ff',
    '/b/%C0%AF',
    '/b/%ED%A0%80',
    '/b/\u00ff',
    '/%zz/a',
    'b/a',
    '',
  ])('is refused: %j (row 228)', url => {
    expect(refusal(url).code).toBe('InvalidURI');
  });

  it.each([
    '//key',
    '/../key',
    '/a%2Fb/key',
    '/a%2F..%2Fother/key',
    '/-a/key',
    `/${'a'.repeat(256)}/k`,
    '/a%0Ab/k',
  ])('is refused for its bucket: %s', url => {
    expect(refusal(url).code).toBe('InvalidBucketName');
  });

  it('is refused with the name that it has for its bucket', () => {
    expect(refusal('/a%0Ab/key').fields).toEqual([['BucketName', 'a\nb']]);
    expect(refusal('/k', `-a.${domain}`).fields).toEqual([['BucketName', '-a']]);
  });

  it('may have the ARN of an access point for its bucket', () => {
    const arn = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/ap';
    expect(object(`/${encodeURIComponent(arn)}/a`)).toEqual([arn, 'a']);
  });
});

describe('the bucket alone, of an address whose key is refused', () => {
  const long = 'k'.repeat(1025);
  const ofB = { kind: 'bucket', bucket: 'b', query: '' };
  it.each([
    ['/b', 'h', ofB],
    ['/b/', 'h', ofB],
    ['/b/%zz', 'h', ofB],
    [`/b/${long}?x=1`, 'h', ofB],
    ['/b?x=1', undefined, ofB],
    [`/${long}`, `b.${domain}`, ofB],
    ['/%zz', `b.${domain}`, ofB],
    ['/%zz?x', `B.${domain}:80`, ofB],
    ['http://h/b/%zz', `c.${domain}`, ofB],
    [`HTTPS://b.${domain}/%zz`, 'h', ofB],
    ['/', 'h', { kind: 'service', query: '' }],
    ['/', domain, { kind: 'service', query: '' }],
  ])('%s at %s', (url, host, address) => {
    const found = parseBucketAddress(url, host, domain);
    expect({
      kind: found.kind,
      query: found.query,
      ...(found.kind !== 'service' && { bucket: found.bucket }),
    }).toEqual(address);
  });

  it('is refused where the bucket is no name', () => {
    for (const [url, host] of [
      ['/-a/%zz', 'h'],
      ['/%zz', `-a.${domain}`],
    ] as const)
      expect(() => parseBucketAddress(url, host, domain)).toThrow(
        expect.objectContaining({ code: 'InvalidBucketName' }),
      );
  });
});

it('labels before the domain that may be an access point are told to be that', () => {
  for (const [host, mayBePoint] of [
    [`reports-123456789012.${domain}`, true],
    [`reports.${domain}`, undefined],
  ] as const) {
    expect(parseAddress('/k', host, domain)).toHaveProperty('kind', 'object');
    const address = parseAddress('/k', host, domain);
    expect('mayBePoint' in address ? address.mayBePoint : undefined).toBe(mayBePoint);
  }
  expect(parseAddress('/reports-123456789012/k', 'h', domain)).not.toHaveProperty('mayBePoint');
});

describe('a key on its way to a store', () => {
  it.each([
    ['a//b/../c+d', 'a//b/../c%2Bd'],
    ['file%2Fname', 'file%252Fname'],
    ["it's (a) *star*!", 'it%27s%20%28a%29%20%2Astar%2A%21'],
    ['😀~._-', '%F0%9F%98%80~._-'],
    ['\ud800', '%EF%BF%BD'],
  ])('%j is written %s', (key, encoded) => {
    expect(encodeKey(key)).toBe(encoded);
  });
});
