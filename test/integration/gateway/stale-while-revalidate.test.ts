import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
/** Fresh for a minute, then served for ten more while it is revalidated. */
const policy = { ttlMs: 60_000, staleWhileRevalidateMs: 600_000 };
let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  store = await StandInStore.start();
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** An object `k`, read once and stale since a second. */
async function holdStale(
  options: Partial<TestGatewayOptions> = {},
  headers: Record<string, string> = {},
): Promise<void> {
  gateway = await TestGateway.start({ storeUrl: store.url, clock, policy, ...options });
  store.put('b', 'k', 'held', { headers });
  for (let worker = 0; worker < (options.workers ?? 1); worker++) await gateway.get('/b/k', {}, worker);
  clock.advance(61_000);
  store.log.clear();
}

const seen = ({ headers, body }: TestAnswer) => [headers['x-cache'], body.toString()];

/** Reads until the background has brought something else than `before`. */
async function nextAfter(before: string | undefined, worker = 0): Promise<TestAnswer> {
  for (;;) {
    const answer = await gateway.get('/b/k', {}, worker);
    if (answer.headers['x-cache'] !== before) return answer;
    await new Promise(resolve => setImmediate(resolve));
  }
}

describe.each([1, 2])('RFC 5861 §3, with %d workers: a stale object is served at once', workers => {
  it('while one question brings what is new, for whoever reads next', async () => {
    await holdStale({ workers });
    store.put('b', 'k', 'new one');
    const gate = store.hold();
    for (let read = 0; read < 6; read++) {
      const answer = await gateway.get('/b/k', {}, read % workers);
      expect(seen(answer)).toEqual(['STALE', 'held']);
      expect(answer.headers['cache-status']).toBe('tidegate; hit; ttl=-1; detail=stale-while-revalidate');
      expect(answer.headers.age).toBe('61');
    }
    await store.log.arrival(1);
    gate.release();
    expect((await nextAfter('STALE')).body.toString()).toBe('new one');
    for (let worker = 0; worker < workers; worker++)
      expect((await gateway.get('/b/k', {}, worker)).body.toString()).toBe('new one');
    expect(store.log.requests.filter(({ method }) => method === 'HEAD')).toHaveLength(1);
  });

  it('and again after a failure that was told to nobody', async () => {
    await holdStale({ workers });
    store.faults.next({ kind: 'answer', status: 412 }, 2);
    expect(seen(await gateway.get('/b/k'))).toEqual(['STALE', 'held']);
    await store.log.arrival(2);
    const answer = await nextAfter('STALE');
    expect(seen(answer)).toEqual(['HIT', 'held']);
    expect(store.log.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET', 'HEAD']);
  });
});

describe('it waits for the store', () => {
  const waits = async () => {
    const gate = store.hold();
    const answer = gateway.get('/b/k');
    await store.log.arrival(1);
    gate.release();
    return (await answer).headers['x-cache'];
  };

  it('after the configured time', async () => {
    await holdStale();
    clock.advance(600_000);
    expect(await waits()).toBe('REVALIDATED');
  });

  it.each([
    'max-age=60, must-revalidate',
    'max-age=60, proxy-revalidate',
    's-maxage=60',
    'no-cache',
    'max-age=60, stale-while-revalidate=0',
  ])('where the object says %s', async control => {
    await holdStale({}, { 'cache-control': control });
    expect(await waits()).toBe('REVALIDATED');
  });

  it('where nothing is configured, though the object says stale-while-revalidate', async () => {
    await holdStale({ policy: { ttlMs: 60_000 } }, { 'cache-control': 'stale-while-revalidate=60' });
    expect(await waits()).toBe('REVALIDATED');
  });

  it('after a purge, which leaves nothing to serve', async () => {
    await holdStale();
    gateway.gateways[0]?.purge({ kind: 'key', bucket: 'b', key: 'k' });
    expect(await waits()).toBe('MISS');
  });

  it('where some bytes that are read are not held', async () => {
    await holdStale();
    store.put('b', 'large', patternContent(3 * mebibyte));
    await gateway.get('/b/large', { range: 'bytes=0-9' });
    clock.advance(61_000);
    expect((await gateway.get('/b/large')).headers['x-cache']).toBe('REVALIDATED');
    clock.advance(61_000);
    expect((await gateway.get('/b/large')).headers['x-cache']).toBe('STALE');
  });
});

it('maxStale allows what the object says, and no more', async () => {
  const limited = { ttlMs: 60_000, maxStaleMs: 30_000 };
  await holdStale({ policy: limited }, { 'cache-control': 'max-age=60, stale-while-revalidate=600' });
  const gate = store.hold();
  expect((await gateway.get('/b/k')).headers['x-cache']).toBe('STALE');
  clock.advance(29_000);
  const waiting = gateway.get('/b/k');
  await store.log.arrival(1);
  gate.release();
  expect((await waiting).headers['x-cache']).toBe('REVALIDATED');
});

it('law 6: what the store has refused in the background is not served again', async () => {
  await holdStale();
  store.faults.next({ kind: 'answer', status: 403 }, 2);
  expect(seen(await gateway.get('/b/k'))).toEqual(['STALE', 'held']);
  await store.log.arrival(2);
  store.faults.next({ kind: 'answer', status: 403 }, 2);
  let answer = await gateway.get('/b/k');
  while (answer.headers['x-cache'] === 'STALE') {
    await new Promise(resolve => setImmediate(resolve));
    answer = await gateway.get('/b/k');
  }
  expect(answer.status).toBe(403);
});
