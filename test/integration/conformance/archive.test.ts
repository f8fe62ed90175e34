import { PutBucketLifecycleConfigurationCommand, RestoreObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { comparable } from '../../support/conformance/reply.ts';

const dayMs = 86_400_000;
const restoreDelayMs = 3 * 3_600_000;
const archived = (storageClass: string, tier?: string) => ({
  status: 403,
  error: {
    code: 'InvalidObjectState',
    message: `The action is not valid for the object's ${tier ? 'access tier' : 'storage class'}`,
    fields: { StorageClass: storageClass, ...(tier && { AccessTier: tier }) },
  },
});
const tiered = (tier: string) => ({
  'x-amz-storage-class': 'INTELLIGENT_TIERING',
  'x-amz-embedded-access-tier': tier,
});

describe.each(crossedDialects)('docs/semantics.md, section 8: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      store: { restoreDelayMs },
      buckets: { box: {} },
      // longer than a restored copy stays
      gateway: { policy: { ttlMs: 100 * dayMs, maxTtlMs: 100 * dayMs } },
    });
    await lab.store.put('/box');
  });
  afterAll(() => lab.stop());

  const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    lab.agree({ method, path, headers });
  const restore = (Key: string, Days: number) =>
    lab.store.sdk().send(new RestoreObjectCommand({ Bucket: 'box', Key, RestoreRequest: { Days } }));

  it.each(['GLACIER', 'DEEP_ARCHIVE'])(
    'rows 165, 168 and 212, Decided 14: of an object in %s, GET is refused and HEAD is not',
    async storageClass => {
      await lab.store.put(`/box/${storageClass}`, 'cold', { 'x-amz-storage-class': storageClass });
      const { reply, cache } = await ask(`/box/${storageClass}`);
      expect(reply).toMatchObject(archived(storageClass));
      expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT', 'after HEAD': 'MISS' });
      const head = await ask(`/box/${storageClass}`, 'HEAD');
      expect(head.reply).toMatchObject({ status: 200, text: '', fields: { 'storage-class': storageClass } });
      expect(head.reply.fields.restore).toBeUndefined();
      expect(head.cache).toMatchObject({ again: 'HIT', 'after HEAD': 'HIT', 'after GET': 'MISS' });
    },
  );

  it('both verdicts are remembered beside each other', async () => {
    lab.forget();
    await lab.ask({ path: '/box/GLACIER' });
    await lab.ask({ path: '/box/GLACIER', method: 'HEAD' });
    const get = await lab.ask({ path: '/box/GLACIER' });
    expect(get).toMatchObject({ status: 403, headers: { 'x-cache': 'HIT' } });
    const head = await lab.ask({ path: '/box/GLACIER', method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, headers: { 'x-cache': 'HIT' } });
  });

  it.each(['ARCHIVE_ACCESS', 'DEEP_ARCHIVE_ACCESS'])('rows 166 and 173: an object in %s', async tier => {
    await lab.store.put(`/box/${tier}`, 'cold', tiered(tier));
    expect((await ask(`/box/${tier}`)).reply).toMatchObject(archived('INTELLIGENT_TIERING', tier));
    const { reply } = await ask(`/box/${tier}`, 'HEAD');
    expect(reply).toMatchObject({
      status: 200,
      fields: { 'storage-class': 'INTELLIGENT_TIERING', 'archive-status': tier },
    });
  });

  it('rows 167 to 172: from the archive, restored for some days, and gone again, whatever the cache held', async () => {
    await lab.store.put('/box/cold', 'cold', { 'x-amz-storage-class': 'GLACIER' });
    await restore('cold', 2);
    expect((await ask('/box/cold')).reply).toMatchObject(archived('GLACIER'));
    const ongoing = await ask('/box/cold', 'HEAD');
    expect(ongoing.reply.fields.restore).toBe('ongoing-request="true"');

    lab.store.clock.advance(restoreDelayMs);
    lab.forget();
    const expiryMs = Math.ceil((lab.store.clock.nowMs() + 2 * dayMs) / dayMs) * dayMs;
    const value = `ongoing-request="false", expiry-date="${new Date(expiryMs).toUTCString()}"`;
    expect(value).toContain('00:00:00 GMT');
    const restored = await ask('/box/cold');
    expect(restored.reply).toMatchObject({ status: 200, text: 'cold', fields: { restore: value } });
    expect(restored.cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
    expect((await ask('/box/cold', 'HEAD')).reply.fields.restore).toBe(value);

    lab.store.clock.advance(expiryMs - lab.store.clock.nowMs() - 1);
    expect((await lab.ask({ path: '/box/cold' })).headers['x-cache']).toBe('HIT');
    lab.store.clock.advance(1);
    const gone = await lab.ask({ path: '/box/cold' });
    expect(gone).toMatchObject(archived('GLACIER'));
    expect(gone.fields.restore).toBeUndefined();
    expect((await ask('/box/cold', 'HEAD')).reply.fields.restore).toBeUndefined();
  });

  it('a copy that has been restored is read as soon as the negative time to live is over', async () => {
    await lab.store.put('/box/soon', 'cold', { 'x-amz-storage-class': 'DEEP_ARCHIVE' });
    await restore('soon', 1);
    lab.store.clock.advance(restoreDelayMs - 5_000);
    expect(await lab.ask({ path: '/box/soon' })).toMatchObject(archived('DEEP_ARCHIVE'));
    lab.store.clock.advance(5_000);
    expect(await lab.ask({ path: '/box/soon' })).toMatchObject({ status: 200, text: 'cold' });
  });

  it.each(['ARCHIVE_ACCESS', 'DEEP_ARCHIVE_ACCESS'])(
    'row 167: a restore out of %s that is going on is refused in the same form',
    async tier => {
      await lab.store.put(`/box/${tier}/going`, 'cold', tiered(tier));
      const body = '<RestoreRequest/>';
      await lab.store.signed({ method: 'POST', path: `/box/${tier}/going?restore=`, body });
      const { reply, cache } = await ask(`/box/${tier}/going`);
      expect(reply).toMatchObject(archived('INTELLIGENT_TIERING', tier));
      expect(cache.again).toBe('HIT');
      const head = await ask(`/box/${tier}/going`, 'HEAD');
      expect(head.reply.fields.restore).toBe('ongoing-request="true"');
    },
  );

  it('out of a tier an object comes back for good', async () => {
    await lab.store.put('/box/back', 'cold', tiered('ARCHIVE_ACCESS'));
    await lab.ask({ path: '/box/back' });
    await lab.ask({ path: '/box/back', method: 'HEAD' });
    await lab.store.signed({ method: 'POST', path: '/box/back?restore=', body: '<RestoreRequest/>' });
    lab.store.clock.advance(restoreDelayMs);
    const { reply } = await ask('/box/back');
    expect(reply).toMatchObject({ status: 200, text: 'cold' });
    expect(reply.fields['archive-status']).toBeUndefined();
  });

  it('row 174: a range or a part of an archived object is archived, a part to HEAD too', async () => {
    await lab.store.put('/box/whole', 'cold', { 'x-amz-storage-class': 'GLACIER' });
    const range = await ask('/box/whole', 'GET', { range: 'bytes=0-1' });
    expect(range.reply).toMatchObject(archived('GLACIER'));
    expect((await ask('/box/whole?partNumber=1')).reply).toMatchObject(archived('GLACIER'));
    expect((await ask('/box/whole?partNumber=1', 'HEAD')).reply.status).toBe(403);
    expect((await ask('/box/whole', 'HEAD', { range: 'bytes=0-1' })).reply.status).toBe(206);
  });

  it('row 175: STANDARD is not said', async () => {
    await lab.store.put('/box/standard', 'x');
    for (const method of ['GET', 'HEAD']) {
      expect((await ask('/box/standard', method)).reply.fields['storage-class']).toBeUndefined();
    }
  });

  it.each([
    'REDUCED_REDUNDANCY',
    'STANDARD_IA',
    'ONEZONE_IA',
    'GLACIER_IR',
    'OUTPOSTS',
    'INTELLIGENT_TIERING',
  ])('row 176: %s is said, and readable', async storageClass => {
    await lab.store.put('/box/classed', 'x', { 'x-amz-storage-class': storageClass });
    const { reply } = await ask('/box/classed');
    expect(reply).toMatchObject({ status: 200, text: 'x', fields: { 'storage-class': storageClass } });
  });

  it('row 177: an object that a rule will expire says when and by which rule', async () => {
    const rule = {
      ID: 'old logs & more',
      Status: 'Enabled' as const,
      Filter: { Prefix: 'logs/' },
      Expiration: { Days: 3 },
    };
    await lab.store.sdk().send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: 'box',
        LifecycleConfiguration: { Rules: [rule] },
      }),
    );
    await lab.store.put('/box/logs/1', 'x');
    const { reply } = await ask('/box/logs/1');
    expect(reply.fields.expiration).toMatch(/^expiry-date="[^"]+GMT", rule-id="old%20logs%20%26%20more"$/);
    expect((await ask('/box/standard')).reply.fields.expiration).toBeUndefined();
  });

  it.each(['PENDING', 'COMPLETE', 'COMPLETED', 'FAILED', 'REPLICA'])(
    'row 179: replication is %s',
    async status => {
      await lab.store.put('/box/copied', 'x', { 'x-amz-embedded-replication-status': status });
      const { reply } = await ask('/box/copied');
      expect(reply.fields['replication-status']).toBe(status);
    },
  );

  it('row 179: of what no rule copies, nothing is said', async () => {
    await lab.store.put('/box/kept', 'x');
    expect((await ask('/box/kept')).reply.fields['replication-status']).toBeUndefined();
  });
});

describe('docs/semantics.md, States and transitions', () => {
  it('reading changes nothing at the store', async () => {
    const lab = await Lab.start({ buckets: { box: {} } });
    await lab.store.put('/box');
    const versioning = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await lab.store.put('/box?versioning=', versioning);
    await lab.store.put('/box/readable', 'x');
    await lab.store.put('/box/archived', 'x', { 'x-amz-storage-class': 'GLACIER' });
    await lab.store.put('/box/tiered', 'x', tiered('ARCHIVE_ACCESS'));
    await lab.store.signed({ method: 'DELETE', path: '/box/gone' });
    const paths = ['readable', 'archived', 'tiered', 'gone', 'none'].map(key => `/box/${key}`);
    const state = async () => {
      const versions = await lab.askStore({ path: '/box?versions=' });
      const heads = await Promise.all(paths.map(path => lab.askStore({ path, method: 'HEAD' })));
      return [versions.text, ...heads.map(comparable)];
    };
    const before = await state();
    for (const path of paths) await lab.agree({ path });
    expect(await state()).toEqual(before);
    await lab.stop();
  });
});

describe('docs/semantics.md, section 8: what changes while the bytes do not', () => {
  it('rows 178, 179 and 282: revalidation brings the new headers and keeps the bytes', async () => {
    const lab = await Lab.start({ buckets: { box: {} } });
    await lab.store.put('/box', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
    await lab.store.put('/box/k', 'the same bytes', { 'x-amz-embedded-replication-status': 'PENDING' });
    const before = await lab.ask({ path: '/box/k' });
    expect(before.fields['replication-status']).toBe('PENDING');
    const bytes = await lab.bytes();
    await lab.store.put('/box/k?embedded-state=', '', {
      'x-amz-embedded-replication-status': 'COMPLETED',
      'x-amz-embedded-storage-class': 'GLACIER_IR',
    });
    const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    await lab.store.put('/box/k?tagging=', tags);
    await lab.store.put('/box/k?legal-hold=', '<LegalHold><Status>ON</Status></LegalHold>');
    lab.store.clock.advance(60_000);
    const after = await lab.ask({ path: '/box/k' });
    expect(after).toMatchObject({ text: 'the same bytes', headers: { 'x-cache': 'REVALIDATED' } });
    expect(after.headers).toMatchObject({
      etag: before.headers.etag,
      'last-modified': before.headers['last-modified'],
    });
    expect(after.fields).toMatchObject({
      'replication-status': 'COMPLETED',
      'storage-class': 'GLACIER_IR',
      'tagging-count': '1',
      'object-lock-legal-hold': 'ON',
    });
    expect(await lab.bytes()).toBe(bytes);
    await lab.stop();
  });
});
