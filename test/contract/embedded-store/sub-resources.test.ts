import {
  DeleteBucketCommand,
  DeleteBucketCorsCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketRequestPaymentCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectLegalHoldCommand,
  GetObjectRetentionCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';

const Bucket = 'box';
let store: StoreUnderTest;
let client: S3Client;

beforeAll(async () => {
  store = await StoreUnderTest.start({ ownerId: '111122223333', region: 'us-east-1' });
  client = store.sdk();
  await store.put('/box');
  await store.put('/box/k', 'k', { 'x-amz-tagging': 'a=1' });
});
afterAll(() => store.stop());

describe('of objects', () => {
  it('tags are read, replaced and removed', async () => {
    const tags = async () => (await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'k' }))).TagSet;
    expect(await tags()).toEqual([{ Key: 'a', Value: '1' }]);
    const TagSet = [
      { Key: 'b', Value: ' <2> ' },
      { Key: 'c', Value: '' },
    ];
    await client.send(new PutObjectTaggingCommand({ Bucket, Key: 'k', Tagging: { TagSet } }));
    expect(await tags()).toEqual(TagSet);
    await client.send(new DeleteObjectTaggingCommand({ Bucket, Key: 'k' }));
    expect(await tags()).toEqual([]);
  });

  it.each([
    [Array.from({ length: 11 }, (_, i) => ({ Key: String(i), Value: '' })), 'BadRequest'],
    [
      [
        { Key: 'a', Value: '1' },
        { Key: 'a', Value: '2' },
      ],
      'InvalidTag',
    ],
    [[{ Key: 'x'.repeat(129), Value: '' }], 'InvalidTag'],
  ])('tags that an object cannot have are refused', async (TagSet, name) => {
    const put = client.send(new PutObjectTaggingCommand({ Bucket, Key: 'k', Tagging: { TagSet } }));
    await expect(put).rejects.toMatchObject({ name });
  });

  it('a list of permissions is canned, and shown in full', async () => {
    await client.send(new PutObjectAclCommand({ Bucket, Key: 'k', ACL: 'public-read' }));
    const { Owner, Grants } = await client.send(new GetObjectAclCommand({ Bucket, Key: 'k' }));
    expect(Owner?.ID).toBe('111122223333');
    expect(Grants?.map(({ Grantee, Permission }) => [Grantee?.Type, Grantee?.URI, Permission])).toEqual([
      ['CanonicalUser', undefined, 'FULL_CONTROL'],
      ['Group', 'http://acs.amazonaws.com/groups/global/AllUsers', 'READ'],
    ]);
    expect((await store.raw({ path: '/box/k' })).status).toBe(200);
    await client.send(new PutObjectAclCommand({ Bucket, Key: 'k', ACL: 'private' }));
    expect((await store.raw({ path: '/box/k' })).status).toBe(403);
  });
});

describe('locks', () => {
  const locked = { Bucket: 'locked', Key: 'k' };
  const until = () => new Date(store.clock.nowMs() + 86_400_000);
  beforeAll(async () => {
    await store.put('/locked', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
  });
  const putVersion = async () =>
    (await client.send(new PutObjectCommand({ ...locked, Body: 'x' }))).VersionId ?? '';

  it('a legal hold keeps a version until it is lifted', async () => {
    const VersionId = await putVersion();
    const hold = (Status: 'ON' | 'OFF') =>
      client.send(new PutObjectLegalHoldCommand({ ...locked, VersionId, LegalHold: { Status } }));
    await hold('ON');
    const { LegalHold } = await client.send(new GetObjectLegalHoldCommand({ ...locked, VersionId }));
    expect(LegalHold?.Status).toBe('ON');
    expect(await client.send(new HeadObjectCommand({ ...locked, VersionId }))).toMatchObject({
      ObjectLockLegalHoldStatus: 'ON',
    });
    const remove = () => client.send(new DeleteObjectCommand({ ...locked, VersionId }));
    await expect(remove()).rejects.toMatchObject({ name: 'AccessDenied' });
    await hold('OFF');
    await remove();
  });

  it('retention can be made longer, and shorter only by those who may overrule it', async () => {
    const VersionId = await putVersion();
    const retain = (RetainUntilDate: Date, BypassGovernanceRetention?: boolean) =>
      client.send(
        new PutObjectRetentionCommand({
          ...locked,
          VersionId,
          Retention: { Mode: 'GOVERNANCE', RetainUntilDate },
          BypassGovernanceRetention,
        }),
      );
    await retain(until());
    const { Retention } = await client.send(new GetObjectRetentionCommand({ ...locked, VersionId }));
    expect(Retention).toEqual({ Mode: 'GOVERNANCE', RetainUntilDate: until() });
    await retain(new Date(until().getTime() + 1000));
    await expect(retain(until())).rejects.toMatchObject({ name: 'AccessDenied' });
    await retain(until(), true);
    await expect(client.send(new DeleteObjectCommand({ ...locked, VersionId }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    await client.send(new DeleteObjectCommand({ ...locked, VersionId, BypassGovernanceRetention: true }));
  });

  it('need a bucket made for them', async () => {
    const LegalHold = { Status: 'ON' as const };
    const put = client.send(new PutObjectLegalHoldCommand({ Bucket, Key: 'k', LegalHold }));
    await expect(put).rejects.toMatchObject({ name: 'InvalidRequest' });
    const suspended = { Bucket: 'locked', VersioningConfiguration: { Status: 'Suspended' as const } };
    await expect(client.send(new PutBucketVersioningCommand(suspended))).rejects.toMatchObject({
      name: 'InvalidBucketState',
    });
  });
});

describe('of buckets', () => {
  it('a bucket is made once, found, listed, and removed when it is empty', async () => {
    await store.put('/passing');
    const again = await store.signed({ method: 'PUT', path: '/passing' });
    expect(again.text).toContain('<Code>BucketAlreadyOwnedByYou</Code>');
    expect((await client.send(new HeadBucketCommand({ Bucket: 'passing' }))).BucketRegion).toBe('us-east-1');
    const names = (await client.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name);
    expect(names).toContain('passing');
    await store.put('/passing/k', 'k');
    const remove = () => client.send(new DeleteBucketCommand({ Bucket: 'passing' }));
    await expect(remove()).rejects.toMatchObject({ name: 'BucketNotEmpty' });
    await store.signed({ method: 'DELETE', path: '/passing/k' });
    await remove();
    await expect(client.send(new HeadBucketCommand({ Bucket: 'passing' }))).rejects.toMatchObject({
      name: 'NotFound',
    });
  });

  it.each(['UPPER', 'ab', 'x'.repeat(64), '-start', 'under_score'])('%s is no name', async name => {
    const reply = await store.signed({ method: 'PUT', path: `/${name}` });
    expect(reply.text).toContain('<Code>InvalidBucketName</Code>');
  });

  it('anonymous callers neither make nor list buckets', async () => {
    expect((await store.raw({ method: 'PUT', path: '/theirs' })).status).toBe(403);
    expect((await store.raw({ path: '/' })).status).toBe(403);
  });

  it('tells its settings', async () => {
    expect((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBeUndefined();
    expect((await client.send(new GetBucketVersioningCommand({ Bucket: 'locked' }))).Status).toBe('Enabled');
    expect((await client.send(new GetBucketRequestPaymentCommand({ Bucket }))).Payer).toBe('BucketOwner');
    expect((await client.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBeFalsy();
    expect((await client.send(new GetBucketAclCommand({ Bucket }))).Grants).toHaveLength(1);
  });

  it('keeps rules for other origins', async () => {
    const CORSRules = [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'], MaxAgeSeconds: 5, ID: 'one' }];
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
    expect((await client.send(new GetBucketCorsCommand({ Bucket }))).CORSRules).toEqual(CORSRules);
    await client.send(new DeleteBucketCorsCommand({ Bucket }));
    await expect(client.send(new GetBucketCorsCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NoSuchCORSConfiguration',
    });
  });

  it('keeps rules for the end of objects', async () => {
    const Expiration = { Date: new Date(Date.UTC(2099, 0, 1)) };
    const Rules = [{ ID: 'one', Status: 'Enabled' as const, Filter: { Prefix: 'k' }, Expiration }];
    const put = { Bucket, LifecycleConfiguration: { Rules } };
    await client.send(new PutBucketLifecycleConfigurationCommand(put));
    const kept = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
    expect(kept.Rules).toMatchObject([{ ID: 'one', Status: 'Enabled', Expiration }]);
    const { headers } = await store.signed({ path: '/box/k' });
    expect(headers['x-amz-expiration']).toBe('expiry-date="Thu, 01 Jan 2099 00:00:00 GMT", rule-id="one"');
    await client.send(new DeleteBucketLifecycleCommand({ Bucket }));
    await expect(client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NoSuchLifecycleConfiguration',
    });
  });

  it('deletes many keys at once and tells of each', async () => {
    await store.put('/box/one', '1');
    const held = await client.send(
      new PutObjectCommand({ Bucket: 'locked', Key: 'held', Body: 'x', ObjectLockLegalHoldStatus: 'ON' }),
    );
    const Objects = [{ Key: 'one' }, { Key: 'never-there' }];
    const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted?.map(({ Key }) => Key)).toEqual(['one', 'never-there']);
    await expect(client.send(new GetObjectCommand({ Bucket, Key: 'one' }))).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
    const refused = await client.send(
      new DeleteObjectsCommand({
        Bucket: 'locked',
        Delete: { Objects: [{ Key: 'held', VersionId: held.VersionId }] },
      }),
    );
    expect(refused.Errors).toMatchObject([{ Key: 'held', Code: 'AccessDenied' }]);
  });
});

describe('listings', () => {
  beforeAll(async () => {
    await store.put('/listed');
    for (const key of ['a', 'b/1', 'b/2', 'c/1', 'd']) await store.put(`/listed/${key}`, key);
  });

  it('go on page by page, with keys and common prefixes in one order', async () => {
    const seen: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: 'listed', Delimiter: '/', MaxKeys: 2, ContinuationToken }),
      );
      expect(page.KeyCount).toBeLessThanOrEqual(2);
      const keys = page.Contents?.map(({ Key }) => Key) ?? [];
      const prefixes = page.CommonPrefixes?.map(({ Prefix }) => Prefix) ?? [];
      seen.push(...[...keys, ...prefixes].sort());
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    expect(seen).toEqual(['a', 'b/', 'c/', 'd']);
  });

  it('begin behind a key', async () => {
    const list = await client.send(new ListObjectsV2Command({ Bucket: 'listed', StartAfter: 'b/1' }));
    expect(list.Contents?.map(({ Key }) => Key)).toEqual(['b/2', 'c/1', 'd']);
    expect(list.StartAfter).toBe('b/1');
  });

  it('name the owner when asked', async () => {
    const list = (FetchOwner: boolean) =>
      client.send(new ListObjectsV2Command({ Bucket: 'listed', FetchOwner, MaxKeys: 1 }));
    expect((await list(true)).Contents?.[0]?.Owner?.ID).toBe('111122223333');
    expect((await list(false)).Contents?.[0]?.Owner).toBeUndefined();
  });

  it('of the first version go on behind a marker', async () => {
    const first = await client.send(new ListObjectsCommand({ Bucket: 'listed', Delimiter: '/', MaxKeys: 2 }));
    expect(first.NextMarker).toBe('b/');
    const rest = await client.send(
      new ListObjectsCommand({ Bucket: 'listed', Delimiter: '/', Marker: first.NextMarker }),
    );
    expect(rest.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['c/']);
    expect(rest.Contents?.map(({ Key }) => Key)).toEqual(['d']);
  });

  it('of nothing are not truncated', async () => {
    const list = await client.send(new ListObjectsV2Command({ Bucket: 'listed', MaxKeys: 0 }));
    expect(list).toMatchObject({ IsTruncated: false, KeyCount: 0 });
  });

  it.each([
    ['list-type=2&continuation-token=nonsense!', 'continuation-token'],
    ['list-type=2&max-keys=x', 'max-keys'],
    ['list-type=2&encoding-type=base64', 'encoding-type'],
  ])('refuse %s', async (query, argument) => {
    const reply = await store.signed({ path: `/listed?${query}` });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(`<ArgumentName>${argument}</ArgumentName>`);
  });
});
