import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { awsSigned, awsSync, curl, newFolder, rclone } from './clients.ts';
import { collectRealFiles, differences, filesBelow, type Hashes, hashTree } from './real-files.ts';
import { Versitygw } from './versitygw.ts';

const bucket = 'files';
const work = mkdtempSync(join(tmpdir(), 'tidegate-real-files-'));
const originals = join(work, 'originals');
let expected: Hashes;
let store: Versitygw;
let gateway: GatewayProcess;

beforeAll(async () => {
  await collectRealFiles(originals);
  expected = await hashTree(originals);
  store = await Versitygw.start();
  await awsSigned(store.url, store.credentials, ['s3', 'mb', `s3://${bucket}`]);
  const upload = ['s3', 'sync', '--only-show-errors', originals, `s3://${bucket}`];
  await awsSigned(store.url, store.credentials, upload);
  gateway = await GatewayProcess.start({
    backends: {
      store: { type: 's3', endpoint: store.url, region: 'us-east-1', credentials: store.credentials },
    },
    buckets: {
      [bucket]: {
        backend: 'store',
        access: 'public',
        anonymous: [{ actions: ['GetObject', 'ListBucket'], keys: ['**'] }],
        cache: { ttl: '1h' },
      },
    },
    memory: '1536MiB',
  });
});

afterAll(async () => {
  await gateway?.stop();
  await store?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** Lets a client fill a new folder and compares what is in it then with what was uploaded. */
async function receivedBy(client: (folder: string) => Promise<unknown>): Promise<readonly string[]> {
  const folder = newFolder(work, 'received');
  try {
    await client(folder);
    return differences(await hashTree(folder), expected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const clients = {
  'aws s3 sync': (folder: string) => awsSync(gateway.url, bucket, folder),
  'rclone copy with four streams a file, then check': async (folder: string) => {
    const streams = ['--multi-thread-streams', '4', '--multi-thread-cutoff', '16M'];
    await rclone(gateway.url, ['copy', ...streams, `gate:${bucket}`, folder]);
    await rclone(gateway.url, ['check', `gate:${bucket}`, folder]);
    await rclone(gateway.url, ['check', '--download', `gate:${bucket}`, folder]);
  },
  curl: (folder: string) =>
    curl(
      gateway.url,
      bucket,
      [...expected.keys()].map(key => ({ key, path: join(folder, key) })),
    ),
};

it('has some hundreds of files of all sizes to read', () => {
  const sizes = filesBelow(originals).map(path => statSync(path).size);
  expect(sizes.length).toBeGreaterThan(300);
  expect(Math.min(...sizes)).toBe(0);
  expect(Math.max(...sizes)).toBe(200 * 1_048_576);
});

describe('the first pass', () => {
  it.each(Object.entries(clients))('gives %s every file with the right hash', async (_name, client) => {
    expect(await receivedBy(client)).toEqual([]);
  });

  it('gives curl the right bytes of ranges across blocks, at the start and at the end', async () => {
    const folder = newFolder(work, 'ranges');
    const wanted = filesBelow(originals).flatMap(path => rangesOf(path, folder));
    await curl(gateway.url, bucket, wanted);
    const wrong = wanted.filter(({ source, start, end, path }) => {
      return !readFileSync(path).equals(readFileSync(source).subarray(start, end));
    });
    rmSync(folder, { recursive: true, force: true });
    expect(wrong.map(({ key, range }) => `${key} ${range}`)).toEqual([]);
  });
});

describe('the second pass', () => {
  it.each(Object.entries(clients))('with %s asks the store for no object', async (_name, client) => {
    const before = store.requests().length;
    expect(await receivedBy(client)).toEqual([]);
    const asked = store
      .requests()
      .slice(before)
      .filter(({ path }) => isObject(path));
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('leaves the metric of bytes from the store where it was when nothing is listed', async () => {
    const before = await bytesAsked();
    expect(before).toBeGreaterThan(200 * 1_048_576);
    expect(await receivedBy(clients.curl)).toEqual([]);
    expect((await bytesAsked()) - before).toBe(0);
  });
});

/** Listings are passed through, so only what lies below the bucket counts. */
function isObject(path: string): boolean {
  return path.startsWith(`/${bucket}/`) && path !== `/${bucket}/`;
}

async function bytesAsked(): Promise<number> {
  return (await gateway.metrics()).total('backend_bytes_total', { backend: 'store' });
}

/** Ranges worth asking of one file: its first bytes, its last, and a piece across a block's edge where it has one. */
function rangesOf(source: string, folder: string) {
  const size = statSync(source).size;
  const key = relative(originals, source);
  const spans = [
    { range: '0-99', start: 0, end: 100 },
    { range: '-100', start: Math.max(0, size - 100), end: size },
    { range: '1048000-3145800', start: 1_048_000, end: 3_145_801 },
  ];
  return spans
    .filter(({ start }) => start < size)
    .map((span, index) => ({ ...span, key, source, path: join(folder, `${key}.${index}`) }));
}
