import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, clock });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

it('asks about a stale object once for all who wait, without a body, and keeps its blocks', async () => {
  const content = patternContent(3 * mebibyte);
  store.put('b', 'stale.bin', content, { headers: { 'x-amz-tagging-count': '1' } });
  await gateway.get('/b/stale.bin');
  clock.advance(61_000);
  store.put('b', 'stale.bin', content, { headers: { 'x-amz-tagging-count': '2' } });
  store.log.clear();
  const gate = store.hold();
  const waiting = Array.from({ length: 10 }, () => gateway.get('/b/stale.bin'));
  await store.log.arrival(1);
  gate.release();
  const answers = await Promise.all(waiting);
  for (const answer of answers)
    expect(holdsAt(content, 0, answer.body) && answer.body.length === content.sizeBytes).toBe(true);
  expect(answers[0]?.headers).toMatchObject({ 'x-cache': 'REVALIDATED', 'x-amz-tagging-count': '2' });
  expect(answers[0]?.headers['cache-status']).toMatch(/^tidegate; fwd=stale; fwd-status=200; stored/);
  expect(store.log.requests.map(note => note.method)).toEqual(['HEAD']);
});

it('a new content replaces the old one at the revalidation', async () => {
  store.put('b', 'new.bin', patternContent(2 * mebibyte, 1));
  await gateway.get('/b/new.bin');
  store.put('b', 'new.bin', patternContent(mebibyte, 2));
  expect(holdsAt(patternContent(2 * mebibyte, 1), 0, (await gateway.get('/b/new.bin')).body)).toBe(true);
  clock.advance(61_000);
  const answer = await gateway.get('/b/new.bin');
  expect(answer.body.length).toBe(mebibyte);
  expect(holdsAt(patternContent(mebibyte, 2), 0, answer.body)).toBe(true);
});

it.each([
  ['max-age=10', 10],
  ['max-age=10, s-maxage=20', 20],
  ['max-age=9999999', 86_400],
  ['no-cache', 0],
  ['public', 60],
])('Cache-Control: %s is fresh for %d seconds', async (control, seconds) => {
  store.put('b', 'controlled.txt', 'x', { headers: { 'cache-control': control } });
  await gateway.get('/b/controlled.txt');
  clock.advance(Math.max(0, seconds * 1000 - 1));
  const fresh = await gateway.get('/b/controlled.txt');
  expect(fresh.headers['x-cache']).toBe(seconds > 0 ? 'HIT' : 'REVALIDATED');
  clock.advance(2);
  expect((await gateway.get('/b/controlled.txt')).headers['x-cache']).toBe('REVALIDATED');
});

it.each([
  ['an object', 'late.txt', 200],
  ['a key that is missing', 'none.txt', 404],
])(
  'the date of the answer about %s is when it begins, not when it was asked for (RFC 9110 §6.6.1)',
  async (_, key, status) => {
    store.put('b', 'late.txt', 'x');
    const gate = store.hold();
    const waiting = gateway.get(`/b/${key}`);
    await store.log.arrival(1);
    clock.advance(9_000);
    gate.release();
    const answer = await waiting;
    expect([answer.status, answer.headers.date]).toEqual([status, new Date(clock.nowMs()).toUTCString()]);
  },
);

it('what is held and has waited for the rest of its bytes is as old as it is when it begins (RFC 9111 §4.2.3)', async () => {
  store.put('b', 'part.bin', patternContent(8 * mebibyte));
  await gateway.get('/b/part.bin', { range: 'bytes=0-9' });
  clock.advance(1_000);
  const gate = store.hold();
  const asked = store.log.requests.length;
  const waiting = gateway.get('/b/part.bin', { range: `bytes=${7 * mebibyte}-${7 * mebibyte + 9}` });
  await store.log.arrival(asked + 1);
  clock.advance(5_000);
  gate.release();
  const { status, headers } = await waiting;
  expect([status, headers.age, headers.date]).toEqual([206, '6', new Date(clock.nowMs()).toUTCString()]);
});

it('what is not to be stored is not', async () => {
  store.put('b', 'private.txt', 'x', { headers: { 'cache-control': 'no-store' } });
  for (let count = 0; count < 2; count++)
    expect((await gateway.get('/b/private.txt')).headers['x-cache']).toBe('MISS');
  expect(store.log.requests.map(note => note.method)).toEqual(['GET', 'GET']);
});

it('a missing key is remembered for negativeTtl and no longer', async () => {
  expect((await gateway.get('/b/soon.txt')).status).toBe(404);
  store.put('b', 'soon.txt', 'there');
  expect((await gateway.get('/b/soon.txt')).status).toBe(404);
  clock.advance(5_001);
  expect((await gateway.get('/b/soon.txt')).status).toBe(200);
});

it('an object that is gone at the revalidation is gone', async () => {
  store.put('b', 'gone.txt', 'there');
  await gateway.get('/b/gone.txt');
  store.remove('b', 'gone.txt');
  clock.advance(61_000);
  const answer = await gateway.get('/b/gone.txt');
  expect(answer.status).toBe(404);
  expect(answer.body.toString()).toContain('NoSuchKey');
});

it('a restored copy is never fresh beyond its end', async () => {
  const end = new Date(clock.nowMs() + 5_000).toUTCString();
  store.put('b', 'restored.bin', 'x', {
    headers: {
      'x-amz-storage-class': 'GLACIER',
      'x-amz-restore': `ongoing-request="false", expiry-date="${end}"`,
    },
  });
  await gateway.get('/b/restored.bin');
  clock.advance(4_999);
  expect((await gateway.get('/b/restored.bin')).headers['x-cache']).toBe('HIT');
  clock.advance(2);
  expect((await gateway.get('/b/restored.bin')).headers['x-cache']).toBe('REVALIDATED');
});

it.each([
  ['pass', 'max-age=10'],
  ['strip', undefined],
] as const)(
  'RFC 9213: with targetedCacheControl %s, clients see %j of what it is kept by',
  async (targetedCacheControl, seen) => {
    await gateway.close();
    gateway = await TestGateway.start({ storeUrl: store.url, clock, policy: { targetedCacheControl } });
    const headers = { 'cache-control': 'no-store', 'cdn-cache-control': 'max-age=10' };
    store.put('b', 'targeted.txt', 'x', { headers });
    for (const result of ['MISS', 'HIT']) {
      const answer = await gateway.get('/b/targeted.txt');
      expect([answer.headers['x-cache'], answer.headers['cdn-cache-control']]).toEqual([result, seen]);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    clock.advance(10_000);
    expect((await gateway.get('/b/targeted.txt')).headers['x-cache']).toBe('REVALIDATED');
  },
);

it('once the clock was set back, what was cached before is never fresh again, by any worker', async () => {
  await gateway.close();
  gateway = await TestGateway.start({ storeUrl: store.url, clock, workers: 2 });
  store.put('b', 'k', 'old');
  for (const worker of [0, 1]) expect((await gateway.get('/b/k', {}, worker)).body.toString()).toBe('old');
  store.put('b', 'k', 'new');
  clock.stepWallClock(-3_600_000);
  await gateway.get('/b/other');
  clock.advance(3_600_000);
  for (const worker of [0, 1]) expect((await gateway.get('/b/k', {}, worker)).body.toString()).toBe('new');
});

it('RFC 9211: why the store was asked, and under which key, where that is to be told', async () => {
  await gateway.close();
  const policy = { showKey: true, clientDirectives: 'honour' } as const;
  gateway = await TestGateway.start({ storeUrl: store.url, clock, policy });
  const why = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await gateway.get(path, headers);
    const [, said, key] = /^tidegate; (.*); key="(.*)"$/.exec(String(answer.headers['cache-status'])) ?? [];
    expect(key).toMatch(/\/b\/why\.txt$/);
    return said;
  };
  store.put('b', 'why.txt', patternContent(16));
  expect(await why('/b/why.txt')).toBe('fwd=uri-miss; fwd-status=206; stored');
  expect(await why('/b/why.txt')).toBe('hit; ttl=60');
  const origin = { origin: 'https://a.example' };
  expect(await why('/b/why.txt', origin)).toBe('fwd=vary-miss; fwd-status=206; stored');
  const strict = { 'cache-control': 'no-cache' };
  expect(await why('/b/why.txt', strict)).toBe('fwd=request; fwd-status=200; stored');
  clock.advance(61_000);
  expect(await why('/b/why.txt')).toBe('fwd=stale; fwd-status=200; stored');
});

describe('RFC 9111 §4.3.5: a HEAD that finds the object stale', () => {
  const read = async (method: string) => {
    const { headers, body } = await gateway.send(method, '/b/k');
    return [headers['x-cache'], headers['x-amz-tagging-count'], headers['content-length'], body.toString()];
  };

  it('renews its headers and its freshness for GET, and keeps its bytes (§3.2)', async () => {
    store.put('b', 'k', 'held', { headers: { 'x-amz-tagging-count': '1' } });
    await read('GET');
    clock.advance(61_000);
    store.put('b', 'k', 'held', { headers: { 'x-amz-tagging-count': '2', 'cache-control': 'max-age=100' } });
    store.log.clear();
    expect(await read('HEAD')).toEqual(['REVALIDATED', '2', '4', '']);
    clock.advance(99_000);
    expect(await read('GET')).toEqual(['HIT', '2', '4', 'held']);
    expect(store.log.requests.map(({ method }) => method)).toEqual(['HEAD']);
  });

  it('ends its bytes, where it is another object', async () => {
    store.put('b', 'k', 'held');
    await read('GET');
    clock.advance(61_000);
    store.put('b', 'k', 'longer');
    expect((await read('HEAD')).slice(1)).toEqual([undefined, '6', '']);
    expect((await read('GET')).slice(1)).toEqual([undefined, '6', 'longer']);
  });
});
