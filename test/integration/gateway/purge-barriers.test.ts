import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PurgeOrder } from '../../../src/gateway/operate/purge.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  store = await StandInStore.start();
  clock = new ManualClock();
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

async function startGateway(options: Partial<TestGatewayOptions> = {}): Promise<void> {
  gateway = await TestGateway.start({ storeUrl: store.url, ...options });
}

function put(key: string, text: string, tag = 'red'): void {
  store.put('b', key, text, { headers: { 'cache-tag': `${tag}, any` } });
}

const read = async (key: string, worker = 0) => {
  const { status, body, headers } = await gateway.get(`/b/${key}`, {}, worker);
  return { status, text: body.toString(), cache: headers['x-cache'] };
};

const orders: readonly PurgeOrder[] = [
  { kind: 'key', bucket: 'b', key: 'a/k' },
  { kind: 'prefix', bucket: 'b', prefix: 'a/' },
  { kind: 'bucket', bucket: 'b' },
  { kind: 'tag', tag: 'red' },
];

describe.each([2, 4])('with %i workers', workers => {
  const every = Array.from({ length: workers }, (_, worker) => worker);

  describe.each(orders)('law 5: a purge by $kind at one worker', order => {
    it('is final at all of them, though each knew the object', async () => {
      await startGateway({ workers });
      put('a/k', 'old');
      put('other', 'old', 'green');
      for (const worker of [...every, ...every]) await read('a/k', worker);
      for (const worker of [...every, ...every]) await read('other', worker);
      put('a/k', 'new');
      gateway.gateways[workers - 1]?.purge(order);
      for (const worker of every) expect((await read('a/k', worker)).text).toBe('new');
      const others = await Promise.all(every.map(worker => read('other', worker)));
      const isOnlyHit = others.every(({ cache }) => cache === 'HIT');
      expect(isOnlyHit).toBe(order.kind !== 'bucket');
    });

    it('overtakes questions and fills that are under way: who reads later asks anew', async () => {
      await startGateway({ workers });
      put('a/k', 'old');
      const gate = store.hold();
      const before = every.map(worker => read('a/k', worker));
      await store.log.arrival(1);
      gateway.gateways[0]?.purge(order);
      put('a/k', 'new');
      const after = every.map(worker => read('a/k', worker));
      await store.log.arrival(2);
      gate.release();
      expect((await Promise.all(before)).every(({ status }) => status === 200)).toBe(true);
      for (const { text } of await Promise.all(after)) expect(text).toBe('new');
      for (const worker of every)
        expect(await read('a/k', worker)).toMatchObject({ text: 'new', cache: 'HIT' });
    });

    it('when soft has the object confirmed before its next use', async () => {
      await startGateway({ workers });
      put('a/k', 'same');
      for (const worker of [...every, ...every]) await read('a/k', worker);
      store.log.clear();
      gateway.gateways[0]?.purge({ ...order, soft: true });
      const answers = [];
      for (const worker of every) answers.push((await read('a/k', worker)).cache);
      expect(answers).toEqual(['REVALIDATED', ...every.slice(1).map(() => 'HIT')]);
      expect(store.log.requests.map(({ method }) => method)).toEqual(['HEAD']);
    });
  });
});

it('law 5: a hard purge drops the bytes too, even if the store names the content as before', async () => {
  await startGateway();
  put('a/k', 'same');
  await read('a/k');
  store.log.clear();
  gateway.gateways[0]?.purge({ kind: 'tag', tag: 'any' });
  expect(await read('a/k')).toMatchObject({ text: 'same', cache: 'MISS' });
  expect(store.log.requests.map(({ method }) => method)).toEqual(['GET']);
});

it('law 5: a soft purge by a tag of what is held overtakes the question whose answer has another tag', async () => {
  await startGateway({ policy: { ttlMs: 1_000 }, clock });
  put('a/k', 'same');
  await read('a/k');
  clock.advance(2_000);
  store.log.clear();
  const gate = store.hold();
  const before = read('a/k');
  await store.log.arrival(1);
  gateway.gateways[0]?.purge({ kind: 'tag', tag: 'red', soft: true });
  put('a/k', 'same', 'green');
  gate.release();
  expect(await before).toMatchObject({ status: 200, text: 'same' });
  expect((await read('a/k')).cache).not.toBe('HIT');
  expect((await read('a/k')).cache).toBe('HIT');
});

it.each(['hard', 'soft'])(
  'law 5: a %s purge by a tag of what is held overtakes the question for another Origin, whose answer has another tag',
  async how => {
    await startGateway();
    put('a/k', 'old');
    await read('a/k');
    put('a/k', 'under way', 'green');
    const crossOrigin = async () =>
      (await gateway.get('/b/a/k', { origin: 'https://x.test' })).body.toString();
    store.log.clear();
    const gate = store.hold();
    const before = crossOrigin();
    await store.log.arrival(1);
    gateway.gateways[0]?.purge({ kind: 'tag', tag: 'red', soft: how === 'soft' });
    // what was purged is not held any more once somebody has looked
    const plain = read('a/k');
    await store.log.arrival(2);
    gate.release();
    expect(await before).toBe('under way');
    await plain;
    put('a/k', 'new', 'green');
    expect(await crossOrigin()).toBe('new');
  },
);

describe('what a soft purge has made stale', () => {
  const policy = { ttlMs: 3_600_000, staleIfErrorMs: 60_000 };
  const fails = () => {
    store.spoiled.set('/b/a/k', { kind: 'answer', status: 500 });
  };

  it('is served where the store fails, for as long as configured since the purge', async () => {
    await startGateway({ policy, clock });
    put('a/k', 'kept');
    await read('a/k');
    gateway.gateways[0]?.purge({ kind: 'prefix', bucket: 'b', prefix: 'a', soft: true });
    fails();
    clock.advance(59_000);
    expect(await patiently(read('a/k'))).toMatchObject({ text: 'kept', cache: 'STALE' });
    clock.advance(2_000);
    expect((await patiently(read('a/k'))).status).toBe(500);
  });

  it('is not served at all after a hard purge', async () => {
    await startGateway({ policy, clock });
    put('a/k', 'kept');
    await read('a/k');
    gateway.gateways[0]?.purge({ kind: 'tag', tag: 'red', soft: true });
    gateway.gateways[0]?.purge({ kind: 'tag', tag: 'any' });
    fails();
    expect((await patiently(read('a/k'))).status).toBe(500);
  });
});

it('law 5: what is packed is purged like the rest, by its name and by its tags', async () => {
  await startGateway({ recordBytes: 300_000 });
  const keys = Array.from({ length: 300 }, (_, index) => `${index % 3}/${index}`);
  for (const key of keys) put(key, 'old', `third-${key[0]}`);
  for (const key of keys) await read(key);
  // whether they are counted depends on how long that takes
  gateway.gateways[0]?.purge({ kind: 'prefix', bucket: 'b', prefix: '0/' });
  gateway.gateways[0]?.purge({ kind: 'tag', tag: 'third-1' });
  gateway.gateways[0]?.purge({ kind: 'tag', tag: 'third-2', soft: true });
  const outcomes = new Map<string, number>();
  for (const key of keys) {
    const name = `${key[0]} ${(await read(key)).cache}`;
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  }
  expect(Object.fromEntries(outcomes)).toEqual({ '0 MISS': 100, '1 MISS': 100, '2 REVALIDATED': 100 });
});

it('an object with more tags than are kept is purged with any of them, and with any other', async () => {
  await startGateway();
  const many = Array.from({ length: 5_000 }, (_, index) => `t${index}`)
    .join(' ')
    .slice(0, 12_000);
  store.put('b', 'k', 'old', { headers: { 'surrogate-key': many } });
  await read('k');
  expect(gateway.gateways[0]?.purge({ kind: 'tag', tag: 't1' })).toMatchObject({ objects: 1 });
  expect((await read('k')).cache).toBe('MISS');
  expect((await read('k')).cache).toBe('HIT');
});

it('metadata that stores keep gives an object its tags', async () => {
  await startGateway();
  store.put('b', 'k', 'old', { headers: { 'x-amz-meta-cache-tag': 'one,two' } });
  await read('k');
  expect(gateway.gateways[0]?.purge({ kind: 'tag', tag: 'two' })).toMatchObject({ objects: 1, bytes: 3 });
});

/** The gateway asks a failing store again, after pauses that take the clock of the test. */
async function patiently<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let isThere = false;
  const over = answer.finally(() => {
    isThere = true;
  });
  while (!isThere) {
    clock.advance(1);
    await new Promise(resolve => setImmediate(resolve));
  }
  return over;
}
