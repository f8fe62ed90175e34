import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const noStore = { headers: { 'cache-control': 'no-store' } };
const longEnoughMs = 1_000;
let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, clock, workers: 2 });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** Bytes of the arena in use, all workers together. */
async function heldBytes(): Promise<number> {
  const snapshots = await Promise.all(gateway.metrics.map(metrics => metrics.snapshot()));
  return snapshots
    .flatMap(families => families.find(family => family.name === 'tidegate_cache_bytes')?.values ?? [])
    .filter(sample => sample.labels.tier === 'memory')
    .reduce((sum, sample) => sum + sample.value, 0);
}

it('what is not to be stored leaves the memory with its last reader, and costs one transfer meanwhile', async () => {
  const content = patternContent(3 * mebibyte + 1);
  store.put('b', 'secret.bin', content, noStore);
  for (const worker of [0, 1]) {
    store.log.clear();
    expect((await gateway.get('/b/secret.bin', {}, worker)).body.equals(copyOf(content))).toBe(true);
    expect(store.log.bodyBytes).toBe(content.sizeBytes);
  }
  clock.advance(longEnoughMs);
  expect(await heldBytes()).toBe(0);
});

it('nor does it stay when nobody reads it to its end', async () => {
  store.put('b', 'secret.bin', patternContent(6 * mebibyte), noStore);
  store.rateBytesPerS = 20 * mebibyte;
  await new Promise<void>(resolve => {
    const leaver = httpGet(`${gateway.url()}/b/secret.bin`, answer =>
      answer.once('data', () => leaver.destroy()).once('close', resolve),
    );
    leaver.on('error', () => undefined);
  });
  await store.log.endings(1);
  clock.advance(longEnoughMs);
  await expect.poll(heldBytes).toBe(0);
});

it('who reads longer than that still gets all of it', async () => {
  const content = patternContent(12 * mebibyte);
  store.put('b', 'secret.bin', content, noStore);
  store.rateBytesPerS = 100 * mebibyte;
  const [answer] = await once(httpGet(`${gateway.url()}/b/secret.bin`), 'response');
  // it has begun to read: what it reads is kept for it, however long that takes
  await once(answer, 'readable');
  clock.advance(longEnoughMs);
  expect((await buffer(answer)).equals(copyOf(content))).toBe(true);
  expect(store.log.bodyBytes).toBe(content.sizeBytes);
  await expect.poll(heldBytes).toBe(0);
});

it('what a purge overtook is not left behind either', async () => {
  const content = patternContent(2 * mebibyte);
  store.put('b', 'purged.bin', content);
  const gate = store.hold();
  const reading = gateway.get('/b/purged.bin');
  await store.log.arrival(1);
  for (const one of gateway.gateways) one.purge({ kind: 'key', bucket: 'b', key: 'purged.bin' });
  gate.release();
  expect((await reading).body.equals(copyOf(content))).toBe(true);
  clock.advance(longEnoughMs);
  expect(await heldBytes()).toBe(0);
});
