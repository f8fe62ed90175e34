import {
  DeleteObjectCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';

const versionReader: Account = {
  accessKeyId: 'version-reader',
  secretAccessKey: 'secret',
  grants: [{ actions: ['GetObjectVersion'] }],
};
const unknownId = 'A'.repeat(32);

describe.each(crossedDialects)('docs/semantics.md, section 4: $client before $store, $over', dialects => {
  let lab: Lab;
  let first: string;
  let second: string;
  let marker: string;

  const setVersioning = (Bucket: string, Status: 'Enabled' | 'Suspended') =>
    lab.store.sdk().send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
  const put = async (path: string, body: string) =>
    (await lab.store.put(path, body)).headers['x-amz-version-id'] ?? '';
  const ask = (path: string, method = 'GET') => lab.agree({ path, method });

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      accounts: [OWNER, versionReader],
      buckets: { plain: {}, kept: {}, paused: {}, switched: {} },
    });
    await lab.store.put('/plain');
    await lab.store.put('/plain/k', 'plain');
    await lab.store.put('/kept');
    await lab.store.put('/kept/early', 'before versioning');
    await setVersioning('kept', 'Enabled');
    first = await put('/kept/k', 'first');
    second = await put('/kept/k', 'second');
    await lab.store.put('/kept/gone', 'gone');
    const gone = { Bucket: 'kept', Key: 'gone' };
    marker = (await lab.store.sdk().send(new DeleteObjectCommand(gone))).VersionId ?? '';
  });
  afterAll(() => lab.stop());

  it.each([
    [93, '/plain/k'],
    [94, '/plain/k?versionId=null'],
  ])('row %i: %s in a bucket that never had versions has no version id', async (_row, path) => {
    const { reply, cache } = await ask(path);
    expect(reply).toMatchObject({ status: 200, text: 'plain' });
    expect(reply.fields['version-id']).toBeUndefined();
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
  });

  it.each([
    [95, `/plain/k?versionId=${unknownId}`, unknownId],
    [98, '/kept/k?versionId=nonsense', 'nonsense'],
  ])('row %i: %s names what cannot be a version, and is never remembered', async (_row, path, value) => {
    const { reply, cache } = await ask(path);
    expect(reply.status).toBe(400);
    expect(reply.error).toEqual({
      code: 'InvalidArgument',
      message: 'Invalid version id specified',
      fields: { ArgumentName: 'versionId', ArgumentValue: value },
    });
    expect(cache.again).toBe('MISS');
    expect((await ask(path, 'HEAD')).reply).toMatchObject({ status: 400, text: '' });
  });

  it('row 96: what was there before versioning is the null version', async () => {
    const { reply } = await ask('/kept/early?versionId=null');
    expect(reply).toMatchObject({ status: 200, text: 'before versioning' });
    expect(reply.fields['version-id']).toBe('null');
    expect((await ask('/kept/early')).reply.fields['version-id']).toBe('null');
  });

  it.each([
    [97, 'null'],
    [99, unknownId],
  ])('row %i: there is no version %s', async (_row, versionId) => {
    const { reply, cache } = await ask(`/kept/k?versionId=${versionId}`);
    expect(reply.status).toBe(404);
    expect(reply.error).toEqual({
      code: 'NoSuchVersion',
      message: 'The specified version does not exist.',
      fields: { Key: 'k', VersionId: versionId },
    });
    expect(cache.again).toBe('HIT');
    const other = await lab.agree({ path: `/kept/k?versionId=${versionId}`, as: versionReader });
    expect(other.reply.error?.code).toBe('AccessDenied');
  });

  it.each(['/plain/k?versionId=', '/kept/k?versionId='])('row 100: %s names no version', async path => {
    const { reply } = await ask(path);
    expect(reply.status).toBe(400);
    expect(reply.error).toEqual({
      code: 'InvalidArgument',
      message: 'Version id cannot be the empty string',
      fields: { ArgumentName: 'versionId', ArgumentValue: '' },
    });
  });

  it('rows 101, 102 and 88: a current delete marker is a missing key with two headers, whatever the conditions', async () => {
    const fields = { 'delete-marker': 'true', 'version-id': marker };
    const { reply, cache } = await ask('/kept/gone');
    expect(reply).toMatchObject({ status: 404, fields });
    expect(reply.error).toMatchObject({ code: 'NoSuchKey', fields: { Key: 'gone' } });
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
    expect((await ask('/kept/gone', 'HEAD')).reply).toMatchObject({ status: 404, text: '', fields });
    const conditional = await lab.agree({ path: '/kept/gone', headers: { 'if-match': '"x"' } });
    expect(conditional.reply).toMatchObject({ status: 404, fields });
  });

  it('rows 103, 104 and 207: a delete marker by its id cannot be read', async () => {
    const expected = {
      status: 405,
      headers: { allow: 'DELETE', 'last-modified': new Date(lab.store.clock.nowMs()).toUTCString() },
      fields: { 'delete-marker': 'true', 'version-id': marker },
    };
    const { reply, cache } = await ask(`/kept/gone?versionId=${marker}`);
    expect(reply).toMatchObject(expected);
    expect(reply.error).toEqual({
      code: 'MethodNotAllowed',
      message: 'The specified method is not allowed against this resource.',
      fields: { Method: 'GET', ResourceType: 'DeleteMarker' },
    });
    expect(cache.again).toBe('HIT');
    const head = await ask(`/kept/gone?versionId=${marker}`, 'HEAD');
    expect(head.reply).toMatchObject({ ...expected, text: '' });
  });

  it('row 105: a key that never was has no delete-marker header', async () => {
    const { reply } = await ask('/kept/never');
    expect(reply.status).toBe(404);
    expect(reply.fields['delete-marker']).toBeUndefined();
  });

  it('row 106: an older version is there behind the newer one', async () => {
    const { reply, cache } = await ask(`/kept/k?versionId=${first}`);
    expect(reply).toMatchObject({ status: 200, text: 'first', fields: { 'version-id': first } });
    expect(cache.again).toBe('HIT');
    const current = (await ask('/kept/k')).reply;
    expect(current).toMatchObject({ text: 'second', fields: { 'version-id': second } });
    expect(current.headers.etag).not.toBe(reply.headers.etag);
    for (const { fields } of [reply, current]) expect(fields['delete-marker']).toBeUndefined();
  });

  it('row 107: with versioning suspended, the null version is overwritten', async () => {
    await lab.store.put('/paused');
    await setVersioning('paused', 'Enabled');
    const kept = await put('/paused/k', 'kept');
    await setVersioning('paused', 'Suspended');
    await put('/paused/k', 'one');
    await put('/paused/k', 'two');
    expect((await ask('/paused/k')).reply).toMatchObject({ text: 'two', fields: { 'version-id': 'null' } });
    expect((await ask(`/paused/k?versionId=${kept}`)).reply).toMatchObject({ text: 'kept' });
  });

  it('PutBucketVersioning switches versions on, from the next object on', async () => {
    await lab.store.put('/switched');
    await put('/switched/k', 'without');
    expect((await ask('/switched/k')).reply.fields['version-id']).toBeUndefined();
    await setVersioning('switched', 'Enabled');
    const versionId = await put('/switched/k', 'with');
    expect(versionId).not.toBe('');
    const fields = { 'version-id': versionId };
    expect((await ask('/switched/k')).reply).toMatchObject({ text: 'with', fields });
    expect((await ask('/switched/k?versionId=null')).reply.text).toBe('without');
  });

  it('row 109: a version needs GetObjectVersion, and that alone', async () => {
    const read = (path: string) => lab.agree({ path, as: versionReader });
    expect((await read(`/kept/k?versionId=${first}`)).reply.status).toBe(200);
    expect((await read('/kept/k')).reply).toMatchObject({ status: 403, error: { code: 'AccessDenied' } });
  });

  it('rows 108 and 281, Decided 7: the current version by its id is another record of the same bytes', async () => {
    const rule = {
      ID: 'all',
      Status: 'Enabled' as const,
      Filter: { Prefix: '' },
      Expiration: { Days: 3 },
    };
    await lab.store.sdk().send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: 'kept',
        LifecycleConfiguration: { Rules: [rule] },
      }),
    );
    const current = await ask('/kept/k');
    expect(current.reply.fields.expiration).toMatch(/^expiry-date="[^"]+", rule-id="all"$/);
    const named = await ask(`/kept/k?versionId=${second}`);
    expect(named.reply.fields.expiration).toBeUndefined();
    lab.forget();
    await lab.ask({ path: '/kept/k' });
    const bytesBefore = await lab.bytes();
    await lab.ask({ path: `/kept/k?versionId=${second}`, method: 'HEAD' });
    const shared = await lab.ask({ path: `/kept/k?versionId=${second}` });
    expect(shared).toMatchObject({ text: 'second', headers: { 'x-cache': 'HIT' } });
    expect(await lab.bytes()).toBe(bytesBefore);
  });

  it('a version that becomes current, and one that is deleted, are what the store says after the time to live', async () => {
    const older = await put('/kept/two', 'older');
    const newer = await put('/kept/two', 'newer');
    expect(await lab.ask({ path: '/kept/two' })).toMatchObject({ text: 'newer' });
    await lab.store.signed({ method: 'DELETE', path: `/kept/two?versionId=${newer}` });
    lab.store.clock.advance(60_000);
    const reply = await lab.ask({ path: '/kept/two' });
    expect(reply).toMatchObject({ status: 200, text: 'older', fields: { 'version-id': older } });
  });
});
