import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Breaker, type BreakerChange } from '../../../src/backend/breaker/breaker.ts';
import { allocateBreakers } from '../../../src/backend/breaker/breaker-word.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Fault } from '../../support/stand-in/faults.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

/** What the breaker opens and closes by; the gateway itself has the clock of the system. */
let clock: ManualClock;
let changes: BreakerChange[];
let breakers: Breaker[];
let store: StandInStore;
let gateway: TestGateway;
let broken: BrokenStore | undefined;
let port: number;

type Fate = 'closes' | 'hangs' | 'answers 503';

/** What stands in place of a store that is gone: counts the connections, and closes or keeps each, or answers 503 to all. */
class BrokenStore {
  attempts = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(fate: Fate) {
    this.#server = createServer(socket => {
      this.attempts++;
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      if (fate === 'closes') socket.destroy();
      if (fate === 'answers 503')
        socket.once('data', () =>
          socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
        );
    });
  }

  static async start(port: number, fate: Fate): Promise<BrokenStore> {
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
  breakers = [];
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

async function startGateway(workers = 1, connections = 128, firstByteMs = 300): Promise<void> {
  const words = allocateBreakers(1);
  const settings = {
    ...{ threshold: 0.5, minRequests: 20, windowMs: 10_000 },
    ...{ openMs: 5_000, probes: 3, questionMs: 5_000 },
  };
  const timeouts = { connectMs: 2_000, firstByteMs, idleMs: 300 };
  const ofWorker = {
    timeouts,
    // each worker has one of its own
    get breaker() {
      const changed = (change: BreakerChange) => changes.push(change);
      const breaker = new Breaker({ settings, words, ...{ index: 0, address: 0, clock, changed } });
      breakers.push(breaker);
      return breaker;
    },
  };
  gateway = await TestGateway.start({ storeUrl: store.url, workers, connections, store: ofWorker });
  for (let worker = 0; worker < workers; worker++) await gateway.get('/b/held', {}, worker);
}

/** Reads objects that are not held, all at once. */
function misses(from: number, to: number, worker = 0): Promise<readonly TestAnswer[]> {
  return Promise.all(
    Array.from({ length: to - from }, (_, index) => gateway.get(`/b/k${from + index}`, {}, worker)),
  );
}

async function goDown(fate: Fate): Promise<BrokenStore> {
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

/** What the breaker has asked. */
const questions = () => store.log.requests.filter(({ url }) => url === '/');

const states = () => changes.map(({ to }) => to);

/** Connections that the store gets while `work` goes on. */
async function attemptsDuring(down: BrokenStore, work: () => Promise<unknown>): Promise<number> {
  const before = down.attempts;
  await work();
  return down.attempts - before;
}

/** Resolves when the breaker has changed to `state` for the last time. */
function changedTo(state: BreakerChange['to']): Promise<void> {
  return turnsUntil(`the breaker is ${state}`, () => changes.at(-1)?.to === state);
}

describe.each(['closes', 'hangs', 'answers 503'] as const)('a store that %s', fate => {
  it('is not asked after the first failures: hits are served, all else is 503 at once with a time to come again', async () => {
    await startGateway();
    const down = await goDown(fate);
    await misses(0, 40);
    await changedTo('open');
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

  it('is asked one question at a time, and served from again when it answers, though no client wants anything', async () => {
    await startGateway();
    const down = await goDown(fate);
    await misses(0, 40);
    await changedTo('open');
    const asked = await attemptsDuring(down, async () => {
      clock.advance(5_000);
      await misses(40, 140);
      await turnsUntil('it is open again', () => states().length === 3);
    });
    expect(asked).toBe(1);
    expect(states()).toEqual(['open', 'half-open', 'open']);
    await comeBack();
    clock.advance(4_999);
    expect((await gateway.get('/b/k200')).status).toBe(503);
    clock.advance(1);
    await changedTo('closed');
    expect(store.log.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(3).fill('GET /'));
    expect((await misses(203, 253)).every(({ status }) => status === 200)).toBe(true);
    expect(states()).toEqual(['open', 'half-open', 'open', 'half-open', 'closed']);
  });
});

it('a 503 to HEAD says nothing of the store: it neither opens the breaker nor hides the calls that fail', async () => {
  await startGateway(1, 128, 30_000);
  const down = await goDown('answers 503');
  const heads = async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => gateway.head(`/b/k${index}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  };
  expect(await attemptsDuring(down, heads)).toBeGreaterThanOrEqual(60);
  expect(states()).toEqual([]);
  await misses(100, 140);
  await changedTo('open');
});

it('what one worker has seen of a store keeps the others from asking it', async () => {
  await startGateway(2);
  const down = await goDown('closes');
  await misses(0, 40, 0);
  await changedTo('open');
  expect(await attemptsDuring(down, () => misses(40, 140, 1))).toBe(0);
});

it('calls that wait for a connection are refused when the store turns out to hang', async () => {
  // one client has three quarters of the connections
  await startGateway(1, 12);
  const down = await goDown('hangs');
  const answers = await misses(0, 300);
  expect(answers.every(({ status }) => status === 503 || status === 504)).toBe(true);
  await changedTo('open');
  expect(down.attempts).toBeLessThan(300);
});

describe('a store that works is asked on', () => {
  it.each<[string, Fault, boolean]>([
    ['answered 500', { kind: 'answer', status: 500 }, true],
    // each call has been answered before
    ['broken off', { kind: 'break', afterBytes: 1 }, false],
  ])('though all that a stranger asks for is %s', async (_, fault, isSuspect) => {
    await startGateway();
    for (let index = 0; index < 120; index++) store.spoiled.set(`/b/k${index}`, fault);
    for (let round = 0; round < 4; round++) {
      const bad = await Promise.allSettled(
        Array.from({ length: 30 }, (_each, index) => gateway.get(`/b/k${round * 30 + index}`)),
      );
      expect(bad.every(one => one.status === 'rejected' || one.value.status >= 500)).toBe(true);
      const others = await misses(200 + round * 10, 210 + round * 10);
      expect(others.every(({ status }) => status === 200)).toBe(true);
      clock.advance(1_000);
    }
    expect(questions().length > 0).toBe(isSuspect);
    expect(states()).toEqual([]);
  });

  it('though what a stranger asks for hangs, on all connections that one may have', async () => {
    await startGateway();
    for (let index = 0; index < 60; index++) store.hanging.add(`/b/k${index}`);
    for (let round = 0; round < 2; round++) {
      const bad = misses(0, 60);
      expect((await misses(200 + round * 20, 220 + round * 20)).every(({ status }) => status === 200)).toBe(
        true,
      );
      expect((await bad).every(({ status }) => status >= 500)).toBe(true);
      clock.advance(1_000);
    }
    expect(questions().length, 'it was suspected').toBeGreaterThan(0);
    expect(states()).toEqual([]);
  });

  it('and asked beside all calls: those that hang on every connection do not keep the question waiting', async () => {
    await startGateway(1, 1, 60_000);
    store.hanging.add('/b/k0');
    const hanging = gateway.get('/b/k0');
    await turnsUntil('the only connection is in use', () =>
      store.log.requests.some(({ url }) => url === '/b/k0'),
    );
    for (let call = 0; call < 20; call++) breakers[0]?.failed();
    await turnsUntil('the store is asked', () => questions().length > 0, 2_000);
    await store.close();
    expect((await hanging).status).toBe(503);
    store = await StandInStore.start();
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
