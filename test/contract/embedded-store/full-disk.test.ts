import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { isDiskFull } from '../../../src/embedded-store/disk/disk-full.ts';
import { NULL_VERSION } from '../../../src/embedded-store/disk/versions.ts';
import { seedSampleBucket } from '../../../src/embedded-store/sample/sample-bucket.ts';
import { OWNER, StoreUnderTest, signWithSdk } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const MIB = 1024 ** 2;
const VERSIONED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';

let store: StoreUnderTest;
let lines: { level: string; msg: string; directory?: string; freeBytes?: number }[];

const sink = { write: (line: string) => void lines.push(JSON.parse(line)), flush: () => undefined };
const logger = createLogger({ level: 'debug', sink });

async function begin(options: { readonly directory?: string } = {}): Promise<void> {
  lines = [];
  store = await StoreUnderTest.start({ logger, ...options });
  await store.put('/box');
}
const spare = () => store.running.store.spare;
const answered = async (method: string, path: string, body?: string) => {
  const { status, text } = await store.signed({ method, path, ...(body !== undefined && { body }) });
  return { status, code: xmlText(text, 'Code') };
};
const full = { status: 507, code: 'XMinioStorageFull' };

/** An upload of 3 MiB, of which the first has arrived. */
async function halfAnUpload(): Promise<Socket> {
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'content-length': String(3 * MIB) };
  const request = { method: 'PUT', path: '/box/half', headers };
  const signed = await signWithSdk(store.url, request, OWNER, store.clock.nowMs());
  const fields = Object.entries({ host: new URL(store.url).host, ...signed.headers });
  const { hostname, port } = new URL(store.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const { blobs } = store.running.store;
  const begun = vi.spyOn(blobs, 'draft');
  socket.write(
    `PUT /box/half HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  socket.write(Buffer.alloc(MIB));
  await turnsUntil('the upload has begun', () => begun.mock.results.length > 0);
  await begun.mock.results[0]?.value;
  return socket;
}

describe('while the room for deletions cannot be had', () => {
  beforeEach(async () => {
    await begin();
    await store.put('/box/k', 'kept');
    await store.put('/versions');
    await store.put('/versions?versioning=', VERSIONED);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await store.stop();
  });

  it('what needs room is refused with 507, and what gives room is done', async () => {
    const { headers } = await store.put('/versions/k', 'one');
    const begun = await store.signed({ method: 'POST', path: '/box/parts?uploads=' });
    const uploadId = xmlText(begun.text, 'UploadId');
    vi.spyOn(spare(), 'keep').mockReturnValue(false);
    expect(await answered('PUT', '/box/more', 'more')).toEqual(full);
    expect(await answered('PUT', `/box/parts?uploadId=${uploadId}&partNumber=1`, 'part')).toEqual(full);
    expect(await answered('POST', '/box/parts?uploads=')).toEqual(full);
    expect(await answered('PUT', '/more')).toEqual(full);
    // a delete marker
    expect(await answered('DELETE', '/versions/k')).toEqual(full);
    expect((await store.signed({ path: '/box/k' })).text).toBe('kept');
    for (const path of [
      '/box/k',
      `/box/parts?uploadId=${uploadId}`,
      `/versions/k?versionId=${headers['x-amz-version-id']}`,
      '/box',
      '/versions',
    ])
      expect([path, (await answered('DELETE', path)).status]).toEqual([path, 204]);
  });

  it('the log names the directory and what is free, not as often as clients like', async () => {
    vi.spyOn(spare(), 'keep').mockReturnValue(false);
    for (let i = 0; i < 15; i++) await answered('PUT', '/box/more', 'more');
    expect(lines).toHaveLength(10);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      msg: 'the disk of the embedded store is full',
      directory: store.directory,
      freeBytes: expect.any(Number),
    });
  });

  it('a sample bucket that cannot be filled does not keep the store from starting', async () => {
    vi.spyOn(spare(), 'keep').mockReturnValue(false);
    expect(await seedSampleBucket(store.running.store)).toMatchObject({ bucket: 'sample' });
    expect(lines).toMatchObject([{ level: 'warn', directory: store.directory }]);
  });

  it('bytes on their way take nothing of it', async () => {
    const socket = await halfAnUpload();
    vi.spyOn(spare(), 'keep').mockReturnValue(false);
    const answer = new Promise<string>(resolve => socket.once('data', data => resolve(String(data))));
    // not the rest of it
    socket.write(Buffer.alloc(MIB));
    expect(xmlText(await answer, 'Code')).toBe('XMinioStorageFull');
    socket.destroy();
    vi.restoreAllMocks();
    expect((await store.signed({ path: '/box/half' })).status).toBe(404);
    await store.put('/box/half', 'there is room again');
  });
});

it('a client that leaves in the middle of its upload is no error', async () => {
  await begin();
  const socket = await halfAnUpload();
  socket.destroy();
  await turnsUntil('the store has seen it', () => lines.length > 0);
  expect(lines[0]).toMatchObject({ level: 'debug', msg: 'a client of the embedded store left' });
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  vi.restoreAllMocks();
  await store.stop();
});

const mounts: string[] = [];
/** Undefined where this is not allowed. */
function smallDisk(sizeMib: number): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    rmdirSync(directory);
    return undefined;
  }
  mounts.push(directory);
  return directory;
}
afterEach(() => {
  for (const directory of mounts.splice(0)) {
    // lazily, for a store that a failed test has left open
    execFileSync('umount', ['--lazy', directory]);
    rmdirSync(directory);
  }
});

/** Begins on a disk of its own. Returns the store's directory there. */
async function beginOnDisk(sizeMib: number, skip: (note: string) => never): Promise<string> {
  const directory = join(smallDisk(sizeMib) ?? skip('nothing may be mounted here'), 'data');
  mkdirSync(directory);
  await begin({ directory });
  return directory;
}

/** Uploads until nothing more fits. Returns the paths of what is stored. */
async function fillWithBytes(): Promise<string[]> {
  const paths: string[] = [];
  for (const sizeBytes of [3_000_000, 300_000, 30_000, 3_000, 100]) {
    for (let refused = 0; refused < 3; ) {
      const path = `/box/${sizeBytes}-${paths.length}`;
      const { status } = await store.signed({ method: 'PUT', path, body: Buffer.alloc(sizeBytes, 1) });
      if (status === 200) paths.push(path);
      else expect([status, refused++]).toEqual([507, expect.any(Number)]);
    }
  }
  expect(paths.length).toBeGreaterThan(2);
  return paths;
}

/** As `fillWithBytes`, with objects that the catalogue alone has. */
function fillCatalogue(): string[] {
  const { versions } = store.running.store;
  const paths: string[] = [];
  for (let metadataBytes = 32_768; metadataBytes > 1; ) {
    const key = `${metadataBytes}-${paths.length}`;
    try {
      versions.add(
        {
          kind: 'object',
          bucket: 'box',
          key,
          versionId: NULL_VERSION,
          lastModifiedMs: 0,
          sizeBytes: 0,
          etag: '',
          storageClass: 'STANDARD',
          attributes: {
            contentHeaders: {},
            metadata: [['long', 'x'.repeat(metadataBytes)]],
            encryption: { kind: 'managed' },
            tags: [],
            acl: 'private',
          },
        },
        [],
      );
      paths.push(`/box/${key}`);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      metadataBytes /= 2;
    }
  }
  return paths;
}

/** As another program does. */
function fillToTheLastByte(directory: string): void {
  const rest = statfsSync(directory);
  writeFileSync(join(directory, 'other'), Buffer.alloc(rest.bavail * rest.bsize));
}

async function deleteAll(paths: string[]): Promise<void> {
  for (const path of paths.reverse()) expect((await answered('DELETE', path)).status).toBe(204);
  expect((await answered('DELETE', '/box')).status).toBe(204);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
}

it.for([12, 16, 24])(
  'a disk of %i MiB that uploads have filled is emptied by DELETE',
  async (size, { skip }) => {
    await beginOnDisk(size, skip);
    const paths = await fillWithBytes();
    await store.restart();
    await deleteAll(paths);
    await store.put('/box');
    await store.put('/box/again', Buffer.alloc(3_000_000));
    await store.stop();
  },
);

it('also where somebody has removed the room that is kept for it, to have some', async ({ skip }) => {
  const directory = await beginOnDisk(24, skip);
  rmSync(join(directory, 'spare-room'));
  const first = Array.from({ length: 12 }, (_, i) => `/box/first-${i}`);
  // the catalogue grows when this is moved there from its log
  for (const path of first) await store.put(path, '', { 'x-amz-meta-long': 'x'.repeat(1900) });
  const paths = await fillWithBytes();
  fillToTheLastByte(directory);
  await deleteAll([...paths, ...first]);
  await store.stop();
});

it.for([11, 14])(
  'a disk of %i MiB that the catalogue has filled takes uploads again when all is deleted',
  async (size, { skip }) => {
    await beginOnDisk(size, skip);
    await deleteAll(fillCatalogue());
    await store.put('/box');
    await store.put('/box/again', Buffer.alloc(1_000_000));
    await store.stop();
  },
);
