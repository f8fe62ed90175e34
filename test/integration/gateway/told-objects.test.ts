import { MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ownerOf } from '../../../src/cache/object-key.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { testKey } from '../../support/object-keys.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const workers = 3;
const clock = new ManualClock();
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({
    storeUrl: store.url,
    workers,
    clock,
    policy: { ttlMs: 60_000, clientDirectives: 'honour' },
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.close();
  await store.close();
});

const ownerOfKey = (key: string) => ownerOf(testKey('main', 'b', key).hash, workers);
const othersOf = (key: string) =>
  Array.from({ length: workers }, (_, worker) => worker).filter(worker => worker !== ownerOfKey(key));

/** Reads at each of the workers, in turn; what the cache says, the bodies, and how many messages it took in all. */
async function readAt(key: string, at: readonly number[], headers: Record<string, string> = {}) {
  const posted = vi.spyOn(MessagePort.prototype, 'postMessage');
  const said: string[] = [];
  for (const worker of at) {
    const answer = await gateway.get(`/b/${key}`, headers, worker);
    said.push(`${answer.headers['x-cache']} ${answer.body}`);
  }
  const messages = posted.mock.calls.length;
  posted.mockRestore();
  return { said, messages };
}

it('a small object that its owner has read is a hit at each other worker from the first read on, without a question', async () => {
  for (let index = 0; index < 10; index++) {
    const key = `k${index}`;
    store.put('b', key, `body ${index}`);
    expect(await readAt(key, [ownerOfKey(key)])).toEqual({ said: [`MISS body ${index}`], messages: 0 });
    const hit = `HIT body ${index}`;
    expect(await readAt(key, othersOf(key))).toEqual({ said: [hit, hit], messages: 0 });
  }
  expect(store.log.requests).toHaveLength(10);
});

it('one that came by another worker is a hit at the third, without a question', async () => {
  store.put('b', 'k', 'body');
  const [one = -1, other = -1] = othersOf('k');
  expect(await readAt('k', [one])).toMatchObject({ said: ['MISS body'] });
  expect(await readAt('k', [other])).toEqual({ said: ['HIT body'], messages: 0 });
});

it('what is asked again because it was stale is fresh everywhere, and what has changed is new', async () => {
  store.put('b', 'k', 'body');
  const others = othersOf('k');
  await readAt('k', [ownerOfKey('k'), ...others]);
  clock.advance(61_000);
  await readAt('k', [ownerOfKey('k')]);
  expect(await readAt('k', others)).toEqual({ said: ['HIT body', 'HIT body'], messages: 0 });
  store.put('b', 'k', 'changed');
  clock.advance(61_000);
  await readAt('k', [ownerOfKey('k')]);
  expect(await readAt('k', others)).toEqual({ said: ['HIT changed', 'HIT changed'], messages: 0 });
  expect(store.log.requests.filter(({ method }) => method === 'GET')).toHaveLength(2);
});

it('what its owner learns before its time is seen by all at once', async () => {
  store.put('b', 'k', 'body');
  const others = othersOf('k');
  await readAt('k', [ownerOfKey('k'), ...others]);
  store.put('b', 'k', 'changed');
  await readAt('k', [ownerOfKey('k')], { 'cache-control': 'no-cache' });
  expect(await readAt('k', others)).toEqual({ said: ['HIT changed', 'HIT changed'], messages: 0 });
});

it('law 5: what was purged is asked for again', async () => {
  store.put('b', 'k', 'body');
  await readAt('k', [ownerOfKey('k')]);
  for (const one of gateway.gateways) one.purge({ kind: 'key', bucket: 'b', key: 'k' });
  const [one = -1, other = -1] = othersOf('k');
  expect(await readAt('k', [one])).toMatchObject({ said: ['MISS body'] });
  expect(await readAt('k', [other])).toEqual({ said: ['HIT body'], messages: 0 });
  expect(store.log.requests).toHaveLength(2);
});

it('ranges, conditions and HEAD are answered from it, and what it does not decide is asked of its owner', async () => {
  store.put('b', 'k', 'body');
  await readAt('k', [ownerOfKey('k')]);
  const [other = -1] = othersOf('k');
  expect(await readAt('k', [other], { range: 'bytes=1-2' })).toEqual({ said: ['HIT od'], messages: 0 });
  const posted = vi.spyOn(MessagePort.prototype, 'postMessage');
  const head = await gateway.head('/b/k', {}, other);
  expect([head.status, head.headers['content-length'], head.headers['x-cache']]).toEqual([200, '4', 'HIT']);
  const etag = head.headers.etag ?? '';
  expect((await gateway.get('/b/k', { 'if-none-match': etag }, other)).status).toBe(304);
  expect(posted).not.toHaveBeenCalled();
  const variant = await gateway.get('/b/k', { origin: 'https://a.test' }, other);
  expect(`${variant.body}`).toBe('body');
  expect(posted).toHaveBeenCalled();
});
