import { Sha256 } from '@aws-crypto/sha256-js';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { EMPTY_PAYLOAD_HASH } from '../../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { presignUrl, signRequest } from '../../../src/s3/sigv4-sign.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  accessKeyId,
  credentials,
  host,
  presigned,
  published,
  publishedUrl,
  refusal,
  signedAtMs,
  verify,
} from '../../support/published-requests.ts';

describe('the published examples', () => {
  it('accepts the signature in headers', () => {
    expect(verify(published)).toMatchObject({
      kind: 'signed',
      accessKeyId,
      scheme: 'header',
      headerPrefix: 'x-amz-',
      client: { name: 'demo' },
      payload: { kind: 'hash', sha256: EMPTY_PAYLOAD_HASH },
      expiresAtMs: undefined,
    });
  });

  it('accepts the presigned URL, and tells until when it is good', () => {
    expect(verify(presigned)).toMatchObject({
      kind: 'signed',
      scheme: 'presigned',
      payload: { kind: 'unsigned' },
      expiresAtMs: signedAtMs + 86_400_000,
    });
  });

  it('does not accept a signature for one host where the target names another (RFC 9112 §3.2.2)', () => {
    const request = { ...presigned, url: `http://another.s3.amazonaws.com${publishedUrl}` };
    expect(refusal(request).code).toBe('SignatureDoesNotMatch');
  });

  it('accepts a request target in absolute form', () => {
    expect(verify({ ...presigned, url: `http://${host}${publishedUrl}` }).kind).toBe('signed');
  });
});

describe('beside independent signers', () => {
  const smithy = new SignatureV4({
    service: 's3',
    region: 'eu-west-1',
    sha256: Sha256,
    uriEscapePath: false,
    credentials,
  });
  const paths = [
    '/b/k',
    '/b//a/../b/./c//',
    '/b/a%20b%2Bc%25%C3%A9',
    '/b/a%2Fb',
    '/b/%c3%a9',
    "/b/!'()*+,;=:@$&~",
  ];

  it.each(paths)('accepts their signature in headers for %s', async path => {
    const headers = { host: 'h:8080', 'x-amz-content-sha256': EMPTY_PAYLOAD_HASH, 'x-amz-meta-x': ' a   b ' };
    const query = { versionId: 'a+/= b', 'x-id': 'GetObject', acl: '' };
    const signed = await smithy.sign(
      { method: 'GET', protocol: 'http:', hostname: 'h', port: 8080, path, query, headers },
      { signingDate: new Date(signedAtMs) },
    );
    const url = `${path}?acl&x-id=GetObject&versionId=a%2B%2F%3D%20b`;
    expect(verify({ method: 'GET', url, rawHeaders: Object.entries(signed.headers).flat() }).kind).toBe(
      'signed',
    );
  });

  it('accepts a URL that covers the hash of no body', async () => {
    const headers = { host: 'h', 'x-amz-content-sha256': EMPTY_PAYLOAD_HASH };
    const { query = {} } = await smithy.presign(
      { method: 'GET', protocol: 'http:', hostname: 'h', path: '/b/k', headers },
      { signingDate: new Date(signedAtMs), expiresIn: 60 },
    );
    const url = `/b/k?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
    expect(url).toContain('x-amz-content-sha256=');
    expect(verify({ method: 'GET', url, rawHeaders: ['Host', 'h'] })).toMatchObject({
      payload: { kind: 'hash', sha256: EMPTY_PAYLOAD_HASH },
    });
  });

  const client = new S3Client({
    region: 'us-east-1',
    endpoint: 'http://h:8080',
    forcePathStyle: true,
    credentials,
  });
  const key = "dir//a b+c%ü'(1)*!😀";

  it('accepts a URL of their presigner, with overrides and a checksum mode', async () => {
    const command = new GetObjectCommand({
      Bucket: 'b',
      Key: key,
      ResponseContentDisposition: "attachment; filename*=UTF-8''x y+z",
      ChecksumMode: 'ENABLED',
      VersionId: 'v/1=',
    });
    const { pathname, search } = new URL(
      await getSignedUrl(client, command, { signingDate: new Date(signedAtMs) }),
    );
    expect(verify({ method: 'GET', url: pathname + search, rawHeaders: ['Host', 'h:8080'] }).kind).toBe(
      'signed',
    );
  });

  it('refuses HEAD with a URL presigned for GET, and the other way round (docs/semantics.md 253)', async () => {
    const input = { Bucket: 'b', Key: key };
    const options = { signingDate: new Date(signedAtMs) };
    const get = new URL(await getSignedUrl(client, new GetObjectCommand(input), options));
    const head = new URL(await getSignedUrl(client, new HeadObjectCommand(input), options));
    const rawHeaders = ['Host', 'h:8080'];
    expect(verify({ method: 'HEAD', url: head.pathname + head.search, rawHeaders }).kind).toBe('signed');
    expect(refusal({ method: 'HEAD', url: get.pathname + get.search, rawHeaders }).code).toBe(
      'SignatureDoesNotMatch',
    );
    expect(refusal({ method: 'GET', url: head.pathname + head.search, rawHeaders }).code).toBe(
      'SignatureDoesNotMatch',
    );
  });
});

describe.each(['x-amz-', 'x-store-'] as const)('requests that speak %s', headerPrefix => {
  const context = {
    credentials,
    region: 'us-east-1',
    headerPrefix,
    nowMs: signedAtMs,
    keys: new SigningKeys(),
  };

  it('are verified in headers', () => {
    const request = {
      method: 'GET',
      host,
      rawPath: '/k',
      rawQuery: 'versionId=1',
      headers: [],
      payloadHash: EMPTY_PAYLOAD_HASH,
    };
    const rawHeaders = ['Host', host, ...signRequest(request, context).flat()];
    expect(verify({ method: 'GET', url: '/k?versionId=1', rawHeaders })).toMatchObject({
      kind: 'signed',
      headerPrefix,
    });
    expect(refusal({ method: 'GET', url: '/k?versionId=2', rawHeaders }).code).toBe('SignatureDoesNotMatch');
  });

  it('are verified with a header that comes twice', () => {
    const headers = [
      [`${headerPrefix}meta-a`, '1'],
      [`${headerPrefix}meta-a`, '2'],
    ] as const;
    const request = {
      method: 'GET',
      host,
      rawPath: '/k',
      rawQuery: '',
      headers,
      payloadHash: EMPTY_PAYLOAD_HASH,
    };
    const rawHeaders = ['Host', host, ...headers.flat(), ...signRequest(request, context).flat()];
    expect(verify({ method: 'GET', url: '/k', rawHeaders }).kind).toBe('signed');
  });

  it('are verified when presigned, down to the names in refusals', () => {
    const url = new URL(
      presignUrl(
        { method: 'GET', origin: `http://${host}`, rawPath: '/k', rawQuery: '', expiresS: 60 },
        context,
      ),
    );
    const request = { method: 'GET', url: url.pathname + url.search, rawHeaders: ['Host', host] };
    expect(verify(request)).toMatchObject({ kind: 'signed', headerPrefix });
    const name = headerPrefix === 'x-amz-' ? 'X-Amz-Expires' : 'X-Store-Expires';
    expect(refusal(request, { clock: new ManualClock(signedAtMs + 60_000) }).fields[name]).toBe('60');
  });
});

describe('anonymous requests', () => {
  it.each(['/b/k', '/b/k?versionId=1', '/b/k?Expires=1'])('%s shows no credentials', url => {
    expect(verify({ method: 'GET', url, rawHeaders: ['Host', host, 'Range', 'bytes=0-1'] })).toEqual({
      kind: 'anonymous',
    });
  });
});

describe('temporary credentials', () => {
  const context = {
    credentials: { ...credentials, sessionToken: 'tok' },
    region: 'us-east-1',
    headerPrefix: 'x-amz-',
    nowMs: signedAtMs,
    keys: new SigningKeys(),
  } as const;
  const url = new URL(
    presignUrl(
      { method: 'GET', origin: `http://${host}`, rawPath: '/k', rawQuery: '', expiresS: 60 },
      context,
    ),
  );
  const request = { method: 'GET', url: url.pathname + url.search, rawHeaders: ['Host', host] };

  it('are good with their token only', () => {
    expect(verify(request, { sessionToken: 'tok' }).kind).toBe('signed');
    expect(refusal(request, { sessionToken: 'other' })).toMatchObject({ status: 400, code: 'InvalidToken' });
    expect(refusal(request)).toMatchObject({ status: 400, code: 'InvalidToken' });
    expect(refusal(presigned, { sessionToken: 'tok' })).toMatchObject({ status: 400, code: 'InvalidToken' });
  });

  it('are told from permanent ones before the signature is looked at, and else after it', () => {
    const spoilt = { ...request, url: request.url.replace(/Signature=./, 'Signature=x') };
    expect(refusal(spoilt)).toMatchObject({ status: 400, code: 'InvalidToken' });
    for (const sessionToken of ['tok', 'other'])
      expect(refusal(spoilt, { sessionToken })).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  });
});

it("a Date header serves where the store's own is missing", async () => {
  const date = 'Fri, 24 May 2013 00:00:00 GMT';
  const headers = { host, 'x-amz-content-sha256': EMPTY_PAYLOAD_HASH };
  const smithy = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    sha256: Sha256,
    uriEscapePath: false,
    credentials,
  });
  const signed = await smithy.sign(
    { method: 'GET', protocol: 'http:', hostname: host, path: '/k', headers },
    { signingDate: new Date(signedAtMs), unsignableHeaders: new Set(['x-amz-date']) },
  );
  const rawHeaders = [
    'Host',
    host,
    'Date',
    date,
    'x-amz-content-sha256',
    EMPTY_PAYLOAD_HASH,
    'Authorization',
    signed.headers.authorization ?? '',
  ];
  expect(verify({ method: 'GET', url: '/k', rawHeaders }).kind).toBe('signed');
});
