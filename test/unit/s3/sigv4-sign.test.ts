import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { EMPTY_PAYLOAD_HASH, UNSIGNED_PAYLOAD } from '../../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { presignUrl, type SigningContext, signRequest } from '../../../src/s3/sigv4-sign.ts';

/** The account of the examples that the service's manual publishes for header and query authentication. */
const published: SigningContext = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  region: 'us-east-1',
  headerPrefix: 'x-amz-',
  nowMs: Date.UTC(2013, 4, 24),
  keys: new SigningKeys(),
};

const host = 'examplebucket.s3.amazonaws.com';
const signatureOf = (pairs: readonly (readonly [string, string])[]) =>
  pairs.find(([name]) => name === 'authorization')?.[1].split('Signature=')[1];

describe('the published examples', () => {
  it.each([
    [
      'GET bucket lifecycle',
      '/',
      'lifecycle',
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'GET bucket, list objects',
      '/',
      'max-keys=2&prefix=J',
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('%s has the published signature', (_, rawPath, rawQuery, signature) => {
    const request = { method: 'GET', host, rawPath, rawQuery, headers: [], payloadHash: EMPTY_PAYLOAD_HASH };
    expect(signatureOf(signRequest(request, published))).toBe(signature);
  });

  it('the presigned GET has the published URL', () => {
    const origin = `https://${host}`;
    const request = { method: 'GET', origin, rawPath: '/test.txt', rawQuery: '', expiresS: 86400 };
    expect(presignUrl(request, published)).toBe(
      'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });
});

/** A signer by other people, told to leave the path alone as signers for object stores do. */
const smithy = new SignatureV4({
  service: 's3',
  region: 'eu-west-1',
  sha256: Sha256,
  uriEscapePath: false,
  credentials: { ...published.credentials, sessionToken: 'token/+=' },
});

const ours: SigningContext = {
  ...published,
  region: 'eu-west-1',
  credentials: { ...published.credentials, sessionToken: 'token/+=' },
  nowMs: Date.UTC(2025, 0, 31, 23, 59, 59, 999),
};

const requests = [
  { title: 'a plain key', path: '/photos/cat.jpg', query: {} },
  { title: 'dots and double slashes', path: '/b/a//..//./c', query: {} },
  { title: 'escapes', path: '/b/a%20b%2Bc%25%F0%9F%98%80', query: {} },
  {
    title: 'a version and overrides',
    path: '/b/k',
    query: { versionId: 'a/b+c =&', 'response-content-type': "text/plain; x='*()!~'" },
  },
  { title: 'names that sort by code unit', path: '/b/', query: { a: '1', 'a-b': '2', B: '3', acl: '' } },
];

describe('beside an independent signer', () => {
  it.each(requests)('signs $title in headers alike', async ({ path, query }) => {
    const headers = {
      host: 'h.test:8080',
      'x-amz-meta-a': '  b   c ',
      'content-type': 'text/plain',
      'x-amz-content-sha256': EMPTY_PAYLOAD_HASH,
    };
    const theirs = await smithy.sign(
      { method: 'GET', protocol: 'https:', hostname: 'h.test', port: 8080, path, query, headers },
      { signingDate: new Date(ours.nowMs) },
    );
    const added = signRequest(
      {
        method: 'GET',
        host: 'h.test:8080',
        rawPath: path,
        rawQuery: rawQueryOf(query),
        headers: [
          ['X-Amz-Meta-A', '  b   c '],
          ['Content-Type', 'text/plain'],
          ['range', 'bytes=0-1'],
        ],
        payloadHash: EMPTY_PAYLOAD_HASH,
      },
      ours,
    );
    expect(Object.fromEntries(added)).toMatchObject({
      authorization: theirs.headers.authorization,
      'x-amz-date': theirs.headers['x-amz-date'],
      'x-amz-security-token': 'token/+=',
    });
  });

  it.each(requests)('presigns $title alike', async ({ path, query }) => {
    const theirs = await smithy.presign(
      {
        method: 'HEAD',
        protocol: 'https:',
        hostname: 'h.test',
        path,
        query,
        headers: { host: 'h.test', 'x-amz-content-sha256': UNSIGNED_PAYLOAD },
      },
      {
        signingDate: new Date(ours.nowMs),
        expiresIn: 60,
        unhoistableHeaders: new Set(['x-amz-content-sha256']),
        unsignableHeaders: new Set(['x-amz-content-sha256']),
      },
    );
    const url = new URL(
      presignUrl(
        {
          method: 'HEAD',
          origin: 'https://h.test',
          rawPath: path,
          rawQuery: rawQueryOf(query),
          expiresS: 60,
        },
        ours,
      ),
    );
    expect(Object.fromEntries(url.searchParams)).toEqual(theirs.query);
  });
});

describe('the other prefix', () => {
  const request = {
    method: 'GET',
    host,
    rawPath: '/k',
    rawQuery: '',
    headers: [],
    payloadHash: EMPTY_PAYLOAD_HASH,
  };

  it('changes the names of headers, not of the algorithm', () => {
    const added = Object.fromEntries(signRequest(request, { ...ours, headerPrefix: 'x-store-' }));
    expect(Object.keys(added)).toEqual([
      'x-store-date',
      'x-store-content-sha256',
      'x-store-security-token',
      'authorization',
    ]);
    expect(added.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20250131\/eu-west-1\/s3\/aws4_request, SignedHeaders=host;x-store-content-sha256;x-store-date;x-store-security-token, Signature=[\da-f]{64}$/,
    );
  });

  it('changes the names of presigned parameters', () => {
    const url = presignUrl(
      {
        method: 'GET',
        origin: 'http://127.0.0.1:8080',
        rawPath: '/b/k',
        rawQuery: 'versionId=1',
        expiresS: 5,
      },
      { ...published, headerPrefix: 'x-store-' },
    );
    expect([...new URL(url).searchParams.keys()]).toEqual([
      'X-Store-Algorithm',
      'X-Store-Credential',
      'X-Store-Date',
      'X-Store-Expires',
      'X-Store-SignedHeaders',
      'versionId',
      'X-Store-Signature',
    ]);
  });
});

it('a changed secret takes effect although the day key was kept', () => {
  const request = {
    method: 'GET',
    host,
    rawPath: '/k',
    rawQuery: '',
    headers: [],
    payloadHash: EMPTY_PAYLOAD_HASH,
  };
  const before = signatureOf(signRequest(request, published));
  const credentials = { ...published.credentials, secretAccessKey: 'other' };
  const after = signatureOf(signRequest(request, { ...published, credentials }));
  expect(after).not.toBe(before);
  expect(after).toBe(
    signatureOf(signRequest(request, { ...published, credentials, keys: new SigningKeys() })),
  );
});

function rawQueryOf(query: Record<string, string>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}
