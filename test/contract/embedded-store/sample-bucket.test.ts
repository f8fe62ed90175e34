import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SampleBucket, seedSampleBucket } from '../../../src/embedded-store/sample/sample-bucket.ts';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';

const MIB = 1024 ** 2;
let store: StoreUnderTest;
let sample: SampleBucket;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  sample = await seedSampleBucket(store.running.store);
});
afterAll(() => store.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  store.raw({ method, path: `/sample/${path}`, headers });
const customerKeyHeaders = () => ({
  'x-store-server-side-encryption-customer-algorithm': 'AES256',
  'x-store-server-side-encryption-customer-key': sample.customerKey,
  'x-store-server-side-encryption-customer-key-md5': sample.customerKeyMd5,
});

it.each([
  ['hello.txt', 200, {}],
  ['empty.bin', 200, { 'content-length': '0' }],
  ['video.bin', 200, { 'content-length': String(40 * MIB), etag: expect.stringMatching(/-5"$/) }],
  ['video.bin?partNumber=5', 206, { 'x-amz-mp-parts-count': '5', 'content-length': String(8 * MIB) }],
  ['parts.bin?partNumber=1', 206, { 'content-length': String(5 * MIB + 1) }],
  ['parts.bin?partNumber=3', 206, { 'content-length': '1000' }],
  ['versions.txt', 200, { 'x-amz-version-id': expect.stringMatching(/^.{32}$/) }],
  ['gone.txt', 404, { 'x-amz-delete-marker': 'true' }],
  ['archive.bin', 200, { 'x-amz-storage-class': 'GLACIER' }],
  ['tiered.bin', 200, { 'x-amz-archive-status': 'DEEP_ARCHIVE_ACCESS' }],
  ['restored.bin', 200, { 'x-amz-restore': expect.stringContaining('ongoing-request="false"') }],
  ['sealed.bin', 400, {}],
  ['private/report.txt', 403, {}],
])('HEAD of %s is %i', async (path, status, headers) => {
  const reply = await get(path, {}, 'HEAD');
  expect(reply.status).toBe(status);
  expect(reply.headers).toMatchObject(headers);
});

it.each([
  ['archive.bin', 'InvalidObjectState'],
  ['tiered.bin', 'InvalidObjectState'],
  ['gone.txt', 'NoSuchKey'],
  ['sealed.bin', 'InvalidRequest'],
  ['private/report.txt', 'AccessDenied'],
])('GET of %s is refused with %s', async (path, code) => {
  expect(xmlText((await get(path)).text, 'Code')).toBe(code);
});

it('has three versions of versions.txt', async () => {
  const versions = store.running.store.catalogue.all(
    'SELECT version_id FROM versions WHERE key = ? ORDER BY id',
    Buffer.from('versions.txt'),
  );
  const texts = [];
  for (const row of versions) {
    const reply = await store.signed({ path: `/sample/versions.txt?versionId=${row.version_id}` });
    texts.push(reply.text);
  }
  expect(texts).toEqual(['The first version.\n', 'The second version.\n', 'The third version.\n']);
});

it('opens sealed.bin with the key that the start prints', async () => {
  const reply = await get('sealed.bin', customerKeyHeaders());
  expect(reply).toMatchObject({ status: 200 });
  expect(reply.body).toHaveLength(256 * 1024);
  const range = await get('sealed.bin', { ...customerKeyHeaders(), range: 'bytes=1000-2000' });
  expect(range.body.equals(reply.body.subarray(1000, 2001))).toBe(true);
});

it('lists all of it to anonymous callers', async () => {
  const { text } = await store.raw({ path: '/sample?list-type=2' });
  expect([...text.matchAll(/<Key>([^<]*)</g)].map(([, key]) => key)).toEqual([
    'archive.bin',
    'empty.bin',
    'hello.txt',
    'parts.bin',
    'private/report.txt',
    'restored.bin',
    'sealed.bin',
    'tiered.bin',
    'versions.txt',
    'video.bin',
  ]);
});

it('stays as it is when it is filled again, but for the restored copy', async () => {
  const tags = async () => (await store.raw({ path: '/sample?list-type=2' })).text.match(/<ETag>.*?</g);
  const before = await tags();
  const video = createHash('sha256')
    .update((await get('video.bin')).body)
    .digest('hex');
  store.clock.advance(30 * 86_400_000);
  expect((await get('restored.bin')).status).toBe(403);
  await store.restart();
  await seedSampleBucket(store.running.store);
  expect(await tags()).toEqual(before);
  expect(
    createHash('sha256')
      .update((await get('video.bin')).body)
      .digest('hex'),
  ).toBe(video);
  expect((await get('restored.bin')).status).toBe(200);
});
