import { describe, expect, it } from 'vitest';
import {
  canonicalQuery,
  canonicalRequest,
  canonicalUri,
  stringToSign,
  timestampOf,
} from '../../../src/s3/sigv4-canonical.ts';

describe('canonicalUri', () => {
  it.each([
    ['/b/a-b_c.d~e', '/b/a-b_c.d~e'],
    ['', '/'],
    ['/b//a/../b/./', '/b//a/../b/./'],
    ['/b/a%2fb%2Fc', '/b/a/b/c'],
    ['/b/%c3%a9%41', '/b/%C3%A9A'],
    ['/b/a+b', '/b/a%2Bb'],
    ["/b/!$&'()*,;=:@", '/b/%21%24%26%27%28%29%2A%2C%3B%3D%3A%40'],
    ['/b/\u00c3\u00a9', '/b/%C3%A9'],
    ['/b/100%', '/b/100%25'],
    ['/b/%zz', '/b/%25zz'],
    ['/b/%2541', '/b/%2541'],
  ])('%s is signed as %s (docs/semantics.md 218 to 225)', (raw, canonical) => {
    expect(canonicalUri(raw)).toBe(canonical);
  });
});

describe('canonicalQuery', () => {
  it.each([
    ['', ''],
    ['acl', 'acl='],
    ['b=2&a=1', 'a=1&b=2'],
    ['a=2&a=1&a', 'a=&a=1&a=2'],
    ['a=1&a-b=2&B=3', 'B=3&a=1&a-b=2'],
    ['a=x+y', 'a=x%20y'],
    ['a=x%2by', 'a=x%2By'],
    ['a=b=c', 'a=b%3Dc'],
    ['a=/%7e%2f', 'a=%2F~%2F'],
    ['&&a=1&', 'a=1'],
  ])('%s is signed as %s', (raw, canonical) => {
    expect(canonicalQuery(raw)).toBe(canonical);
  });

  it('leaves out the parameter that a signature cannot cover, however often it comes', () => {
    expect(canonicalQuery('X-Amz-Signature=a&b=1&X-Amz-Signature=c', 'X-Amz-Signature')).toBe('b=1');
  });
});

it('header values are signed without blanks around them, and with one for several inside', () => {
  const request = canonicalRequest({
    method: 'GET',
    uri: '/',
    query: '',
    headers: [['x-amz-meta-a', '  b   c  d ']],
    payloadHash: 'UNSIGNED-PAYLOAD',
  });
  expect(request).toBe('GET\n/\n\nx-amz-meta-a:b c d\n\nx-amz-meta-a\nUNSIGNED-PAYLOAD');
});

it('the canonical request is hashed over its bytes, one for each character', () => {
  const scope = { date: '20130524', region: 'r', service: 's3' };
  const utf8 = Buffer.from('é').toString('latin1');
  const digestOfTwoBytes = '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c';
  expect(stringToSign('t', scope, utf8)).toBe(
    `AWS4-HMAC-SHA256\nt\n20130524/r/s3/aws4_request\n${digestOfTwoBytes}`,
  );
});

it('a moment is written to the second, without rounding', () => {
  expect(timestampOf(Date.UTC(2024, 1, 29, 3, 4, 59, 999))).toBe('20240229T030459Z');
});
