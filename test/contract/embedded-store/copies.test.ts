import { createHash, randomBytes } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWNER, StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';

const WRITER = {
  accessKeyId: 'writer',
  secretAccessKey: 'secret',
  grants: [{ actions: ['PutObject'] }, { actions: ['GetObject'], keys: ['open/**'] }],
};
const Bucket = 'box';
let store: StoreUnderTest;
let client: S3Client;

beforeAll(async () => {
  store = await StoreUnderTest.start({ accounts: [OWNER, WRITER] });
  client = store.sdk();
  await store.put('/box');
  await store.put('/box/open/from%20%C3%BC', 'content', {
    'content-type': 'text/plain',
    'x-amz-meta-a': 'b',
    'x-amz-tagging': 't=1',
    'x-amz-storage-class': 'STANDARD_IA',
  });
  await store.put('/box/closed', 'closed');
});
afterAll(() => store.stop());

const SOURCE = `box/${encodeURIComponent('open/from ü')}`;
const head = (Key: string) => client.send(new HeadObjectCommand({ Bucket, Key }));
const text = async (Key: string) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

it('takes over bytes, metadata and tags, but not the storage class', async () => {
  await client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: SOURCE }));
  expect(await text('copy')).toBe('content');
  const copied = await head('copy');
  expect(copied).toMatchObject({ ContentType: 'text/plain', Metadata: { a: 'b' }, TagCount: 1 });
  expect(copied.StorageClass).toBeUndefined();
});

it('takes metadata and tags from the request when it says so', async () => {
  await client.send(
    new CopyObjectCommand({
      Bucket,
      Key: 'replaced',
      CopySource: SOURCE,
      MetadataDirective: 'REPLACE',
      TaggingDirective: 'REPLACE',
      ContentType: 'text/css',
    }),
  );
  const copied = await head('replaced');
  expect(copied).toMatchObject({ ContentType: 'text/css', Metadata: {} });
  expect(copied.TagCount).toBeUndefined();
});

it('copies an object onto itself only with a change', async () => {
  const onto = (more: object) =>
    client.send(new CopyObjectCommand({ Bucket, Key: 'open/from ü', CopySource: SOURCE, ...more }));
  await expect(onto({})).rejects.toMatchObject({ name: 'InvalidRequest' });
  await onto({ MetadataDirective: 'REPLACE', Metadata: { a: 'c' } });
  expect(await head('open/from ü')).toMatchObject({ Metadata: { a: 'c' } });
  expect(await text('open/from ü')).toBe('content');
});

it('copies an older version by its id', async () => {
  await store.put('/kept');
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  await store.put('/kept?versioning=', body);
  const id = (await store.put('/kept/k', 'old')).headers['x-amz-version-id'];
  await store.put('/kept/k', 'new');
  const copied = await client.send(
    new CopyObjectCommand({ Bucket, Key: 'old', CopySource: `kept/k?versionId=${id}` }),
  );
  expect(copied.CopySourceVersionId).toBe(id);
  expect(await text('old')).toBe('old');
});

it('is refused to those who may not read the source', async () => {
  const copy = (source: string) =>
    store.signed({ method: 'PUT', path: '/box/theirs', headers: { 'x-amz-copy-source': source } }, WRITER);
  expect((await copy('/box/closed')).status).toBe(403);
  expect((await copy(SOURCE)).status).toBe(200);
});

it.each(['box', 'box/', '', '%zz/k'])('refuses the source %j', async source => {
  const headers = { 'x-amz-copy-source': source };
  const reply = await store.signed({ method: 'PUT', path: '/box/x', headers });
  expect(xmlText(reply.text, 'Code')).toBe('InvalidArgument');
});

it.each([
  [{ CopySourceIfMatch: '"other"' }, 412],
  [{ CopySourceIfNoneMatch: '*' }, 412],
  [{ CopySourceIfMatch: '*' }, 200],
])('judges the conditions %j on the source', async (conditions, status) => {
  const copy = client.send(new CopyObjectCommand({ Bucket, Key: 'cond', CopySource: SOURCE, ...conditions }));
  const outcome = await copy.then(
    () => 200,
    error => error.$metadata.httpStatusCode,
  );
  expect(outcome).toBe(status);
});

it('opens a sealed source and seals the copy with another key', async () => {
  const sse = (prefix: string, key: Buffer) => ({
    [`x-amz-${prefix}server-side-encryption-customer-algorithm`]: 'AES256',
    [`x-amz-${prefix}server-side-encryption-customer-key`]: key.toString('base64'),
    [`x-amz-${prefix}server-side-encryption-customer-key-md5`]: createHash('md5')
      .update(key)
      .digest('base64'),
  });
  const [one, other] = [randomBytes(32), randomBytes(32)];
  await store.put('/box/sealed', 'sealed', sse('', one));
  await store.put('/box/resealed', '', {
    'x-amz-copy-source': '/box/sealed',
    ...sse('copy-source-', one),
    ...sse('', other),
  });
  expect(await store.signed({ path: '/box/resealed', headers: sse('', other) })).toMatchObject({
    status: 200,
    text: 'sealed',
  });
});

it('copies ranges into the parts of an upload', async () => {
  const content = randomBytes(6 * 1024 ** 2);
  await store.put('/box/large', content);
  const target = { Bucket, Key: 'assembled' };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  const ranges = [`bytes=0-${5 * 1024 ** 2 - 1}`, `bytes=${5 * 1024 ** 2}-${content.length - 1}`];
  const Parts = [];
  for (const [index, CopySourceRange] of ranges.entries()) {
    const PartNumber = index + 1;
    const copy = { ...target, UploadId, PartNumber, CopySource: 'box/large', CopySourceRange };
    const { CopyPartResult } = await client.send(new UploadPartCopyCommand(copy));
    Parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
  }
  await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }));
  const got = await store.signed({ path: '/box/assembled' });
  expect(got.body.equals(content)).toBe(true);
});
