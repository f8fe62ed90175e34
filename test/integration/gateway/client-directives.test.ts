import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const honouring = { ttlMs: 60_000, maxStaleMs: 600_000, clientDirectives: 'honour' } as const;
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

async function start(options: Partial<TestGatewayOptions> = {}): Promise<void> {
  gateway = await TestGateway.start({ storeUrl: store.url, clock, policy: honouring, ...options });
  store.put('b', 'k', 'held');
}

const seen = ({ status, headers }: TestAnswer) => [status, headers['x-cache'], headers['cache-status']];
const methods = () => store.log.requests.map(({ method }) => method);

/** What is asked of the cache while it holds an answer of 20 s that is fresh for 40 s more. */
async function ask(cacheControl: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
  await gateway.get('/b/k');
  clock.advance(20_000);
  store.log.clear();
  return gateway.get('/b/k', { 'cache-control': cacheControl, ...headers });
}

describe('RFC 9111 §5.2.1: a client that is heard gets', () => {
  beforeEach(() => start());

  it.each(['no-cache', 'max-age=0', 'max-age=19', 'min-fresh=41'])(
    'what the store has confirmed, by %s',
    async control => {
      const answer = await ask(control);
      expect(seen(answer)).toEqual([200, 'REVALIDATED', 'tidegate; fwd=request; fwd-status=200; stored']);
      expect(answer.headers.age).toBeUndefined();
      expect(methods()).toEqual(['HEAD']);
    },
  );

  it.each(['max-age=20', 'min-fresh=40', 'max-stale', 'only-if-cached', 'no-store', 'foo'])(
    'what is cached, by %s',
    async control => {
      expect(seen(await ask(control))).toEqual([200, 'HIT', 'tidegate; hit; ttl=40']);
      expect(methods()).toEqual([]);
    },
  );

  it('§5.4: what the store has confirmed, by Pragma', async () => {
    await gateway.get('/b/k');
    store.log.clear();
    expect((await gateway.get('/b/k', { pragma: 'no-cache' })).headers['x-cache']).toBe('REVALIDATED');
    expect((await gateway.get('/b/k', { pragma: 'foo' })).headers['x-cache']).toBe('HIT');
    const both = { pragma: 'no-cache', 'cache-control': 'max-stale' };
    expect((await gateway.get('/b/k', both)).headers['x-cache']).toBe('HIT');
  });

  it('the new content, where the store has one', async () => {
    await gateway.get('/b/k');
    store.put('b', 'k', 'new one');
    expect((await gateway.get('/b/k')).body.toString()).toBe('held');
    expect((await gateway.get('/b/k', { 'cache-control': 'no-cache' })).body.toString()).toBe('new one');
    expect((await gateway.get('/b/k')).body.toString()).toBe('new one');
  });

  it('a refusal that the store has just given', async () => {
    expect((await gateway.get('/b/missing')).status).toBe(404);
    store.put('b', 'missing', 'here');
    expect((await gateway.get('/b/missing')).status).toBe(404);
    expect((await gateway.get('/b/missing', { 'cache-control': 'no-cache' })).body.toString()).toBe('here');
  });

  it('what is stale, by max-stale, without a question to the store', async () => {
    await gateway.get('/b/k');
    clock.advance(70_000);
    store.log.clear();
    const answer = await gateway.get('/b/k', { 'cache-control': 'max-stale=11' });
    expect(seen(answer)).toEqual([200, 'STALE', 'tidegate; hit; ttl=-10; detail=max-stale']);
    expect(answer.headers.age).toBe('70');
    expect(methods()).toEqual([]);
    const stricter = await gateway.get('/b/k', { 'cache-control': 'max-stale=10' });
    expect(stricter.headers['x-cache']).toBe('REVALIDATED');
  });

  it('504 by only-if-cached, where nothing is held, or not enough', async () => {
    store.put('b', 'large', patternContent(3 * mebibyte));
    const control = { 'cache-control': 'only-if-cached' };
    const nothing = await gateway.get('/b/large', control);
    expect(seen(nothing)).toEqual([504, 'MISS', 'tidegate; detail=only-if-cached']);
    expect(nothing.body.toString()).toContain('<Code>GatewayTimeout</Code>');
    expect((await gateway.head('/b/large', control)).status).toBe(504);
    await gateway.get('/b/large', { range: 'bytes=0-9' });
    store.log.clear();
    expect((await gateway.get('/b/large', control)).status, 'some bytes are missing').toBe(504);
    expect((await gateway.get('/b/large', { ...control, range: 'bytes=0-9' })).status).toBe(206);
    expect((await gateway.head('/b/large', control)).status).toBe(200);
    expect((await gateway.get('/b/k', { 'cache-control': 'only-if-cached, no-cache' })).status).toBe(504);
    expect(methods()).toEqual([]);
  });

  it('what is not stored, by no-store', async () => {
    const answer = await gateway.get('/b/k', { 'cache-control': 'no-store' });
    expect([answer.status, answer.body.toString()]).toEqual([200, 'held']);
    expect(seen(answer)).toEqual([200, 'BYPASS', 'tidegate; fwd=bypass; detail=no-store']);
    expect((await gateway.get('/b/k')).headers['x-cache']).toBe('MISS');
  });

  it('nothing stale by no-cache where the store fails', async () => {
    await gateway.close();
    // no repeats: time stands still between them
    const mayRepeat = { connections: 1, random: () => 0 };
    await start({ policy: { ...honouring, staleIfErrorMs: 600_000 }, store: mayRepeat });
    await gateway.get('/b/k');
    clock.advance(61_000);
    await store.close();
    const answers = ['no-cache', 'foo'].map(async control => {
      const answer = gateway.get('/b/k', { 'cache-control': control });
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      answer.then(end, end);
      while (!isOver) {
        await new Promise(resolve => setImmediate(resolve));
        clock.advance(1);
      }
      return (await answer).headers['x-cache'];
    });
    expect(await Promise.all(answers)).toEqual(['MISS', 'STALE']);
    store = await StandInStore.start();
  });
});

it('in every worker', async () => {
  await start({ workers: 2 });
  for (const worker of [0, 1]) {
    const nothing = await gateway.get(`/b/k?w=${worker}`, { 'cache-control': 'only-if-cached' }, worker);
    expect(nothing.status).toBe(worker === 0 ? 504 : 200);
    for (const each of [0, 1]) {
      await gateway.get('/b/k', {}, each);
      const found = await gateway.get('/b/k', { 'cache-control': 'only-if-cached' }, each);
      expect([found.status, found.headers['x-cache']]).toEqual([200, 'HIT']);
      const confirmed = await gateway.get('/b/k', { 'cache-control': 'no-cache' }, each);
      expect(confirmed.headers['x-cache']).toBe('REVALIDATED');
    }
  }
});

it('what one client asks of the cache is nothing to another who waits for the same', async () => {
  await start();
  await gateway.get('/b/k');
  store.log.clear();
  const gate = store.hold();
  const strict = gateway.get('/b/k', { 'cache-control': 'no-cache' });
  await store.log.arrival(1);
  expect((await gateway.get('/b/k')).headers['x-cache']).toBe('HIT');
  gate.release();
  expect((await strict).headers['x-cache']).toBe('REVALIDATED');
});

it.each(['no-cache', 'no-store', 'max-age=0', 'only-if-cached'])(
  'a client that is not heard gets what everybody gets, whatever it asks for: %s',
  async control => {
    await start({ policy: { ...honouring, clientDirectives: 'ignore' } });
    expect((await gateway.get('/b/k', { 'cache-control': control })).headers['x-cache']).toBe('MISS');
    expect((await gateway.get('/b/k', { 'cache-control': control })).headers['x-cache']).toBe('HIT');
  },
);
