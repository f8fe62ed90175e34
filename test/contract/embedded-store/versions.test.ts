import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';

const READER = {
  accessKeyId: 'version-reader',
  secretAccessKey: 'secret',
  grants: [{ actions: ['GetObjectVersion'] }],
};
const OWNER = { accessKeyId: 'owner', secretAccessKey: 'owner-secret' };
const UNKNOWN = 'A'.repeat(32);

let store: StoreUnderTest;
let first: string;
let second: string;
let marker: string;

beforeAll(async () => {
  store = await StoreUnderTest.start({ accounts: [OWNER, READER] });
  const client = store.sdk();
  await store.put('/plain');
  await store.put('/plain/k', 'plain');
  await store.put('/kept');
  await store.put('/kept/early', 'before versioning');
  const versioning = { VersioningConfiguration: { Status: 'Enabled' as const } };
  await client.send(new PutBucketVersioningCommand({ Bucket: 'kept', ...versioning }));
  first = (await store.put('/kept/k', 'first')).headers['x-amz-version-id'] ?? '';
  second = (await store.put('/kept/k', 'second')).headers['x-amz-version-id'] ?? '';
  await store.put('/kept/gone', 'gone');
  const deleted = await client.send(new DeleteObjectCommand({ Bucket: 'kept', Key: 'gone' }));
  expect(deleted.DeleteMarker).toBe(true);
  marker = deleted.VersionId ?? '';
});
afterAll(() => store.stop());

const get = (path: string, method = 'GET') => store.signed({ method, path });

describe('docs/semantics.md, section 4', () => {
  it.each([
    [93, '/plain/k'],
    [94, '/plain/k?versionId=null'],
  ])('row %i: %s in a bucket that never had versions has no version id', async (_row, path) => {
    const reply = await get(path);
    expect(reply).toMatchObject({ status: 200, text: 'plain' });
    expect(reply.headers['x-amz-version-id']).toBeUndefined();
  });

  it.each([
    [95, `/plain/k?versionId=${UNKNOWN}`, UNKNOWN],
    [98, '/kept/k?versionId=nonsense', 'nonsense'],
  ])('row %i: %s names what cannot be a version', async (_row, path, value) => {
    expectError(await get(path), {
      status: 400,
      code: 'InvalidArgument',
      message: 'Invalid version id specified',
      fields: { ArgumentName: 'versionId', ArgumentValue: value },
    });
    expect(await get(path, 'HEAD')).toMatchObject({ status: 400, text: '' });
  });

  it('row 96: what was there before versioning is the null version', async () => {
    const reply = await get('/kept/early?versionId=null');
    expect(reply).toMatchObject({ status: 200, text: 'before versioning' });
    expect(reply.headers['x-amz-version-id']).toBe('null');
    expect((await get('/kept/early')).headers['x-amz-version-id']).toBe('null');
  });

  it.each([
    [97, 'null'],
    [99, UNKNOWN],
  ])('row %i: there is no version %s', async (_row, versionId) => {
    expectError(await get(`/kept/k?versionId=${versionId}`), {
      status: 404,
      code: 'NoSuchVersion',
      message: 'The specified version does not exist.',
      fields: { Key: 'k', VersionId: versionId },
    });
  });

  it.each(['/plain/k?versionId=', '/kept/k?versionId='])('row 100: %s names no version', async path => {
    expectError(await get(path), {
      status: 400,
      code: 'InvalidArgument',
      message: 'Version id cannot be the empty string',
      fields: { ArgumentName: 'versionId', ArgumentValue: '' },
    });
  });

  it('rows 101 and 102: a current delete marker is a missing key with two headers', async () => {
    const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker };
    const reply = await get('/kept/gone');
    expectError(reply, { status: 404, code: 'NoSuchKey', fields: { Key: 'gone' } });
    expect(reply.headers).toMatchObject(headers);
    const head = await get('/kept/gone', 'HEAD');
    expect(head).toMatchObject({ status: 404, text: '' });
    expect(head.headers).toMatchObject(headers);
  });

  it('rows 103 and 104: a delete marker by its id cannot be read', async () => {
    const headers = {
      allow: 'DELETE',
      'x-amz-delete-marker': 'true',
      'x-amz-version-id': marker,
      'last-modified': new Date(store.clock.nowMs()).toUTCString(),
    };
    const reply = await get(`/kept/gone?versionId=${marker}`);
    expectError(reply, {
      status: 405,
      code: 'MethodNotAllowed',
      message: 'The specified method is not allowed against this resource.',
      fields: { Method: 'GET', ResourceType: 'DeleteMarker' },
    });
    expect(reply.headers).toMatchObject(headers);
    const head = await get(`/kept/gone?versionId=${marker}`, 'HEAD');
    expect(head).toMatchObject({ status: 405, text: '' });
    expect(head.headers).toMatchObject(headers);
  });

  it('row 88: a current delete marker comes before conditions', async () => {
    const reply = await store.signed({ path: '/kept/gone', headers: { 'if-match': '"x"' } });
    expect(reply.status).toBe(404);
    expect(reply.headers['x-amz-delete-marker']).toBe('true');
  });

  it('row 105: a key that never was has no delete-marker header', async () => {
    const { headers } = await get('/kept/never');
    expect(headers['x-amz-delete-marker']).toBeUndefined();
  });

  it('row 106: an older version is there behind the newer one', async () => {
    const reply = await get(`/kept/k?versionId=${first}`);
    expect(reply).toMatchObject({ status: 200, text: 'first' });
    expect(reply.headers['x-amz-version-id']).toBe(first);
    expect((await get('/kept/k')).headers['x-amz-version-id']).toBe(second);
  });

  it('row 107: with versioning suspended, the null version is overwritten', async () => {
    await store.put('/paused');
    const change = (Status: 'Enabled' | 'Suspended') =>
      store
        .sdk()
        .send(new PutBucketVersioningCommand({ Bucket: 'paused', VersioningConfiguration: { Status } }));
    await change('Enabled');
    const kept = (await store.put('/paused/k', 'kept')).headers['x-amz-version-id'];
    await change('Suspended');
    await store.put('/paused/k', 'one');
    expect((await store.put('/paused/k', 'two')).headers['x-amz-version-id']).toBe('null');
    expect(await get('/paused/k')).toMatchObject({ text: 'two' });
    expect(await get(`/paused/k?versionId=${kept}`)).toMatchObject({ text: 'kept' });
    const list = await store.sdk().send(new ListObjectVersionsCommand({ Bucket: 'paused' }));
    expect(list.Versions?.map(({ VersionId, IsLatest }) => [VersionId, IsLatest])).toEqual([
      ['null', true],
      [kept, false],
    ]);
  });

  it('row 108: a version asked for by its id says nothing of its expiry', async () => {
    await store.sdk().send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: 'kept',
        LifecycleConfiguration: {
          Rules: [{ ID: 'all of it', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 3 } }],
        },
      }),
    );
    expect((await get('/kept/k')).headers['x-amz-expiration']).toBeDefined();
    expect((await get(`/kept/k?versionId=${second}`)).headers['x-amz-expiration']).toBeUndefined();
  });

  it('row 109: a version needs GetObjectVersion, and that alone', async () => {
    const read = (path: string) => store.signed({ path }, READER);
    expect(await read(`/kept/k?versionId=${first}`)).toMatchObject({ status: 200 });
    expectError(await read('/kept/k'), { status: 403, code: 'AccessDenied' });
  });

  it('a deleted version is gone, and the one before it is current', async () => {
    const put = (text: string) => store.put('/kept/two', text);
    const older = (await put('older')).headers['x-amz-version-id'];
    const newer = (await put('newer')).headers['x-amz-version-id'];
    const deleted = await store.signed({ method: 'DELETE', path: `/kept/two?versionId=${newer}` });
    expect(deleted.status).toBe(204);
    const reply = await get('/kept/two');
    expect(reply).toMatchObject({ status: 200, text: 'older' });
    expect(reply.headers['x-amz-version-id']).toBe(older);
    expectError(await get(`/kept/two?versionId=${newer}`), {
      status: 404,
      code: 'NoSuchVersion',
      fields: { Key: 'two', VersionId: newer },
    });
  });

  it('a deleted marker gives the object back', async () => {
    await store.put('/kept/back', 'here again');
    const { headers } = await store.signed({ method: 'DELETE', path: '/kept/back' });
    expect((await get('/kept/back')).status).toBe(404);
    const id = headers['x-amz-version-id'];
    const removed = await store.signed({ method: 'DELETE', path: `/kept/back?versionId=${id}` });
    expect(removed.headers['x-amz-delete-marker']).toBe('true');
    expect(await get('/kept/back')).toMatchObject({ status: 200, text: 'here again' });
  });

  it('lists versions page by page, newest first within a key', async () => {
    await store.put('/pages');
    await store.sdk().send(
      new PutBucketVersioningCommand({
        Bucket: 'pages',
        VersioningConfiguration: { Status: 'Enabled' },
      }),
    );
    const client = store.sdk();
    for (const Key of ['a', 'b/1', 'b/2', 'c']) {
      for (const Body of ['1', '2']) await client.send(new PutObjectCommand({ Bucket: 'pages', Key, Body }));
    }
    await client.send(new DeleteObjectCommand({ Bucket: 'pages', Key: 'c' }));
    const seen: string[] = [];
    let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
    for (let isTruncated = true; isTruncated; ) {
      const page = await client.send(
        new ListObjectVersionsCommand({ Bucket: 'pages', Delimiter: '/', MaxKeys: 2, ...markers }),
      );
      for (const { Prefix } of page.CommonPrefixes ?? []) seen.push(Prefix ?? '');
      for (const { Key, IsLatest } of page.DeleteMarkers ?? []) seen.push(`${Key} marker ${IsLatest}`);
      for (const { Key, IsLatest } of page.Versions ?? []) seen.push(`${Key} ${IsLatest}`);
      markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
      isTruncated = page.IsTruncated ?? false;
    }
    expect(seen).toEqual(['a true', 'a false', 'b/', 'c marker true', 'c false', 'c false']);
  });
});
