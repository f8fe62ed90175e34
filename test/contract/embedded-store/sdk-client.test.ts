import { randomBytes } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';

let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.sdk().send(new CreateBucketCommand({ Bucket: 'photos' }));
});
afterAll(() => store.stop());

it('gives the AWS SDK back what it put, with its headers and metadata', async () => {
  const client = store.sdk();
  const Body = randomBytes(3_000_000);
  const target = { Bucket: 'photos', Key: 'a//b/../ü +%.bin' };
  const put = await client.send(
    new PutObjectCommand({
      ...target,
      Body,
      ContentType: 'image/png',
      CacheControl: 'max-age=60',
      Metadata: { colour: 'blue' },
      StorageClass: 'STANDARD_IA',
    }),
  );
  const got = await client.send(new GetObjectCommand(target));
  expect(got).toMatchObject({
    ETag: put.ETag,
    ContentType: 'image/png',
    CacheControl: 'max-age=60',
    Metadata: { colour: 'blue' },
    StorageClass: 'STANDARD_IA',
    ChecksumCRC32: put.ChecksumCRC32,
  });
  expect(Body.equals((await got.Body?.transformToByteArray()) ?? Buffer.of())).toBe(true);
  const head = await client.send(new HeadObjectCommand(target));
  expect(head).toMatchObject({ ContentLength: Body.length, ETag: put.ETag });
  const list = await client.send(new ListObjectsV2Command({ Bucket: 'photos', Prefix: 'a/' }));
  expect(list.Contents).toMatchObject([{ Key: target.Key, Size: Body.length, ETag: put.ETag }]);
  await client.send(new DeleteObjectCommand(target));
  await expect(client.send(new GetObjectCommand(target))).rejects.toMatchObject({ name: 'NoSuchKey' });
});
