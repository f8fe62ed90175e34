import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Breaker, type BreakerChange } from '../../../src/backend/breaker/breaker.ts';
import { allocateBreakers } from '../../../src/backend/breaker/breaker-word.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway } from '../../support/test-gateway.ts';

/** What the breaker opens and closes by; the gateway itself has the clock of the system. */
let clock: ManualClock;
let changes: BreakerChange[];
let store: StandInStore;
let gateway: TestGateway;
let broken: BrokenStore | undefined;
let port: number;

/** What stands in place of a store that is gone: counts the connections, and closes or keeps each without an answer. */
class BrokenStore {
  attempts = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(fate: 'closes' | 'hangs') {
    this.#server = createServer(socket => {
      this.attempts++;
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      if (fate === 'closes') socket.destroy();
    });
  }

  static async start(port: number, fate: 'closes' | 'hangs'): Promise<BrokenStore> {
    const store = new BrokenStore(fate);
    await new Promise<void>(resolve => store.#server.listen(port, '127.0.0.1', resolve));
    return store;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

beforeEach(async () => {
  clock = new ManualClock();
  changes = [];
  broken = undefined;
  store = await StandInStore.start();
  port = store.port;
  for (let index = 0; index < 500; index++) store.put('b', `k${index}`, `content ${index}`);
  store.put('b', 'held', 'held');
});
afterEach(async () => {
  await gateway.close();
  await store.close();
  await broken?.close();
});

async function startGateway(workers = 1): Promise<void> {
  const breaker = new Breaker({
    settings: {
      threshold: 0.5,
      minRequests: 20,
      windowMs: 10_000,
      openMs: 5_000,
      probes: 3,
      probeMs: 15_000,
    },
    words: allocateBreakers(1),
    ...{ index: 0, address: 0, clock, changed: change => changes.push(change) },
  });
  const timeouts = { connectMs: 2_000, firstByteMs: 300, idleMs: 300 };
  gateway = await TestGateway.start({ storeUrl: store.url, workers, store: { breaker, timeouts } });
  for (let worker = 0; worker < workers; worker++) await gateway.get('/b/held', {}, worker);
}

/** Reads objects that are not held, all at once. */
function misses(from: number, to: number, worker = 0): Promise<readonly TestAnswer[]> {
  return Promise.all(
    Array.from({ length: to - from }, (_, index) => gateway.get(`/b/k${from + index}`, {}, worker)),
  );
}

async function goDown(fate: 'closes' | 'hangs'): Promise<BrokenStore> {
  await store.close();
  broken = await BrokenStore.start(port, fate);
  return broken;
}

async function comeBack(): Promise<void> {
  await broken?.close();
  broken = undefined;
  store = await StandInStore.start({ port });
  for (let index = 0; index < 500; index++) store.put('b', `k${index}`, `content ${index}`);
}

const states = () => changes.map(({ to }) => to);

/** Connections that the store gets while `work` goes on. */
async function attemptsDuring(down: BrokenStore, work: () => Promise<unknown>): Promise<number> {
  const before = down.attempts;
  await work();
  return down.attempts - before;
}

describe.each(['closes', 'hangs'] as const)('a store that %s its connections without an answer', fate => {
  it('is not asked after the first failures: hits are served, all else is 503 at once with a time to come again', async () => {
    await startGateway();
    const down = await goDown(fate);
    await misses(0, 40);
    expect(states()).toEqual(['open']);
    const asked = await attemptsDuring(down, async () => {
      const refused = await misses(40, 240);
      const told = refused.filter(({ status, headers }) => status === 503 && headers['retry-after']);
      expect(told).toHaveLength(200);
      const hits = await Promise.all(Array.from({ length: 200 }, () => gateway.get('/b/held')));
      const seen = new Set(hits.map(({ status, headers }) => `${status} ${headers['x-cache']}`));
      expect(seen).toEqual(new Set(['200 HIT']));
      expect((await gateway.send('DELETE', '/b/k1')).status).toBe(503);
    });
    expect(asked, 'connections while the breaker is open').toBe(0);
  });

  it('is tried with three calls at a time, and served from again when they succeed', async () => {
    await startGateway();
    const down = await goDown(fate);
    await misses(0, 40);
    clock.advance(5_000);
    // any of them that fails opens the breaker again
    expect(await attemptsDuring(down, () => misses(40, 140))).toBeLessThanOrEqual(9);
    expect(states()).toEqual(['open', 'half-open', 'open']);
    await comeBack();
    clock.advance(4_999);
    expect((await gateway.get('/b/k200')).status).toBe(503);
    clock.advance(1);
    for (let index = 200; index < 203; index++) {
      const { status, body } = await gateway.get(`/b/k${index}`);
      expect([status, body.toString()]).toEqual([200, `content ${index}`]);
    }
    expect(states()).toEqual(['open', 'half-open', 'open', 'half-open', 'closed']);
    expect((await misses(203, 253)).every(({ status }) => status === 200)).toBe(true);
  });
});

it('what one worker has seen of a store keeps the others from asking it', async () => {
  await startGateway(2);
  const down = await goDown('closes');
  await misses(0, 40, 0);
  expect(states()).toEqual(['open']);
  expect(await attemptsDuring(down, () => misses(40, 140, 1))).toBe(0);
});

it('calls that wait for a connection are refused when the store turns out to hang', async () => {
  await startGateway();
  const down = await goDown('hangs');
  // more than there are connections
  const answers = await misses(0, 300);
  expect(answers.every(({ status }) => status === 503 || status === 504)).toBe(true);
  // all connections, and one in place of each of the first failures
  expect(down.attempts).toBeLessThanOrEqual(128 + 20);
});

describe('a store that works is asked on', () => {
  it('though one object fails whenever it is asked for', async () => {
    await startGateway();
    for (let round = 0; round < 8; round++) {
      store.faults.next({ kind: 'answer', status: 500 }, 3);
      expect((await gateway.get('/b/k0')).status).toBe(500);
    }
    expect(store.log.requests.filter(({ url }) => url === '/b/k0').length).toBeGreaterThanOrEqual(20);
    expect(states()).toEqual([]);
    expect((await gateway.get('/b/k1')).status).toBe(200);
  });

  it('though it says that it is asked too much', async () => {
    await startGateway();
    const body = '<Error><Code>SlowDown</Code></Error>';
    store.faults.next({ kind: 'answer', status: 503, body }, 40);
    const answers = await misses(0, 40);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(store.faults.left).toBe(0);
    expect(states()).toEqual([]);
  });
});
