import { createHash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { presignUrl } from '../../../src/s3/sigv4-sign.ts';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { OWNER, StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';

const ALL_SIX = {
  'content-type': 'text/css',
  'content-language': 'de',
  expires: '123',
  'cache-control': 'no-store',
  'content-disposition': 'attachment',
  'content-encoding': 'br',
};
let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  await store.put('/box/k', '0123456789', { 'x-amz-acl': 'public-read', 'content-type': 'text/plain' });
});
afterAll(() => store.stop());

/** Path and query of a GET of /box/k, presigned with the query given. */
function presignedUrl(rawQuery: string): string {
  const url = presignUrl(
    { method: 'GET', origin: store.url, rawPath: '/box/k', rawQuery, expiresS: 60 },
    {
      credentials: OWNER,
      region: 'us-east-1',
      headerPrefix: 'x-amz-',
      nowMs: store.clock.nowMs(),
      keys: new SigningKeys(),
    },
  );
  return url.slice(store.url.length);
}

const query = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([name, value]) => `response-${name}=${encodeURIComponent(value)}`)
    .join('&');

describe('docs/semantics.md, section 6', () => {
  it.each([
    [132, 'GET'],
    [134, 'HEAD'],
  ])('row %i: a signed %s replaces all six headers', async (_row, method) => {
    const reply = await store.signed({ method, path: `/box/k?${query(ALL_SIX)}` });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject(ALL_SIX);
  });

  it('row 133: so does a presigned URL', async () => {
    const command = new GetObjectCommand({
      Bucket: 'box',
      Key: 'k',
      ResponseContentType: 'text/css',
      ResponseExpires: new Date(0),
    });
    const url = new URL(await getSignedUrl(store.sdk(), command));
    const reply = await store.raw({ path: url.pathname + url.search });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/css',
      expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
    });
  });

  it.each(['GET', 'HEAD'])('row 135: an anonymous %s may not', async method => {
    const reply = await store.raw({ method, path: '/box/k?response-expires=1' });
    expect(reply.status).toBe(400);
    if (method === 'HEAD') expect(reply.text).toBe('');
    else {
      expectError(reply, {
        status: 400,
        code: 'InvalidRequest',
        message: 'Request specific response headers cannot be used for anonymous GET requests.',
      });
    }
  });

  it('row 136: a range keeps the stored headers', async () => {
    const reply = await store.signed({
      path: `/box/k?${query(ALL_SIX)}`,
      headers: { range: 'bytes=0-1' },
    });
    expect(reply.status).toBe(206);
    expect(reply.headers['content-type']).toBe('text/plain');
    expect(reply.headers['cache-control']).toBeUndefined();
  });

  it('row 137: 304 and errors keep theirs', async () => {
    const headers = { 'if-none-match': '*' };
    const reply = await store.signed({ path: `/box/k?${query(ALL_SIX)}`, headers });
    expect(reply.status).toBe(304);
    expect(reply.headers['cache-control']).toBeUndefined();
    const missing = await store.signed({ path: `/box/none?${query(ALL_SIX)}` });
    expect(missing.headers['content-type']).toBe('application/xml');
  });

  it('row 138: an empty value changes nothing', async () => {
    const reply = await store.signed({ path: '/box/k?response-content-type=' });
    expect(reply.headers['content-type']).toBe('text/plain');
  });

  it.each([
    [139, 'attachment; filename="łódź"'],
    [140, 'a\r\nset-cookie: b'],
  ])('row %i: %j is no value of a header', async (_row, value) => {
    expectError(await store.signed({ path: `/box/k?${query({ 'content-disposition': value })}` }), {
      status: 400,
      code: 'InvalidArgument',
      message: 'Header value cannot be represented using ISO-8859-1.',
      fields: { ArgumentName: 'response-content-disposition', ArgumentValue: undefined },
    });
  });

  it('row 141: of a repeated parameter the first counts; row 142: its case matters', async () => {
    const repeated = 'response-content-type=text/css&response-content-type=text/html';
    const url = presignedUrl(`response-expires=1&${repeated}`);
    expect((await store.raw({ path: url })).headers['content-type']).toBe('text/css');
    const reply = await store.signed({ path: '/box/k?Response-Content-Type=text/css' });
    expect(reply.headers['content-type']).toBe('text/plain');
  });

  it('row 139: what ISO-8859-1 can hold arrives in it', async () => {
    const reply = await store.signed({ path: `/box/k?${query({ 'content-disposition': 'größe' })}` });
    expect(reply.headers['content-disposition']).toBe('größe');
  });
});

const KEY = createHash('sha256').update('one').digest();
const OTHER_KEY = createHash('sha256').update('other').digest();
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('base64');
const keyHeaders = (key: Uint8Array, prefix = 'x-amz-') => ({
  [`${prefix}server-side-encryption-customer-algorithm`]: 'AES256',
  [`${prefix}server-side-encryption-customer-key`]: Buffer.from(key).toString('base64'),
  [`${prefix}server-side-encryption-customer-key-md5`]: md5(key),
});
const ALGORITHM = 'x-amz-server-side-encryption-customer-algorithm';
const KEY_HEADER = 'x-amz-server-side-encryption-customer-key';
const MD5 = 'x-amz-server-side-encryption-customer-key-md5';
const ARGUMENT = { ArgumentName: 'x-amz-server-side-encryption' };
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(keyHeaders(KEY)).filter(([name]) => !names.includes(name)));
const SSE_C = 'Requests specifying Server Side Encryption with Customer provided keys must provide';

describe('docs/semantics.md, section 7', () => {
  beforeAll(async () => {
    await store.put('/box/sealed', 'a secret of some length', keyHeaders(KEY));
    await store.put('/box/kms', 'managed', {
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'arn:aws:kms:eu-west-1:111122223333:key/k',
      'x-amz-server-side-encryption-bucket-key-enabled': 'true',
    });
  });

  const get = (headers: Record<string, string>, path = '/box/sealed', method = 'GET') =>
    store.signed({ method, path, headers });

  it('rows 144 and 145: without the key nothing is told', async () => {
    expectError(await get({}), {
      status: 400,
      code: 'InvalidRequest',
      message:
        'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
    });
    expect(await get({}, '/box/sealed', 'HEAD')).toMatchObject({ status: 400, text: '' });
  });

  it('row 146: another key is refused', async () => {
    expectError(await get(keyHeaders(OTHER_KEY)), {
      status: 403,
      code: 'AccessDenied',
      message: `${SSE_C} the correct secret key.`,
    });
  });

  it.each(['/box/sealed', '/box/k'])('row 147: of %s, only AES256 is an algorithm', async path => {
    expectError(await get({ ...keyHeaders(KEY), [ALGORITHM]: 'KMS' }, path), {
      status: 400,
      code: 'InvalidEncryptionAlgorithmError',
      message: 'The Encryption request you specified is not valid. Supported value: AES256.',
      fields: { ...ARGUMENT, ArgumentValue: 'KMS' },
    });
  });

  it.each([
    [148, without(KEY_HEADER, MD5), `${SSE_C} an appropriate secret key.`],
    [149, without(MD5), `${SSE_C} the client calculated MD5 of the secret key.`],
    [150, without(ALGORITHM), `${SSE_C} a valid encryption algorithm.`],
    [
      151,
      { ...keyHeaders(KEY), [MD5]: md5(OTHER_KEY) },
      'The calculated MD5 hash of the key did not match the hash that was provided.',
    ],
    [
      153,
      { ...keyHeaders(KEY), [KEY_HEADER]: '?'.repeat(44) },
      'The secret key was invalid for the specified algorithm.',
    ],
  ])('row %i: the three headers are required together and must fit', async (_row, headers, message) => {
    expectError(await get(headers), { status: 400, code: 'InvalidArgument', message, fields: ARGUMENT });
  });

  it('row 152: a key of another length is a wrong key to a read, and no key to a write', async () => {
    const headers = keyHeaders(Buffer.alloc(44));
    expectError(await get(headers), { status: 403, code: 'AccessDenied' });
    expectError(await store.signed({ method: 'PUT', path: '/box/x', body: 'x', headers }), {
      status: 400,
      code: 'InvalidArgument',
      message: 'The secret key was invalid for the specified algorithm.',
      fields: ARGUMENT,
    });
  });

  it('row 154: a key for what is not sealed does not apply', async () => {
    expectError(await get(keyHeaders(KEY), '/box/k'), {
      status: 400,
      code: 'InvalidRequest',
      message: 'The encryption parameters are not applicable to this object.',
    });
  });

  it('row 155: a store that wants secure connections refuses keys on this one', async () => {
    const strict = await StoreUnderTest.start({ customerKeysOverHttp: 'refuse' });
    await strict.put('/box');
    const reply = await strict.signed({ method: 'PUT', path: '/box/k', headers: keyHeaders(KEY) });
    expectError(reply, {
      status: 400,
      code: 'InvalidRequest',
      message:
        'Requests specifying Server Side Encryption with Customer provided keys must be made over a secure connection.',
    });
    await strict.stop();
  });

  it.each(['x-amz-', 'x-store-'])('row 156: with the key all is well in %s', async prefix => {
    const reply = await store.raw({ path: '/box/sealed-public', headers: keyHeaders(KEY, prefix) });
    expect(reply.status).toBe(403);
    await store.put('/box/sealed-public', 'a secret of some length', {
      ...keyHeaders(KEY),
      'x-amz-acl': 'public-read',
    });
    const opened = await store.raw({ path: '/box/sealed-public', headers: keyHeaders(KEY, prefix) });
    expect(opened).toMatchObject({ status: 200, text: 'a secret of some length' });
    expect(opened.headers).toMatchObject({
      [`${prefix}server-side-encryption-customer-algorithm`]: 'AES256',
      [`${prefix}server-side-encryption-customer-key-md5`]: md5(KEY),
    });
    expect(opened.headers[`${prefix}server-side-encryption`]).toBeUndefined();
    expect(JSON.stringify(opened.headers)).not.toContain(KEY.toString('base64'));
    expect(opened.headers.etag).not.toContain(
      createHash('md5').update('a secret of some length').digest('hex'),
    );
    await store.signed({ method: 'DELETE', path: '/box/sealed-public' });
  });

  it('row 157: each version has its own key', async () => {
    await store.put('/keys');
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await store.put('/keys?versioning=', body);
    const { headers } = await store.put('/keys/k', 'one', keyHeaders(KEY));
    await store.put('/keys/k', 'other', keyHeaders(OTHER_KEY));
    const path = `/keys/k?versionId=${headers['x-amz-version-id']}`;
    expect(await get(keyHeaders(KEY), path)).toMatchObject({ status: 200, text: 'one' });
    expectError(await get(keyHeaders(OTHER_KEY), path), { status: 403, code: 'AccessDenied' });
    expect(await get(keyHeaders(OTHER_KEY), '/keys/k')).toMatchObject({ status: 200, text: 'other' });
  });

  it.each([
    ['server-side-encryption', 'AES256', '/box/k'],
    ['server-side-encryption', 'aws:kms', '/box/kms'],
    ['server-side-encryption-aws-kms-key-id', 'k', '/box/kms'],
  ])('row 158: %s on a read is refused', async (name, value, path) => {
    expectError(await get({ [`x-amz-${name}`]: value }, path), {
      status: 400,
      code: 'BadRequest',
      message: `x-amz-${name} header is not supported for this operation.`,
    });
  });

  it('row 159: an object without any wish is encrypted by the service', async () => {
    expect((await get({}, '/box/k')).headers['x-amz-server-side-encryption']).toBe('AES256');
  });

  it('row 160: a managed key is named', async () => {
    expect((await get({}, '/box/kms')).headers).toMatchObject({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'arn:aws:kms:eu-west-1:111122223333:key/k',
      'x-amz-server-side-encryption-bucket-key-enabled': 'true',
    });
  });

  it.each([
    [161, 'disabled', 'KMS.DisabledException', 'arn:aws:kms:eu-west-1:111122223333:key/k is disabled.'],
    [162, 'pending-deletion', 'KMS.KMSInvalidStateException', undefined],
  ])('row %i: an object whose key is %s cannot be read', async (_row, state, code, message) => {
    const stage = (value: string) =>
      store.put('/box/kms?embedded-state=', '', { 'x-amz-embedded-kms-key-state': value });
    await stage(state);
    expectError(await get({}, '/box/kms'), { status: 400, code, ...(message && { message }) });
    await stage('enabled');
    expect((await get({}, '/box/kms')).status).toBe(200);
  });

  it('row 163: a managed key is not for anonymous callers', async () => {
    await store.put('/box/kms-public', 'x', {
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-acl': 'public-read',
    });
    const reply = await store.raw({ path: '/box/kms-public' });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('<Code>InvalidArgument</Code>');
  });
});
