import { afterEach, beforeEach, expect, it } from 'vitest';
import { holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

async function start(options: Partial<Parameters<typeof TestGateway.start>[0]> = {}): Promise<void> {
  gateway = await TestGateway.start({ storeUrl: store.url, policy: { ttlMs: 3_600_000 }, ...options });
}

beforeEach(async () => {
  store = await StandInStore.start();
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** An event, as the first worker is told of it; all workers share the epochs. */
function tell(bucket: string, keys?: readonly string[], backend?: string): number | undefined {
  return gateway.gateways[0]?.invalidate({ backend, changes: [{ bucket, keys }] });
}

it.each([1, 2])(
  'law 5: with %i workers an object that changed behind the gateway is new after the event',
  async workers => {
    await start({ workers });
    for (const key of ['1', '2', '3', '4']) {
      store.put('b', key, patternContent(2 * mebibyte, 1));
      await gateway.get(`/b/${key}`);
      store.put('b', key, patternContent(2 * mebibyte, 2));
      expect((await gateway.get(`/b/${key}`)).headers['x-cache']).toBe('HIT');
      expect(tell('b', [key])).toBe(1);
      const answer = await gateway.get(`/b/${key}`);
      expect(holdsAt(patternContent(2 * mebibyte, 2), 0, answer.body)).toBe(true);
    }
  },
);

it('an answer that began before the event is not kept', async () => {
  await start();
  store.put('b', 'racing.bin', patternContent(mebibyte, 1));
  const gate = store.hold();
  const before = gateway.get('/b/racing.bin');
  await store.log.arrival(1);
  tell('b', ['racing.bin']);
  store.put('b', 'racing.bin', patternContent(mebibyte, 2));
  gate.release();
  expect((await before).status).toBe(200);
  const after = await gateway.get('/b/racing.bin');
  expect(after.headers['x-cache']).toBe('MISS');
  expect(holdsAt(patternContent(mebibyte, 2), 0, after.body)).toBe(true);
});

it('an object that is missing is there after the event', async () => {
  await start({ policy: { negativeTtlMs: 3_600_000 } });
  expect((await gateway.get('/b/new')).status).toBe(404);
  store.put('b', 'new', patternContent(100));
  expect((await gateway.get('/b/new')).status).toBe(404);
  tell('b', ['new']);
  expect((await gateway.get('/b/new')).status).toBe(200);
});

it.each([1, 2])(
  'with %i workers an event about what is as it was costs one request, not the content again, and answers say so',
  async workers => {
    await start({ workers });
    for (const key of ['1', '2', '3', '4']) {
      store.put('b', key, patternContent(6 * mebibyte));
      await gateway.get(`/b/${key}`);
      const before = store.log.requests.length;
      tell('b', [key]);
      const answer = await gateway.get(`/b/${key}`);
      expect(holdsAt(patternContent(6 * mebibyte), 0, answer.body)).toBe(true);
      expect(store.log.requests.length - before).toBe(1);
      expect(answer.headers).toMatchObject({
        'x-cache': 'REVALIDATED',
        'cache-status': 'tidegate; fwd=stale; fwd-status=206; stored',
      });
      tell('b', [key]);
      expect((await gateway.get(`/b/${key}`, { range: 'bytes=9-19' })).headers['x-cache']).toBe(
        'REVALIDATED',
      );
      tell('b', [key]);
      store.put('b', key, patternContent(6 * mebibyte, 2));
      expect((await gateway.get(`/b/${key}`)).headers).toMatchObject({
        'x-cache': 'MISS',
        'cache-status': 'tidegate; fwd=stale; fwd-status=206; stored',
      });
    }
  },
);

it('an event about what is as it was, but was not held, brings the bytes: that is a miss', async () => {
  await start();
  store.put('b', 'parts.bin', patternContent(6 * mebibyte));
  await gateway.get('/b/parts.bin', { range: 'bytes=0-9' });
  tell('b', ['parts.bin']);
  expect((await gateway.get('/b/parts.bin', { range: `bytes=${3 * mebibyte}-` })).headers).toMatchObject({
    'x-cache': 'MISS',
    'cache-status': 'tidegate; fwd=stale; fwd-status=206; stored',
  });
});

it('after a purge nothing was held, whatever events came before', async () => {
  await start();
  store.put('b', 'purged', patternContent(100));
  await gateway.get('/b/purged');
  tell('b', ['purged']);
  gateway.gateways[0]?.purge({ kind: 'key', bucket: 'b', key: 'purged' });
  expect((await gateway.get('/b/purged')).headers['cache-status']).toContain('fwd=uri-miss');
});

it('is told by explain, until the store has been asked', async () => {
  await start();
  const told = () => gateway.gateways[0]?.describe('b', 'told')?.records[0];
  store.put('b', 'told', patternContent(100));
  await gateway.get('/b/told');
  expect(told()).toMatchObject({ isOutdated: false, ttlS: 3_600 });
  tell('b', ['told']);
  expect(told()).toMatchObject({ isOutdated: true, ttlS: 0 });
  await gateway.get('/b/told');
  expect(told()).toMatchObject({ isOutdated: false, ttlS: 3_600 });
});

it('other objects stay', async () => {
  await start();
  store.put('b', 'changed', patternContent(100));
  store.put('b', 'other', patternContent(100));
  for (const key of ['changed', 'other']) await gateway.get(`/b/${key}`);
  tell('b', ['changed']);
  expect((await gateway.get('/b/other')).headers['x-cache']).toBe('HIT');
});

it('without a key the bucket is meant', async () => {
  await start();
  for (const key of ['1', '2']) {
    store.put('b', key, patternContent(100, 1));
    await gateway.get(`/b/${key}`);
    store.put('b', key, patternContent(100, 2));
  }
  expect(tell('b')).toBe(1);
  for (const key of ['1', '2'])
    expect(holdsAt(patternContent(100, 2), 0, (await gateway.get(`/b/${key}`)).body)).toBe(true);
});

it('buckets and keys are meant by their names at the store, whatever clients call them', async () => {
  await start({ buckets: { mine: { bucketAtStore: 'theirs', keyPrefix: 'p/' }, b: {} } });
  store.put('theirs', 'p/x', patternContent(100, 1));
  await gateway.get('/mine/x');
  store.put('theirs', 'p/x', patternContent(100, 2));
  expect(tell('mine', ['x'])).toBe(0);
  expect(tell('theirs', ['x'])).toBe(1);
  expect((await gateway.get('/mine/x')).headers['x-cache']).toBe('HIT');
  expect(tell('theirs', ['p/x'])).toBe(1);
  expect(holdsAt(patternContent(100, 2), 0, (await gateway.get('/mine/x')).body)).toBe(true);
});

it('"*" has the buckets that no name is configured for', async () => {
  await start({ hasOthers: true });
  store.put('unnamed', 'x', patternContent(100, 1));
  await gateway.get('/unnamed/x');
  store.put('unnamed', 'x', patternContent(100, 2));
  expect(tell('unnamed', ['x'])).toBe(1);
  expect(holdsAt(patternContent(100, 2), 0, (await gateway.get('/unnamed/x')).body)).toBe(true);
});

it('an event of one backend leaves the same name at another', async () => {
  const other = await StandInStore.start();
  try {
    await start({ otherStores: { second: other.url }, buckets: { b: { bucketAtStore: 'second' } } });
    for (const at of [store, other]) at.put('second', 'x', patternContent(100));
    for (const bucket of ['b', 'second']) await gateway.get(`/${bucket}/x`);
    expect(tell('second', ['x'], 'second')).toBe(1);
    expect((await gateway.get('/b/x')).headers['x-cache']).toBe('HIT');
    expect((await gateway.get('/second/x')).headers['x-cache']).not.toBe('HIT');
    expect(tell('second', ['x'], 'nobody')).toBe(0);
  } finally {
    await other.close();
  }
});
