import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Breaker } from '../../../../src/backend/breaker/breaker.ts';
import { allocateBreakers } from '../../../../src/backend/breaker/breaker-word.ts';
import { sendAndCollect } from '../../../../src/backend/collected-reply.ts';
import { S3Store, type S3StoreOptions } from '../../../../src/backend/s3/s3-store.ts';
import type { StoreReceiver } from '../../../../src/backend/store.ts';
import { StoreMeter } from '../../../../src/backend/store-meter.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { listenLocally } from '../../../support/listen-locally.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { StandInStore } from '../../../support/stand-in-store.ts';

let server: StandInStore;
let store: S3Store;
let metrics: Metrics;

beforeEach(async () => {
  server = await StandInStore.start();
  metrics = new Metrics();
  store = storeWith();
});

function storeWith(different: Partial<S3StoreOptions> = {}): S3Store {
  return new S3Store({
    name: 'main',
    endpoint: server.url,
    region: 'us-east-1',
    addressing: 'path',
    headerPrefix: 'x-amz-',
    credentials: { kind: 'none' },
    connections: 2,
    queue: { size: 512, waitMs: 2_000 },
    minRateBytes: 1_024,
    timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
    clock: systemClock,
    meter: new StoreMeter(metrics),
    ...different,
  });
}

afterEach(async () => {
  await store.close();
  await server.close();
});

const request = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [] };

/** Requests counted, by the label `status`. */
async function counted(): Promise<Record<string, number>> {
  const family = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_requests_total');
  return Object.fromEntries((family?.values ?? []).map(({ labels, value }) => [labels.status, value]));
}

function receiver(more: Partial<StoreReceiver> = {}): StoreReceiver {
  const ignored = () => undefined;
  return { answered: ignored, arrived: ignored, ended: ignored, failed: ignored, ...more };
}

it('a request that is given up before the head of its answer counts as aborted', async () => {
  server.put('b', 'k', 'x');
  const gate = server.hold();
  const call = store.send(request, receiver());
  await server.log.arrival(1);
  call.abort();
  call.abort();
  gate.release();
  expect(await counted()).toEqual({ aborted: 1 });
});

it.each([
  [10_000, 3_000],
  [3_000, 10_000],
])(
  'the body of an error is awaited for the shorter of firstByte and idle: %i, %i ms',
  async (firstByteMs, idleMs) => {
    const stuck = createServer((_, response) => response.writeHead(404, { 'content-length': 9 }).write('a'));
    const clock = new ManualClock();
    await store.close();
    metrics = new Metrics();
    store = storeWith({
      endpoint: await listenLocally(stuck),
      timeouts: { connectMs: 2_000, firstByteMs, idleMs },
      clock,
    });
    const heard: string[] = [];
    await new Promise<Buffer>(arrived => {
      const failed = () => heard.push('failed');
      store.send(request, receiver({ arrived, failed, ended: () => heard.push('ended') }));
    });
    clock.advance(2_999);
    expect(heard).toEqual([]);
    clock.advance(1);
    expect(heard).toEqual(['ended']);
    stuck.closeAllConnections();
    stuck.close();
  },
);

it('one that is given up later counts by its status, and one that ends by itself does too', async () => {
  server.put('b', 'k', Buffer.alloc(1_000_000));
  await new Promise<void>(resolve => {
    const call = store.send(
      request,
      receiver({
        arrived: () => {
          call.abort();
          resolve();
        },
      }),
    );
  });
  const { body } = await sendAndCollect(store, { ...request, key: 'missing' }, { limitBytes: 10_000 });
  const bytes = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_bytes_total');
  expect(bytes?.values[0]?.value).toBeGreaterThan(body.length);
  expect(await counted()).toEqual({ 200: 1, 404: 1 });
});

it('one whose connection breaks before an answer counts by the way it failed', async () => {
  await server.close();
  await expect(sendAndCollect(store, request, { limitBytes: 0 })).rejects.toMatchObject({
    code: 'UNREACHABLE',
  });
  expect(await counted()).toEqual({ unreachable: 1 });
  server = await StandInStore.start();
});

it('a call past the bounds is refused later in the turn, and is no request to the store', async () => {
  const gate = server.hold();
  server.put('b', 'k', 'x');
  const calls = Array.from({ length: 514 }, () =>
    sendAndCollect(store, { ...request, key: 'k' }, { limitBytes: 100 }),
  );
  await expect(calls[513]).rejects.toMatchObject({ code: 'BUSY' });
  await server.log.arrival(1);
  expect(server.log.requests.length).toBe(1);
  expect(await counted()).toEqual({});
  gate.release();
  const answers = await Promise.all(calls.slice(0, 513));
  expect(answers.every(({ body }) => body.toString() === 'x')).toBe(true);
});

it('a call that is given up while it waits is never sent, and its receiver hears nothing', async () => {
  const gate = server.hold();
  server.put('b', 'k', 'x');
  const first = sendAndCollect(store, request, { limitBytes: 100 });
  const heard: string[] = [];
  const waiting = store.send(
    request,
    receiver({ ended: () => heard.push('ended'), failed: () => heard.push('failed') }),
  );
  waiting.abort();
  await server.log.arrival(1);
  gate.release();
  await first;
  await sendAndCollect(store, request, { limitBytes: 100 });
  expect([server.log.requests.length, heard]).toEqual([2, []]);
});

describe('the question of its circuit breaker', () => {
  const clock = new ManualClock();
  let breaker: Breaker;

  /** A store that is suspected, and does not answer. */
  async function suspected(connectMs: number, firstByteMs: number): Promise<S3Store> {
    const times = {
      threshold: 0.5,
      minRequests: 1,
      windowMs: 10_000,
      openMs: 5_000,
      probes: 1,
      questionMs: 5_000,
    };
    const words = allocateBreakers(1);
    const changed = () => undefined;
    breaker = new Breaker({ settings: times, words, index: 0, address: 0, clock, changed });
    server.hold();
    await store.close();
    metrics = new Metrics();
    store = storeWith({
      clock,
      breaker,
      queue: { size: 512, waitMs: 10_000 },
      timeouts: { connectMs, firstByteMs, idleMs: 10_000 },
    });
    breaker.failed();
    return store;
  }

  it.each([
    [2_000, 10_000, 3_000],
    [1_000, 1_500, 2_500],
  ])(
    'is waited for three seconds, or as long as a call with the timeouts %i and %i ms',
    async (connectMs, firstByteMs, limitMs) => {
      await suspected(connectMs, firstByteMs);
      clock.advance(limitMs - 1);
      expect(breaker.state.kind).toBe('closed');
      clock.advance(1);
      expect(breaker.state.kind).toBe('open');
    },
  );

  it('has those who wait for a connection refused at once, when it is not answered', async () => {
    const suspect = await suspected(1_000, 1_000);
    const ends: string[] = [];
    for (const key of ['a', 'b', 'c', 'd'])
      suspect.send({ ...request, key }, receiver({ failed: ({ code }) => ends.push(code) }));
    clock.advance(1_999);
    expect([breaker.state.kind, ends]).toEqual(['closed', []]);
    clock.advance(1);
    // they are told later in the turn
    await new Promise(resolve => setImmediate(resolve));
    expect([breaker.state.kind, ends]).toEqual(['open', ['CIRCUIT_OPEN', 'CIRCUIT_OPEN']]);
  });

  it.each(['retire', 'close'] as const)('is not asked any more after %s', async how => {
    const replaced = await suspected(1_000, 1_000);
    clock.advance(2_000);
    const { state } = breaker;
    expect(state.kind).toBe('open');
    await replaced[how]();
    clock.advance(60_000);
    expect(breaker.state).toEqual(state);
  });
});
