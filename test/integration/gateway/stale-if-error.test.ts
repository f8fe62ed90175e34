import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, whileTimePasses } from '../../support/manual-clock.ts';
import { holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
/** Fresh for a minute, then served for ten more where the store fails. */
const policy = { ttlMs: 60_000, staleIfErrorMs: 600_000 };
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

async function startGateway(options: Partial<TestGatewayOptions> = {}): Promise<void> {
  // no repeats: time stands still between them
  const mayRepeat = { connections: 1, random: () => 0 };
  gateway = await TestGateway.start({ storeUrl: store.url, clock, policy, store: mayRepeat, ...options });
}

/** An object `k`, read once and stale since a second. */
async function holdStale(headers: Record<string, string> = {}): Promise<void> {
  store.put('b', 'k', 'held', { headers });
  await gateway.get('/b/k');
  clock.advance(61_000);
}

/** An answer for which the clock has to move: the store is asked again after a while. */
const patiently = (answer: Promise<TestAnswer>) => whileTimePasses(clock, answer);

function failing(status: number, body = ''): void {
  store.faults.next({ kind: 'answer', status, body }, 10);
}

describe('a stale object is served where the store', () => {
  it.each([500, 502, 503, 504])('answers %s, and says so', async status => {
    await startGateway();
    await holdStale();
    failing(status);
    const answer = await patiently(gateway.get('/b/k'));
    expect([answer.status, answer.body.toString()]).toEqual([200, 'held']);
    expect(answer.headers['x-cache']).toBe('STALE');
    expect(answer.headers['cache-status']).toMatch(
      new RegExp(`^tidegate; fwd=stale; fwd-status=${status}; ttl=-\\d; detail=stale-if-error$`),
    );
    expect(Number(answer.headers.age)).toBeGreaterThanOrEqual(61);
  });

  it('cannot be reached, in every worker', async () => {
    await startGateway({ workers: 2 });
    store.put('b', 'k', 'held');
    for (const worker of [0, 1]) await gateway.get('/b/k', {}, worker);
    clock.advance(61_000);
    await store.close();
    for (const worker of [0, 1]) {
      const answer = await patiently(gateway.get('/b/k', {}, worker));
      expect([answer.status, answer.headers['x-cache'], String(answer.body)]).toEqual([200, 'STALE', 'held']);
    }
    store = await StandInStore.start();
  });

  it('breaks off, to HEAD and conditional reads as well', async () => {
    await startGateway();
    await holdStale();
    await store.close();
    const { headers, status } = await patiently(gateway.head('/b/k'));
    expect([status, headers['x-cache'], headers['content-length']]).toEqual([200, 'STALE', '4']);
    const same = await patiently(gateway.get('/b/k', { 'if-none-match': headers.etag ?? '' }));
    expect([same.status, same.headers['x-cache']]).toEqual([304, 'STALE']);
    store = await StandInStore.start();
  });
});

describe('it is not served', () => {
  it('after the configured time', async () => {
    await startGateway();
    await holdStale();
    clock.advance(600_000);
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(500);
  });

  it('where nothing is configured', async () => {
    await startGateway({ policy: { ttlMs: 60_000 } });
    await holdStale();
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(500);
  });

  it.each([
    'max-age=60, must-revalidate',
    'max-age=60, proxy-revalidate',
    's-maxage=60',
    'no-cache',
    'max-age=60, stale-if-error=0',
  ])('where the object says %s', async control => {
    await startGateway();
    await holdStale({ 'cache-control': control });
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(500);
  });

  it('law 5: after a purge', async () => {
    await startGateway();
    await holdStale();
    gateway.gateways[0]?.purge({ kind: 'key', bucket: 'b', key: 'k' });
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(500);
  });

  it.each(['GET', 'HEAD'])('law 5: when a purge overtakes the question (%s)', async method => {
    await startGateway();
    await holdStale();
    const gate = store.hold();
    store.log.clear();
    failing(500);
    const answer = patiently(gateway.send(method, '/b/k'));
    await store.log.arrival(1);
    gateway.gateways[0]?.purge({ kind: 'key', bucket: 'b', key: 'k' });
    gate.release();
    expect((await answer).status).toBe(500);
  });

  it('law 5: after a write, whatever became of it', async () => {
    await startGateway();
    await holdStale();
    await store.close();
    expect((await patiently(gateway.send('DELETE', '/b/k'))).status).toBe(503);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(503);
    store = await StandInStore.start();
  });

  it.each([403, 404])('law 6: to somebody whom the store refuses with %s', async status => {
    await startGateway();
    await holdStale();
    failing(status);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(status);
  });

  it('law 6: when the store refuses the question, and then fails to say why', async () => {
    await startGateway();
    await holdStale();
    store.faults.next({ kind: 'answer', status: 403 });
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(403);
  });

  it('where some of its bytes are not held: the answer would be cut off', async () => {
    await startGateway();
    const content = patternContent(3 * mebibyte);
    store.put('b', 'k', content);
    await gateway.get('/b/k', { range: 'bytes=0-99' });
    clock.advance(61_000);
    failing(500);
    const held = await patiently(gateway.get('/b/k', { range: 'bytes=100-199' }));
    expect([held.status, held.headers['x-cache']]).toEqual([206, 'STALE']);
    expect(holdsAt(content, 100, held.body)).toBe(true);
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(500);
  });

  it.each([
    ['that does not hold', () => '"other"'],
    ['that is a date', () => new Date(clock.nowMs() - 61_000).toUTCString()],
  ])('where If-Range %s may lead to bytes that are not held', async (_, ifRange) => {
    await startGateway();
    store.put('b', 'k', patternContent(3 * mebibyte));
    await gateway.get('/b/k', { range: 'bytes=0-99' });
    clock.advance(61_000);
    failing(500);
    const answer = await patiently(gateway.get('/b/k', { range: 'bytes=0-99', 'if-range': ifRange() }));
    expect(answer.status).toBe(500);
  });

  it('as a restored copy that has expired meanwhile', async () => {
    await startGateway();
    const expiry = new Date(clock.nowMs() + 120_000).toUTCString();
    await holdStale({ 'x-amz-restore': `ongoing-request="false", expiry-date="${expiry}"` });
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(200);
    clock.advance(120_000);
    failing(500);
    expect((await patiently(gateway.get('/b/k'))).status).toBe(500);
  });

  it('as an absence: the object may be there by now', async () => {
    await startGateway();
    expect((await gateway.get('/b/missing')).status).toBe(404);
    clock.advance(6_000);
    failing(500);
    expect((await patiently(gateway.get('/b/missing'))).status).toBe(500);
  });
});
