import { PutBucketLifecycleConfigurationCommand, RestoreObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';

const DAY_MS = 86_400_000;
const RESTORE_DELAY_MS = 3 * 3_600_000;
let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start({ restoreDelayMs: RESTORE_DELAY_MS });
  await store.put('/box');
});
afterAll(() => store.stop());

const get = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  store.signed({ method, path, headers });
const restore = (Key: string, Days?: number) =>
  store.sdk().send(new RestoreObjectCommand({ Bucket: 'box', Key, RestoreRequest: { Days } }));
const archived = (storageClass: string, tier?: string) => ({
  status: 403,
  code: 'InvalidObjectState',
  message: `The action is not valid for the object's ${tier ? 'access tier' : 'storage class'}`,
  fields: { StorageClass: storageClass, ...(tier && { AccessTier: tier }) },
});
const tiered = (tier: string) => ({
  'x-amz-storage-class': 'INTELLIGENT_TIERING',
  'x-amz-embedded-access-tier': tier,
});

describe('docs/semantics.md, section 8', () => {
  it.each(['GLACIER', 'DEEP_ARCHIVE'])('rows 165 and 168: an object in %s', async storageClass => {
    await store.put(`/box/${storageClass}`, 'cold', { 'x-amz-storage-class': storageClass });
    expectError(await get(`/box/${storageClass}`), archived(storageClass));
    const head = await get(`/box/${storageClass}`, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['x-amz-storage-class']).toBe(storageClass);
    expect(head.headers['x-amz-restore']).toBeUndefined();
  });

  it.each(['ARCHIVE_ACCESS', 'DEEP_ARCHIVE_ACCESS'])('rows 166 and 173: an object in %s', async tier => {
    await store.put(`/box/${tier}`, 'cold', tiered(tier));
    expectError(await get(`/box/${tier}`), archived('INTELLIGENT_TIERING', tier));
    const head = await get(`/box/${tier}`, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers).toMatchObject({
      'x-amz-storage-class': 'INTELLIGENT_TIERING',
      'x-amz-archive-status': tier,
    });
  });

  it('rows 167 to 172: from the archive, restored for some days, and gone again', async () => {
    await store.put('/box/cold', 'cold', { 'x-amz-storage-class': 'GLACIER' });
    await restore('cold', 2);
    expectError(await get('/box/cold'), archived('GLACIER'));
    const head = await get('/box/cold', 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers['x-amz-restore']).toBe('ongoing-request="true"');
    await expect(restore('cold', 2)).rejects.toMatchObject({ name: 'RestoreAlreadyInProgress' });

    store.clock.advance(RESTORE_DELAY_MS);
    const expiryMs = Math.ceil((store.clock.nowMs() + 2 * DAY_MS) / DAY_MS) * DAY_MS;
    const value = `ongoing-request="false", expiry-date="${new Date(expiryMs).toUTCString()}"`;
    expect(value).toContain('00:00:00 GMT');
    const reply = await get('/box/cold');
    expect(reply).toMatchObject({ status: 200, text: 'cold' });
    expect(reply.headers['x-amz-restore']).toBe(value);
    expect((await get('/box/cold', 'HEAD')).headers['x-amz-restore']).toBe(value);

    store.clock.advance(expiryMs - store.clock.nowMs() - 1);
    expect((await get('/box/cold')).status).toBe(200);
    store.clock.advance(1);
    const gone = await get('/box/cold');
    expectError(gone, archived('GLACIER'));
    expect(gone.headers['x-amz-restore']).toBeUndefined();
    expect((await get('/box/cold', 'HEAD')).headers['x-amz-restore']).toBeUndefined();
  });

  it('a copy that is there stays longer when it is restored again', async () => {
    await store.put('/box/longer', 'cold', { 'x-amz-storage-class': 'DEEP_ARCHIVE' });
    await restore('longer', 1);
    store.clock.advance(RESTORE_DELAY_MS);
    const again = await restore('longer', 10);
    expect(again.$metadata.httpStatusCode).toBe(200);
    store.clock.advance(9 * DAY_MS);
    expect((await get('/box/longer')).status).toBe(200);
  });

  it('out of a tier an object comes back for good', async () => {
    await store.put('/box/back', 'cold', tiered('ARCHIVE_ACCESS'));
    const body = '<RestoreRequest/>';
    const reply = await store.signed({ method: 'POST', path: '/box/back?restore=', body });
    expect(reply.status).toBe(202);
    expect((await get('/box/back')).status).toBe(403);
    store.clock.advance(RESTORE_DELAY_MS);
    const { status, headers } = await get('/box/back');
    expect(status).toBe(200);
    expect(headers['x-amz-archive-status']).toBeUndefined();
    store.clock.advance(365 * DAY_MS);
    expect((await get('/box/back')).status).toBe(200);
  });

  it('what is not archived cannot be restored', async () => {
    await store.put('/box/warm', 'warm');
    await expect(restore('warm', 1)).rejects.toMatchObject({ name: 'InvalidObjectState' });
  });

  it('row 174: a part of an archived object is archived, to HEAD too', async () => {
    expectError(await get('/box/GLACIER', 'GET', { range: 'bytes=0-1' }), archived('GLACIER'));
    expect((await get('/box/GLACIER?partNumber=1', 'HEAD')).status).toBe(403);
  });

  it('row 89: the archive comes before conditions to GET, and after them to HEAD', async () => {
    const headers = { 'if-none-match': '*' };
    expectError(await get('/box/GLACIER', 'GET', headers), archived('GLACIER'));
    expect((await get('/box/GLACIER', 'HEAD', headers)).status).toBe(304);
  });

  it('row 175: STANDARD is not said', async () => {
    const { headers } = await get('/box/warm');
    expect(headers['x-amz-storage-class']).toBeUndefined();
  });

  it.each([
    'STANDARD_IA',
    'ONEZONE_IA',
    'GLACIER_IR',
    'REDUCED_REDUNDANCY',
    'OUTPOSTS',
    'INTELLIGENT_TIERING',
  ])('row 176: %s is said, and readable', async storageClass => {
    await store.put('/box/classed', 'x', { 'x-amz-storage-class': storageClass });
    const reply = await get('/box/classed');
    expect(reply.status).toBe(200);
    expect(reply.headers['x-amz-storage-class']).toBe(storageClass);
  });

  it('row 177: an object that a rule will expire says when and by which rule', async () => {
    await store.put('/dated');
    await store.sdk().send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: 'dated',
        LifecycleConfiguration: {
          Rules: [
            {
              ID: 'old logs & more',
              Status: 'Enabled',
              Filter: { Prefix: 'logs/' },
              Expiration: { Days: 3 },
            },
            {
              ID: 'tagged',
              Status: 'Enabled',
              Filter: { Tag: { Key: 'a', Value: 'b' } },
              Expiration: { Days: 1 },
            },
            { ID: 'off', Status: 'Disabled', Filter: { Prefix: '' }, Expiration: { Days: 1 } },
          ],
        },
      }),
    );
    const put = await store.put('/dated/logs/1', 'x');
    const atMs = Math.ceil((store.clock.nowMs() + 3 * DAY_MS) / DAY_MS) * DAY_MS;
    const value = `expiry-date="${new Date(atMs).toUTCString()}", rule-id="old%20logs%20%26%20more"`;
    expect(put.headers['x-amz-expiration']).toBe(value);
    expect((await get('/dated/logs/1')).headers['x-amz-expiration']).toBe(value);
    await store.put('/dated/other', 'x', { 'x-amz-tagging': 'a=b' });
    expect((await get('/dated/other')).headers['x-amz-expiration']).toContain('rule-id="tagged"');
    await store.put('/dated/none', 'x');
    expect((await get('/dated/none')).headers['x-amz-expiration']).toBeUndefined();
  });

  it('rows 178 and 179: what is said of an object changes while its tag and date stay', async () => {
    await store.put('/box/changing', 'x', { 'x-amz-embedded-replication-status': 'PENDING' });
    const before = await get('/box/changing', 'HEAD');
    expect(before.headers['x-amz-replication-status']).toBe('PENDING');
    store.clock.advance(DAY_MS);
    await store.put('/box/changing?embedded-state=', '', {
      'x-amz-embedded-replication-status': 'COMPLETED',
      'x-amz-embedded-storage-class': 'GLACIER_IR',
    });
    await store.put(
      '/box/changing?tagging=',
      '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>',
    );
    const after = await get('/box/changing', 'HEAD');
    expect(after.headers).toMatchObject({
      etag: before.headers.etag,
      'last-modified': before.headers['last-modified'],
      'x-amz-replication-status': 'COMPLETED',
      'x-amz-storage-class': 'GLACIER_IR',
      'x-amz-tagging-count': '1',
    });
    await store.put('/box/changing?embedded-state=', '', { 'x-amz-embedded-replication-status': 'none' });
    expect((await get('/box/changing', 'HEAD')).headers['x-amz-replication-status']).toBeUndefined();
  });

  it('a storage class that is none is refused', async () => {
    const headers = { 'x-amz-storage-class': 'LUKEWARM' };
    const reply = await store.signed({ method: 'PUT', path: '/box/x', body: 'x', headers });
    expect(xmlText(reply.text, 'Code')).toBe('InvalidStorageClass');
  });
});
