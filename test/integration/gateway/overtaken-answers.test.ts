import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, whileTimePasses } from '../../support/manual-clock.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const policy = { ttlMs: 60_000, staleIfErrorMs: 600_000, negativeTtlMs: 60_000 };
const origin = { origin: 'https://app.example' };
let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** The answer to what is asked first is decided then, and comes last; `later` is asked and answered meanwhile. */
async function overtake(
  first: { readonly method?: string; readonly headers?: Record<string, string> },
  later: () => Promise<void>,
): Promise<void> {
  const { method = 'GET', headers } = first;
  const gate = store.hold(method, 'answers');
  const answer = gateway.send(method, '/b/k', headers);
  await expect.poll(() => store.log.requests.length).toBe(1);
  store.open();
  await later();
  gate.release();
  await answer;
}

describe.each([1, 2])('%i workers: an answer that was asked for first and comes last', workers => {
  beforeEach(async () => {
    clock = new ManualClock();
    store = await StandInStore.start();
    gateway = await TestGateway.start({ storeUrl: store.url, workers, clock, policy });
  });

  const read = (method = 'GET', headers?: Record<string, string>) => gateway.send(method, '/b/k', headers);

  async function refused(method: string): Promise<void> {
    store.faults.next({ kind: 'answer', status: 403 }, 3);
    expect((await read(method)).status).toBe(403);
    store.faults.clear();
  }

  it.each([
    { name: 'GET, refused to HEAD', first: {}, method: 'HEAD' },
    { name: 'GET with Origin, refused without', first: { headers: origin }, method: 'GET' },
  ])('law 6: is not served where the store fails if the store has refused since: $name', async asked => {
    store.put('b', 'k', 'held');
    await overtake(asked.first, () => refused(asked.method));
    clock.advance(61_000);
    store.faults.next({ kind: 'answer', status: 503 }, 10);
    const { status } = await whileTimePasses(
      clock,
      read('GET', 'headers' in asked.first ? origin : undefined),
    );
    expect(status).toBe(503);
  });

  it('a refusal that comes so late takes nothing from what the store has confirmed since', async () => {
    store.put('b', 'k', 'held');
    store.faults.next({ kind: 'answer', status: 403 });
    await overtake({}, async () => {
      expect((await read('HEAD')).status).toBe(200);
    });
    expect((await read()).body.toString()).toBe('held');
    clock.advance(61_000);
    store.faults.next({ kind: 'answer', status: 503 }, 10);
    const { status, headers } = await whileTimePasses(clock, read());
    expect([status, headers['x-cache']]).toEqual([200, 'STALE']);
  });

  it('replaces nothing that the store has said since', async () => {
    store.put('b', 'k', 'first');
    await overtake({}, async () => {
      store.put('b', 'k', 'second');
      expect((await read('HEAD')).headers['content-length']).toBe('6');
    });
    const [got, head] = [await read(), await read('HEAD')];
    expect([got.status, got.body.toString(), head.headers['content-length']]).toEqual([200, 'second', '6']);
  });

  it('nor that there is nothing any more', async () => {
    store.put('b', 'k', 'first');
    await overtake({}, async () => {
      store.remove('b', 'k');
      expect((await read('HEAD')).status).toBe(404);
    });
    expect((await read('HEAD')).status).toBe(404);
  });

  it('is kept where nothing else has been said since, with the bytes that came with it', async () => {
    store.put('b', 'k', 'first');
    await overtake({}, async () => {
      expect((await read('HEAD')).status).toBe(200);
    });
    const { body, headers } = await read();
    expect([body.toString(), headers['x-cache'], store.log.requests.length]).toEqual(['first', 'HIT', 2]);
  });
});
