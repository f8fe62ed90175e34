import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import {
  keyTooLongError,
  longestRawKey,
  malformedKeyError,
  malformedKeys,
  spellingsOfOneKey,
  spellingsOfTwoKeys,
} from '../../support/semantics/key-rows.ts';

let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start({ domain: 'store.test', headerPrefix: 'x-store-' });
  await store.put('/open', '', { 'x-amz-acl': 'public-read-write' });
});
afterAll(() => store.stop());

const put = (rawKey: string, body: string) =>
  store.raw({ method: 'PUT', path: `/open/${rawKey}`, body, headers: { 'x-amz-acl': 'public-read' } });
const get = (rawKey: string, headers: Record<string, string> = {}) =>
  store.raw({ path: `/open/${rawKey}`, headers });

describe('docs/semantics.md, section 11: keys', () => {
  it('row 217: a key of 1024 bytes is stored, one of 1025 is too long', async () => {
    expect((await put(longestRawKey, 'x')).status).toBe(200);
    expect((await get(longestRawKey)).status).toBe(200);
    expectError(await get(`${longestRawKey}x`), { status: 400, ...keyTooLongError });
    const head = await store.raw({ method: 'HEAD', path: `/open/${'x'.repeat(1025)}` });
    expect(head).toMatchObject({ status: 400, text: '' });
  });

  it.each(spellingsOfOneKey)('row %i: %s and %s are one key', async (_row, one, other) => {
    await put(one, one);
    expect(await get(other)).toMatchObject({ status: 200, text: one });
  });

  it.each(spellingsOfTwoKeys)('row %i: %s and %s are two keys', async (_row, one, other) => {
    await put(one, 'one');
    await put(other, 'other');
    expect(await get(one)).toMatchObject({ text: 'one' });
    expect(await get(other)).toMatchObject({ text: 'other' });
  });

  it.each(malformedKeys)('row 228: %s is no key', async rawKey => {
    expectError(await get(rawKey), { status: 400, ...malformedKeyError });
  });

  it('row 227: names in documents are escaped', async () => {
    await store.put('/shown', '', { 'x-amz-acl': 'public-read-write' });
    const keys = ['<&">', 'a\rb', 'a\u0001b', 'ü 😀'];
    for (const key of keys) await store.put(`/shown/${encodeURIComponent(key)}`, 'x');
    const urls = await store.sdk().send(new ListObjectsV2Command({ Bucket: 'shown', EncodingType: 'url' }));
    expect(urls.Contents?.map(({ Key = '' }) => decodeURIComponent(Key)).sort()).toEqual([...keys].sort());
    const { text } = await store.raw({ path: '/shown?list-type=2' });
    expect(text).toContain('<Key>&lt;&amp;&quot;&gt;</Key>');
    expect(text).toContain('<Key>a&#xd;b</Key>');
  });
});

describe('docs/semantics.md, section 11: addresses', () => {
  beforeAll(async () => {
    await put('folder/k', 'here');
  });

  it.each([
    [229, 'store.test', '/open/folder/k'],
    [229, '127.0.0.1:9000', '/open/folder/k'],
    [230, 'open.store.test', '/folder/k'],
    [230, 'OPEN.store.test:8080', '/folder/k'],
  ])('row %i: on the host %s it is %s', async (_row, host, path) => {
    expect(await store.raw({ path, headers: { host } })).toMatchObject({ status: 200, text: 'here' });
  });

  it('row 230: a name of a bucket may contain dots', async () => {
    await store.put('/dotted.name', '', { 'x-amz-acl': 'public-read-write' });
    await store.put('/dotted.name/k', 'dots', { 'x-amz-acl': 'public-read' });
    const headers = { host: 'dotted.name.store.test' };
    expect(await store.raw({ path: '/k', headers })).toMatchObject({ text: 'dots' });
  });

  it('row 222: a leading slash on a virtual host is part of the key', async () => {
    await put('/slash', 'slash');
    const reply = await store.raw({ path: '//slash', headers: { host: 'open.store.test' } });
    expect(reply).toMatchObject({ status: 200, text: 'slash' });
  });

  it.each(['/open', '/open/'])('row 233: %s lists the bucket', async path => {
    expect((await store.raw({ path })).text).toContain('<ListBucketResult');
  });

  it.each(['torrent', 'attributes'])('row 234: ?%s is another operation, which is not there', async name => {
    expectError(await get(`folder/k?${name}`), { status: 501, code: 'NotImplemented' });
  });

  it('row 235: HEAD has no sub-resources', async () => {
    const reply = await store.raw({ method: 'HEAD', path: '/open?acl' });
    expect(reply).toMatchObject({ status: 405, text: '' });
    expect(reply.headers.allow).toContain('GET');
  });

  it('row 235: two sub-resources are one too many', async () => {
    expect((await store.raw({ path: '/open?acl&versioning' })).status).toBe(400);
  });

  it('row 236: a key has no ?versions', async () => {
    expectError(await get('folder/k?versions'), {
      status: 400,
      code: 'InvalidRequest',
      message: 'There is no such thing as the ?versions sub-resource for a key',
    });
  });

  it('row 237: other parameters mean nothing', async () => {
    expect(await get('folder/k?foo=bar&x-id=GetObject')).toMatchObject({ status: 200, text: 'here' });
  });

  it('a request target in absolute form is understood', async () => {
    const reply = await store.raw({ path: `${store.url}/open/folder/k` });
    expect(reply).toMatchObject({ status: 200, text: 'here' });
  });
});

describe('docs/semantics.md, section 10: the shape of errors', () => {
  it('rows 202 to 204: media type, ids, no resource; 400 ends the connection, 404 does not', async () => {
    const missing = await get('none');
    expectError(missing, { status: 404, code: 'NoSuchKey', fields: { Key: 'none' } });
    expect(missing.headers['transfer-encoding']).toBe('chunked');
    const invalid = await store.raw({
      path: '/open/none?partNumber=0',
      headers: { connection: 'keep-alive' },
    });
    expect(invalid.headers.connection).toBe('close');
  });

  it('row 205: HEAD has no body', async () => {
    expect(await store.raw({ method: 'HEAD', path: '/open/none' })).toMatchObject({ status: 404, text: '' });
  });

  it('row 207: a method that is not there names itself and those that are', async () => {
    const reply = await store.raw({ method: 'PATCH', path: '/open/none' });
    expectError(reply, {
      status: 405,
      code: 'MethodNotAllowed',
      fields: { Method: 'PATCH', ResourceType: 'OBJECT' },
    });
    expect(reply.headers.allow).toBe('GET, HEAD, PUT, DELETE');
  });

  it.each([
    ['x-store-', {}],
    ['x-amz-', { 'x-amz-checksum-mode': 'ENABLED' }],
    ['x-store-', { 'x-store-checksum-mode': 'ENABLED' }],
    ['x-store-', { 'x-store-checksum-mode': 'ENABLED', 'x-amz-request-payer': 'requester' }],
  ])('the ids have the prefix %s for %j', async (prefix, headers) => {
    for (const key of ['none', 'folder/k']) {
      const reply = await get(key, headers);
      expect(reply.headers[`${prefix}request-id`]).toBeDefined();
      expect(reply.headers[`${prefix}id-2`]).toBeDefined();
    }
  });

  it('the value of KMS encryption follows the dialect', async () => {
    const headers = { 'x-amz-server-side-encryption': 'aws:kms' };
    const stored = await store.signed({ method: 'PUT', path: '/open/kms', body: 'x', headers });
    expect(stored.headers['x-amz-server-side-encryption']).toBe('aws:kms');
    const shown = { 'x-store-server-side-encryption': 'store:kms' };
    const again = await store.raw({ method: 'PUT', path: '/open/kms', body: 'x', headers: shown });
    expect(again.headers).toMatchObject(shown);
  });
});

describe('docs/semantics.md, section 13', () => {
  it('row 268: POST to an object does nothing', async () => {
    expectError(await store.raw({ method: 'POST', path: '/open/k' }), {
      status: 405,
      code: 'MethodNotAllowed',
      fields: { Method: 'POST', ResourceType: 'OBJECT' },
    });
  });

  it('row 269: POST to a bucket wants a form', async () => {
    const reply = await store.raw({ method: 'POST', path: '/open' });
    expectError(reply, {
      status: 412,
      code: 'PreconditionFailed',
      message: 'Bucket POST must be of the enclosure-type multipart/form-data',
      fields: { Condition: undefined },
    });
  });

  it.each(['PATCH', 'TRACE'])('row 270: %s is not allowed', async method => {
    expect((await store.raw({ method, path: '/open/folder/k' })).status).toBe(405);
  });

  it('row 272: GET needs no content length, row 273: and may have one of 0', async () => {
    expect((await get('folder/k')).status).toBe(200);
    expect((await get('folder/k', { 'content-length': '0' })).status).toBe(200);
  });

  it('row 274: GET may expect to be told to go on', async () => {
    expect(await get('folder/k', { expect: '100-continue' })).toMatchObject({ status: 200 });
  });
});
