import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countLookups } from '../../support/count-lookups.ts';
import { holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const tebibyte = 1024 ** 4;
/** Of all maps in this process, for some requests: a block of 5 TiB each would be millions. */
const lookupsLimit = 20_000;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, workers: 2, arenaBytes: 64 * mebibyte });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** Begins a GET and leaves when the first bytes are there: head and bytes. */
async function beginning(path: string, worker = 0): Promise<{ head: IncomingMessage; bytes: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${gateway.url(worker)}${path}`, { agent: false }, resolve).on('error', reject);
  const head = await promise;
  const bytes = await new Promise<Buffer>((got, failed) => head.once('data', got).once('error', failed));
  head.destroy();
  return { head, bytes };
}

async function inMemory(what: 'entries' | 'bytes'): Promise<number> {
  const snapshots = await Promise.all(gateway.metrics.map(metrics => metrics.snapshot()));
  const values = snapshots.flat().filter(family => family.name === `tidegate_cache_${what}`);
  const memory = values.flatMap(family => family.values).filter(({ labels }) => labels.tier === 'memory');
  return memory.reduce((sum, { value }) => sum + value, 0);
}

/** No block is held: there is one slot, with what the owner tells the other worker of the object. */
async function expectNoBlocks(key: string): Promise<void> {
  for (const one of gateway.gateways)
    for (const { memory } of one.describe('b', key)?.records ?? []) expect(memory.blocks).toBe(0);
  expect(await inMemory('entries')).toBe(1);
  expect(await inMemory('bytes')).toBeLessThanOrEqual(1_024);
}

describe.each([
  ['a store that knows ranges', false],
  ['a store that ignores ranges', true],
])('5 TiB of %s', (_what, ignoresRange) => {
  const content = patternContent(5 * tebibyte);

  it('cost no more work than what is read of them', async () => {
    store.put('b', 'large.bin', content, { ignoresRange });
    const lookups = await countLookups(async () => {
      for (const worker of [0, 1, 0, 1]) {
        const range = `bytes=${mebibyte - 5}-${mebibyte + 4}`;
        const part = await gateway.get('/b/large.bin', { range }, worker);
        expect(part.headers['content-range']).toBe(
          `bytes ${mebibyte - 5}-${mebibyte + 4}/${content.sizeBytes}`,
        );
        expect(holdsAt(content, mebibyte - 5, part.body)).toBe(true);
        const { head, bytes } = await beginning('/b/large.bin', worker);
        expect(head.headers['content-length']).toBe(String(content.sizeBytes));
        expect(holdsAt(content, 0, bytes)).toBe(true);
        expect((await gateway.head('/b/large.bin', {}, worker)).status).toBe(200);
      }
    });
    expect(lookups).toBeLessThan(lookupsLimit);
    expect(await inMemory('entries')).toBeGreaterThan(0);
  });
});

it('the end of 5 TiB is read and kept like any other part', async () => {
  const content = patternContent(5 * tebibyte);
  store.put('b', 'large.bin', content);
  for (const [range, cache] of [
    ['bytes=-10', 'MISS'],
    [`bytes=${content.sizeBytes - 10}-`, 'HIT'],
  ] as const) {
    const part = await gateway.get('/b/large.bin', { range });
    expect(holdsAt(content, content.sizeBytes - 10, part.body)).toBe(true);
    expect(part.headers['x-cache']).toBe(cache);
  }
});

it.each([
  ['a byte more than 5 TiB', 5 * tebibyte + 1],
  ['2^53 - 1 bytes', Number.MAX_SAFE_INTEGER],
])('%s are passed on and not kept', async (_what, sizeBytes) => {
  const content = patternContent(sizeBytes);
  store.put('b', 'huge.bin', content);
  const lookups = await countLookups(async () => {
    for (const worker of [0, 1]) {
      const part = await gateway.get('/b/huge.bin', { range: 'bytes=7-99' }, worker);
      expect([part.status, part.headers['x-cache']]).toEqual([206, 'BYPASS']);
      expect(part.body.length).toBe(93);
      expect(holdsAt(content, 7, part.body)).toBe(true);
      const end = await gateway.get('/b/huge.bin', { range: 'bytes=-9' }, worker);
      expect([end.status, end.headers['x-cache']]).toEqual([206, 'BYPASS']);
      expect((await gateway.head('/b/huge.bin', {}, worker)).headers['content-length']).toBe(
        String(sizeBytes),
      );
      const { head, bytes } = await beginning('/b/huge.bin', worker);
      expect([head.statusCode, head.headers['x-cache']]).toEqual([200, 'BYPASS']);
      expect(holdsAt(content, 0, bytes)).toBe(true);
    }
  });
  expect(lookups).toBeLessThan(lookupsLimit);
  await expectNoBlocks('huge.bin');
});

it('more bytes than numbers are exact for are passed on in parts, and are no length', async () => {
  const content = patternContent(2 ** 60);
  store.put('b', 'endless.bin', content);
  for (const worker of [0, 1]) {
    for (const range of ['bytes=-9', 'bytes=7-99']) {
      const part = await gateway.get('/b/endless.bin', { range }, worker);
      expect([part.status, part.headers['x-cache']]).toEqual([206, 'BYPASS']);
      if (range === 'bytes=7-99') expect(holdsAt(content, 7, part.body)).toBe(true);
    }
    expect((await gateway.get('/b/endless.bin', {}, worker)).status).toBe(502);
    expect((await gateway.head('/b/endless.bin', {}, worker)).status).toBe(502);
  }
  await expectNoBlocks('endless.bin');
});

it('a bucket may keep nothing that is longer than it says', async () => {
  await gateway.close();
  gateway = await TestGateway.start({ storeUrl: store.url, policy: { maxObjectSizeBytes: 1_000 } });
  for (const [size, caches] of [
    [1_000, ['MISS', 'HIT']],
    [1_001, ['BYPASS', 'BYPASS']],
  ] as const) {
    store.put('b', 'x', patternContent(size));
    for (const one of gateway.gateways) one.purge({ kind: 'key', bucket: 'b', key: 'x' });
    for (const cache of caches) {
      const answer = await gateway.get('/b/x');
      expect([answer.headers['x-cache'], answer.body.length]).toEqual([cache, size]);
    }
  }
  expect(await inMemory('entries')).toBe(0);
});
