import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filesBelow } from '../../support/embedded-store/files-below.ts';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';

const MIB = 1024 ** 2;
let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
});
afterAll(() => store.stop());

const blobs = () => filesBelow(join(store.directory, 'blobs'));
const newest = async (before: readonly string[]) => {
  const [added] = (await blobs()).filter(path => !before.includes(path));
  return added ?? '';
};

it('keeps objects, versions, settings and unfinished uploads across restarts', async () => {
  await store.put('/kept');
  await store.put(
    '/kept?versioning=',
    '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
  );
  const { headers } = await store.put('/kept/k', 'one', { 'x-amz-meta-a': 'b' });
  await store.put('/kept/k', 'two');
  const begun = await store.signed({ method: 'POST', path: '/kept/parts?uploads=' });
  const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(begun.text)?.[1];
  await store.put(`/kept/parts?uploadId=${uploadId}&partNumber=1`, 'part');
  await store.restart();
  const version = headers['x-amz-version-id'];
  const old = await store.signed({ path: `/kept/k?versionId=${version}` });
  expect(old).toMatchObject({ status: 200, text: 'one' });
  expect(old.headers['x-amz-meta-a']).toBe('b');
  expect((await store.signed({ path: '/kept/k' })).text).toBe('two');
  const parts = await store.signed({ path: `/kept/parts?uploadId=${uploadId}` });
  expect(parts.text).toContain('<PartNumber>1</PartNumber>');
});

it('sweeps files that no object refers to when it starts', async () => {
  const before = await blobs();
  await mkdir(join(store.directory, 'blobs', 'zz'), { recursive: true });
  await writeFile(join(store.directory, 'blobs', 'zz', 'zz-orphan'), 'left by a crash');
  await writeFile(join(store.directory, 'incoming', 'half'), 'left by a crash');
  await store.restart();
  expect((await blobs()).sort()).toEqual([...before].sort());
  expect(await filesBelow(join(store.directory, 'incoming'))).toEqual([]);
});

it('leaves no file behind when objects are overwritten, deleted or refused', async () => {
  const before = await blobs();
  await store.put('/box/passing', 'one');
  await store.put('/box/passing', 'two');
  await store.signed({ method: 'PUT', path: '/box/passing', body: 'x', headers: { 'content-md5': 'AAAA' } });
  await store.signed({ method: 'DELETE', path: '/box/passing' });
  await expect.poll(async () => (await blobs()).sort()).toEqual([...before].sort());
  expect(await filesBelow(join(store.directory, 'incoming'))).toEqual([]);
});

it('never writes a customer key, nor what it seals', async () => {
  const key = randomBytes(32);
  const secret = `a sentence that must not be found: ${randomBytes(16).toString('hex')}`;
  await store.put('/box/sealed', secret, {
    'x-amz-server-side-encryption-customer-algorithm': 'AES256',
    'x-amz-server-side-encryption-customer-key': key.toString('base64'),
    'x-amz-server-side-encryption-customer-key-md5': createHash('md5').update(key).digest('base64'),
  });
  for (const path of await filesBelow(store.directory)) {
    const bytes = await readFile(path);
    for (const trace of [secret, key, key.toString('base64'), key.toString('hex')]) {
      expect(bytes.includes(trace)).toBe(false);
    }
  }
});

it('cuts the connection rather than ending short when a file has lost its end', async () => {
  const before = await blobs();
  await store.put('/box/torn', Buffer.alloc(3 * MIB), { 'x-amz-acl': 'public-read' });
  await truncate(await newest(before), MIB);
  await expect(store.raw({ path: '/box/torn' })).rejects.toThrow();
});

it('gives a slow reader the object it began, whatever happens to the key', async () => {
  const content = randomBytes(16 * MIB);
  await store.put('/box/slow', content, { 'x-amz-acl': 'public-read' });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const { hostname, port } = new URL(store.url);
  const reader = request({ hostname, port, path: '/box/slow' }, response => {
    response.pause();
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', reject);
    const overwritten = store.put('/box/slow', 'something else');
    overwritten.then(() => response.resume(), reject);
  });
  reader.end();
  expect((await promise).equals(content)).toBe(true);
  expect((await store.signed({ path: '/box/slow' })).text).toBe('something else');
});

it('reads no more of an object than its reader takes', async () => {
  await store.put('/box/large', Buffer.alloc(64 * MIB), { 'x-amz-acl': 'public-read' });
  const { promise, resolve } = Promise.withResolvers<void>();
  const { hostname, port } = new URL(store.url);
  const before = process.memoryUsage().arrayBuffers;
  const reader = request({ hostname, port, path: '/box/large' }, response => {
    response.pause();
    response.once('readable', resolve);
  });
  reader.end();
  await promise;
  // a second whole read passes while the first one stalls
  expect((await store.raw({ path: '/box/large', headers: { range: 'bytes=0-9' } })).status).toBe(206);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MIB);
  reader.destroy();
});

it('lets go of what a reader held that went away', async () => {
  const before = await blobs();
  await store.put('/box/left', Buffer.alloc(64 * MIB), { 'x-amz-acl': 'public-read' });
  const { promise, resolve } = Promise.withResolvers<void>();
  const { hostname, port } = new URL(store.url);
  const reader = request({ hostname, port, path: '/box/left' }, response => {
    response.on('error', () => undefined);
    response.once('data', () => {
      response.destroy();
      resolve();
    });
  });
  reader.end();
  await promise;
  await store.signed({ method: 'DELETE', path: '/box/left' });
  await expect.poll(async () => (await blobs()).sort()).toEqual([...before].sort());
});
