import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rawRequest } from '../../support/raw-request.ts';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** Values of the metric `name`, by its last label. */
async function counted(name: string): Promise<Record<string, number>> {
  const [metrics] = gateway.metrics;
  const family = (await metrics?.snapshot())?.find(one => one.name === name);
  return Object.fromEntries(
    (family?.values ?? []).map(({ labels, value }) => [Object.values(labels).at(-1) ?? '', value]),
  );
}

/** Reads `paths` for two clients: one alone may not have all connections. */
function readByTwo(paths: readonly string[]) {
  return paths.map((path, index) =>
    rawRequest(gateway.url(), { path, localAddress: `127.0.0.${2 + (index % 2)}` }),
  );
}

describe('a store that hangs for some objects', () => {
  const connections = 32;

  beforeEach(async () => {
    gateway = await TestGateway.start({ storeUrl: store.url, connections });
  });

  it('answers for the others, while four times as many reads as connections hang', async () => {
    for (let index = 0; index < 20; index++) {
      store.put('b', `quick-${index}`, 'quick');
      expect((await gateway.get(`/b/quick-${index}`)).status).toBe(200);
    }
    const hanging = Array.from({ length: 4 * connections }, (_, index) => `/b/hangs-${index}`);
    for (const path of hanging) store.hanging.add(path);
    store.put('b', 'healthy', 'its bytes');
    const answers = readByTwo(hanging);
    const all = Promise.allSettled(answers);
    await store.log.arrival(20 + connections);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 200 && statuses.length < 4) {
      const { status, headers, body } = await gateway.get('/b/healthy');
      statuses.push(status);
      if (status === 200) expect(body.toString()).toBe('its bytes');
      else expect([status, headers['retry-after'], body.includes('SlowDown')]).toEqual([503, '1', true]);
    }
    expect(statuses.at(-1)).toBe(200);
    for (const { status, headers, text } of await Promise.all(answers.slice(0, connections / 8)))
      expect([status, headers['retry-after'], text.includes('SlowDown')]).toEqual([503, '1', true]);
    expect((await counted('tidegate_backend_queue_refused_total')).silent).toBeGreaterThan(0);
    expect(await counted('tidegate_backend_retries_total')).toEqual({});
    await gateway.close();
    await all;
    gateway = await TestGateway.start({ storeUrl: store.url });
  });

  it('answers for another while as many reads as connections hang, and it has answered nothing yet', async () => {
    const hanging = Array.from({ length: connections }, (_, index) => `/b/hangs-${index}`);
    for (const path of hanging) store.hanging.add(path);
    store.put('b', 'healthy', 'its bytes');
    const all = Promise.allSettled(readByTwo(hanging));
    await store.log.arrival(connections);
    expect((await gateway.get('/b/healthy')).body.toString()).toBe('its bytes');
    expect(await counted('tidegate_backend_queue_refused_total')).toEqual({ silent: 1 });
    await gateway.close();
    await all;
    gateway = await TestGateway.start({ storeUrl: store.url });
  });

  it('answers for another while many parts of one hang', async () => {
    store.put('b', 'large', patternContent(1024 * mebibyte));
    store.put('b', 'healthy', 'its bytes');
    expect((await gateway.head('/b/large')).status).toBe(200);
    store.hanging.add('/b/large');
    const rangeAt = (index: number) => `bytes=${index * 10 * mebibyte}-${index * 10 * mebibyte}`;
    const reads = Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => gateway.get('/b/large', { range: rangeAt(index) })),
    );
    await store.log.arrival(1 + connections / 2);
    expect((await gateway.get('/b/healthy')).body.toString()).toBe('its bytes');
    expect((await counted('tidegate_backend_calls')).unanswered).toBeLessThanOrEqual(connections / 2);
    await gateway.close();
    await reads;
    gateway = await TestGateway.start({ storeUrl: store.url });
  });
});

describe('a store that sends a few bytes in a second', () => {
  const content = patternContent(3 * mebibyte);

  beforeEach(async () => {
    store.put('b', 'slow', content);
    gateway = await TestGateway.start({
      storeUrl: store.url,
      store: { timeouts: { connectMs: 2_000, firstByteMs: 2_000, idleMs: 200 }, minRateBytes: mebibyte },
    });
  });

  it('is asked again from the byte where it stopped', async () => {
    store.rateBytesPerS = 200_000;
    const answer = gateway.get('/b/slow');
    await store.log.arrival(2);
    store.rateBytesPerS = Number.POSITIVE_INFINITY;
    expect((await answer).body.equals(copyOf(content))).toBe(true);
  });

  it('is given up when it stays so', async () => {
    store.rateBytesPerS = 200_000;
    await expect(gateway.get('/b/slow')).rejects.toThrow();
    expect(await counted('tidegate_backend_retries_total')).toMatchObject({ timeout: 2 });
  });
});

describe('beside stores that send a block for minutes', () => {
  const sizeBytes = 2 * mebibyte;
  /** Blocks of the slow stores take 32 s each. */
  const slowRateBytesPerS = mebibyte / 32;

  it.each([
    { slowStores: 1, pages: 8, workers: 1 },
    { slowStores: 2, pages: 8, workers: 1 },
    { slowStores: 3, pages: 16, workers: 2 },
    { slowStores: 5, pages: 8, workers: 1 },
  ])('another one is read: $slowStores of them, $pages blocks of memory, $workers workers', async given => {
    const names = Array.from({ length: given.slowStores }, (_, index) => `slow-${index}`);
    const slow = await Promise.all(names.map(() => StandInStore.start({ rateBytesPerS: slowRateBytesPerS })));
    gateway = await TestGateway.start({
      storeUrl: store.url,
      otherStores: Object.fromEntries(slow.map(({ url }, index) => [`slow-${index}`, url])),
      arenaBytes: given.pages * mebibyte,
      workers: given.workers,
    });
    const slowReads: Promise<TestAnswer>[] = [];
    for (const [index, one] of slow.entries()) {
      for (let object = 0; object < given.pages; object++) {
        one.put(`slow-${index}`, `o${object}`, patternContent(sizeBytes, object));
        slowReads.push(gateway.get(`/slow-${index}/o${object}`, {}, object % given.workers));
      }
      // stores that come one after the other hold more than their shares
      await one.log.arrival(given.pages);
      await new Promise<void>(resolve => one.log.at({ bodyBytes: mebibyte / 8 }, resolve));
    }
    for (let read = 0; read < 24; read++) {
      store.put('b', `fast-${read}`, patternContent(sizeBytes, read));
      const answer = await gateway.get(`/b/fast-${read}`, {}, read % given.workers);
      expect([answer.status, answer.body.equals(copyOf(patternContent(sizeBytes, read)))]).toEqual([
        200,
        true,
      ]);
    }
    for (const one of slow) one.rateBytesPerS = Number.POSITIVE_INFINITY;
    const answers = await Promise.all(slowReads);
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThanOrEqual(given.slowStores);
    for (const [index, { status, body }] of answers.entries()) {
      if (status === 200)
        expect(body.equals(copyOf(patternContent(sizeBytes, index % given.pages)))).toBe(true);
      else expect(status).toBe(503);
    }
    await Promise.all(slow.map(one => one.close()));
  });
});
