import { createHash } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { type SigningContext, signRequest } from '../../../src/s3/sigv4-sign.ts';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { OWNER, StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';

let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  await store.put('/box/k', '0123456789');
  await store.put('/box/public', 'public', { 'x-amz-acl': 'public-read' });
});
afterAll(() => store.stop());

/** A presigned GET of the SDK, signed `ageMs` ago. */
async function presigned(key: string, expiresIn: number, ageMs = 0): Promise<URL> {
  const command = new GetObjectCommand({ Bucket: 'box', Key: key });
  const signingDate = new Date(store.clock.nowMs() - ageMs);
  return new URL(await getSignedUrl(store.sdk(), command, { expiresIn, signingDate }));
}
const follow = (url: URL, method = 'GET', headers: Record<string, string> = {}) =>
  store.raw({ method, path: url.pathname + url.search, headers: { host: url.host, ...headers } });

describe('docs/semantics.md, section 12: presigned URLs', () => {
  it('is good as long as it says', async () => {
    expect(await follow(await presigned('k', 60, 59_000))).toMatchObject({ status: 200, text: '0123456789' });
  });

  it('row 238: has expired after that', async () => {
    expectError(await follow(await presigned('k', 60, 61_000)), {
      status: 403,
      code: 'AccessDenied',
      message: 'Request has expired',
      fields: { 'X-Amz-Expires': '60', Expires: undefined, ServerTime: undefined },
    });
  });

  it('row 253: a URL for GET is none for HEAD', async () => {
    expect(await follow(await presigned('k', 60), 'HEAD')).toMatchObject({ status: 403, text: '' });
  });

  it('row 254: a parameter added after signing breaks the signature', async () => {
    const url = await presigned('k', 60);
    url.search += '&response-expires=1';
    expect(xmlText((await follow(url)).text, 'Code')).toBe('SignatureDoesNotMatch');
  });

  it('row 250: headers of the protocol that were not signed are refused', async () => {
    const reply = await follow(await presigned('k', 60), 'GET', { 'x-amz-checksum-mode': 'ENABLED' });
    expectError(reply, {
      status: 403,
      code: 'AccessDenied',
      message: 'There were headers present in the request which were not signed',
      fields: { HeadersNotSigned: 'x-amz-checksum-mode' },
    });
  });

  it('rows 250 and 251: ranges, conditions and other headers need no signature', async () => {
    const headers = { range: 'bytes=0-1', 'if-match': '*', 'x-custom': 'x' };
    expect(await follow(await presigned('k', 60), 'GET', headers)).toMatchObject({ status: 206, text: '01' });
  });

  it('puts with a presigned URL', async () => {
    const command = new PutObjectCommand({ Bucket: 'box', Key: 'put', ACL: 'public-read' });
    // otherwise the SDK signs the checksum of the empty body that it sees
    const client = store.sdk(OWNER, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    const url = new URL(await getSignedUrl(client, command, { expiresIn: 60 }));
    const put = await store.raw({ method: 'PUT', path: url.pathname + url.search, body: 'by URL' });
    expect(put.status).toBe(200);
    expect((await store.signed({ path: '/box/put' })).text).toBe('by URL');
  });
});

/** Headers of a GET of /box/k, signed as told. */
function signedHeaders(context: Partial<SigningContext>): Record<string, string> {
  const request = {
    method: 'GET',
    host: new URL(store.url).host,
    rawPath: '/box/k',
    rawQuery: '',
    headers: [],
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
  const added = signRequest(request, {
    credentials: OWNER,
    region: 'us-east-1',
    headerPrefix: 'x-amz-',
    nowMs: store.clock.nowMs(),
    keys: new SigningKeys(),
    ...context,
  });
  return Object.fromEntries(added);
}

describe('docs/semantics.md, sections 10 and 12: signatures in headers', () => {
  it.each([
    [208, { ...OWNER, accessKeyId: 'nobody' }, 'InvalidAccessKeyId'],
    [209, { ...OWNER, secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
  ])('rows %i and 256: %j', async (_row, account, code) => {
    const reply = await store.signed({ path: '/box/k' }, account);
    expect({ status: reply.status, code: xmlText(reply.text, 'Code') }).toEqual({ status: 403, code });
  });

  it('row 267: a bad signature is refused where none was needed', async () => {
    const reply = await store.signed({ path: '/box/public' }, { ...OWNER, secretAccessKey: 'wrong' });
    expect(reply.status).toBe(403);
  });

  it.each([-15, 15])('rows 210 and 257: a clock that is %i minutes off, and a second more', async minutes => {
    const nowMs = store.clock.nowMs() + minutes * 60_000 + Math.sign(minutes) * 1000;
    const reply = await store.raw({ path: '/box/k', headers: signedHeaders({ nowMs }) });
    expect(xmlText(reply.text, 'Code')).toBe('RequestTimeTooSkewed');
    expect(xmlText(reply.text, 'MaxAllowedSkewMilliseconds')).toBe('900000');
  });

  it('row 122: another region is told which one is right', async () => {
    const headers = signedHeaders({ region: 'mars-1' });
    const reply = await store.raw({ path: '/box/k', headers });
    expect(xmlText(reply.text, 'Code')).toBe('AuthorizationHeaderMalformed');
    expect(xmlText(reply.text, 'Region')).toBe('us-east-1');
  });

  it('row 264: a read has no body to sign', async () => {
    const reply = await store.signed({ path: '/box/k', body: 'a body' });
    expect(xmlText(reply.text, 'Code')).toBe('XAmzContentSHA256Mismatch');
  });

  it('row 264: a body other than the one signed is not stored', async () => {
    const headers = { 'x-amz-content-sha256': createHash('sha256').update('signed').digest('hex') };
    const reply = await store.signed({ method: 'PUT', path: '/box/other', body: 'sent', headers });
    expectError(reply, {
      status: 400,
      code: 'XAmzContentSHA256Mismatch',
      fields: { ClientComputedContentSHA256: undefined, S3ComputedContentSHA256: undefined },
    });
    expect((await store.signed({ path: '/box/other' })).status).toBe(404);
  });

  it('speaks the other dialect, signatures included', async () => {
    const headers = signedHeaders({ headerPrefix: 'x-store-' });
    const reply = await store.raw({ path: '/box/k', headers });
    expect(reply).toMatchObject({ status: 200, text: '0123456789' });
    expect(reply.headers['x-store-request-id']).toBeDefined();
  });

  it('HEAD by the SDK is signed like any other', async () => {
    const head = await store.sdk().send(new HeadObjectCommand({ Bucket: 'box', Key: 'k' }));
    expect(head.ContentLength).toBe(10);
  });
});
