import { expect, it } from 'vitest';
import { claimedAccessKey } from '../../../src/s3/claimed-access-key.ts';

const scope = '20260101/us-east-1/s3/aws4_request';
const header = (key: string) =>
  `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=host, Signature=00`;
const secret = 'wJalrXUtnFEMI+K7MDENG=bPxRfiCYEXAMPLEKEY';

it.each([
  'X-Amz-Credential',
  'X-Store-Credential',
  'x-amz-credential',
  'X-Amz-Credenti%61l',
  '%78-store-credential',
])('the id of a presigned URL with %s is told, a secret in its place is not', name => {
  for (const [slash, plus] of [
    ['/', '+'],
    ['%2F', '%2B'],
    ['%2f', '%252b'],
  ] as const) {
    const url = (key: string) =>
      `/b/k?a=b&${name}=${`${key}/${scope}`.replaceAll('/', slash).replaceAll('+', plus)}&X-Amz-Expires=60`;
    expect(claimedAccessKey(undefined, url('AKID'))).toBe('AKID');
    expect(claimedAccessKey(undefined, url(secret))).toBeUndefined();
    expect(claimedAccessKey(undefined, url('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'))).toBeUndefined();
  }
});

it('the header is preferred to the URL', () => {
  const url = `/b/k?X-Amz-Credential=INURL/${scope}`;
  expect(claimedAccessKey(header('AKID'), url)).toBe('AKID');
  expect(claimedAccessKey(header(secret), url)).toBeUndefined();
  expect(claimedAccessKey('Basic b3duZXI6c2VjcmV0', url)).toBe('INURL');
});

it.each([
  'AKIAIOSFODNN7EXAMPLE',
  'GOOG1EQ4WYLYWHZQJH4T2JGZPJYBXQJZQWZKEUZQZJQWZKEUZQZJQWZKEUZQZ',
  'd8e8fca2dc0f896fd7cb4cb0031ba249',
  'alice@example.test',
  'my-team_backup.v2',
])('%s is told', key => {
  expect(claimedAccessKey(header(key), '/')).toBe(key);
});

it.each([
  '/b/k',
  '/b/k?X-Amz-Credential',
  '/b/k?X-Amz-Credential=',
  '/b/k?X-Amz-Credential=AKID',
  `/b/k?X-Amz-Credential=/${scope}`,
  `/b/X-Amz-Credential=AKID/${scope}`,
  `/b/k?X-Amz-Credential=A%0aKID/${scope}`,
])('%s claims no id', url => {
  expect(claimedAccessKey(undefined, url)).toBeUndefined();
});
