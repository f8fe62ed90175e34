import { afterEach, beforeEach, expect, it } from 'vitest';
import type { UnwrittenBytesError } from '../../../src/cache/written-bytes.ts';
import { holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const workers = 2;
let found: UnwrittenBytesError[];
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  found = [];
  store = await StandInStore.start();
  gateway = await TestGateway.start({
    storeUrl: store.url,
    workers,
    arenaBytes: 32 * mebibyte,
    onUnwritten: error => found.push(error),
  });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** From here on nothing counts as written at page `number`, of those that hold anything, and those behind it. */
function forgetWritten(number = 0): void {
  let page = 0;
  for (const account of (gateway.memory.written ?? []).map(buffer => new Uint8Array(buffer)))
    for (let at = 0; at < account.length; at += mebibyte)
      if (account[at] === 1 && page++ >= number) account.fill(0, at, at + mebibyte);
}

async function counted(): Promise<number> {
  const snapshots = await Promise.all(gateway.metrics.map(metrics => metrics.snapshot()));
  const values = snapshots.flat().filter(family => family.name === 'tidegate_cache_errors_total');
  return values.flatMap(family => family.values).reduce((sum, { value }) => sum + value, 0);
}

it.each([
  ['short enough to be sent as text', 1_000],
  ['lent in one piece', 100_000],
  ['of several blocks', 3 * mebibyte],
])('a body %s is not begun with bytes that nobody wrote, at the owner and beside it', async (_what, size) => {
  const content = patternContent(size);
  store.put('b', 'a.bin', content);
  // twice: the other worker then knows where the bytes are
  for (const worker of [0, 0, 1, 1]) await gateway.get('/b/a.bin', {}, worker);
  expect(found).toEqual([]);
  forgetWritten();
  for (const worker of [0, 1]) {
    const answer = await gateway.get('/b/a.bin', {}, worker);
    expect(answer.status).toBe(500);
    const told = found.pop();
    expect(told?.object).toContain('a.bin');
    expect([told?.from, told?.to]).toEqual([0, Math.min(size, mebibyte)]);
  }
  expect(await counted()).toBe(2);
});

it('a body is cut off before the bytes that nobody wrote', async () => {
  store.put('b', 'a.bin', patternContent(3 * mebibyte));
  for (const worker of [0, 0, 1, 1]) await gateway.get('/b/a.bin', {}, worker);
  forgetWritten(1);
  for (const worker of [0, 1]) {
    await expect(gateway.get('/b/a.bin', {}, worker)).rejects.toThrow('aborted');
    expect(found.pop()).toMatchObject({ from: mebibyte, to: 2 * mebibyte });
  }
  const pins = gateway.memory.pins.flatMap(held => [...new Int32Array(held)]);
  expect(
    pins.filter(count => count > 0),
    'held for the answers that were cut',
  ).toEqual([]);
  const first = await gateway.get('/b/a.bin', { range: 'bytes=0-9' }, 1);
  expect(holdsAt(patternContent(3 * mebibyte), 0, first.body)).toBe(true);
});
