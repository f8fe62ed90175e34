import { afterEach, beforeEach, expect, it } from 'vitest';
import { holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

const purgeAll = () => gateway.gateways.map(one => one.purge({ kind: 'bucket', bucket: 'b' }));

it.each([
  { kind: 'key', bucket: 'b', key: 'x.bin' } as const,
  { kind: 'prefix', bucket: 'b', prefix: 'x' } as const,
  { kind: 'bucket', bucket: 'b' } as const,
])('law 5: what was purged by $kind is asked of the store again', async request => {
  store.put('b', 'x.bin', patternContent(2 * mebibyte, 1));
  await gateway.get('/b/x.bin');
  store.put('b', 'x.bin', patternContent(2 * mebibyte, 2));
  expect(gateway.gateways[0]?.purge(request)).toEqual({ kind: 'counted', objects: 1, bytes: 2 * mebibyte });
  const answer = await gateway.get('/b/x.bin');
  expect(answer.headers['x-cache']).toBe('MISS');
  expect(holdsAt(patternContent(2 * mebibyte, 2), 0, answer.body)).toBe(true);
});

it('law 5: a fill that began before the purge brings nothing back', async () => {
  store.put('b', 'racing.bin', patternContent(mebibyte, 1));
  const gate = store.hold();
  const before = gateway.get('/b/racing.bin');
  await store.log.arrival(1);
  purgeAll();
  store.put('b', 'racing.bin', patternContent(mebibyte, 2));
  const after = gateway.get('/b/racing.bin');
  await store.log.arrival(2);
  gate.release();
  expect((await before).status).toBe(200);
  expect(holdsAt(patternContent(mebibyte, 2), 0, (await after).body)).toBe(true);
  const later = await gateway.get('/b/racing.bin');
  expect(later.headers['x-cache']).toBe('HIT');
  expect(holdsAt(patternContent(mebibyte, 2), 0, later.body)).toBe(true);
});

it.each([
  { kind: 'key', bucket: 'b', key: 'k' } as const,
  { kind: 'prefix', bucket: 'b', prefix: 'k' } as const,
  { kind: 'bucket', bucket: 'b' } as const,
  { kind: 'tag', tag: 't' } as const,
])('law 5: bytes from before a purge by $kind are none of what was learned after it', async request => {
  const headers = { etag: '"same"', 'cache-tag': 't' };
  store.faults.next({
    ...{ kind: 'answer', status: 206, body: 'old' },
    headers: { ...headers, 'content-range': 'bytes 0-2/3', 'content-length': '3' },
  });
  const gate = store.hold('GET');
  const before = gateway.get('/b/k');
  await store.log.arrival(1);
  store.put('b', 'k', 'new', { headers });
  gateway.gateways[0]?.purge(request);
  expect((await gateway.head('/b/k')).status).toBe(200);
  gate.release();
  expect((await before).body.toString()).toBe('old');
  expect((await gateway.get('/b/k')).body.toString()).toBe('new');
});

it('a purge of what is being sent does not hurt the one who reads it', async () => {
  const content = patternContent(30 * mebibyte);
  store.put('b', 'sending.bin', content);
  store.rateBytesPerS = 60 * mebibyte;
  const reading = gateway.get('/b/sending.bin');
  await store.log.arrival(1);
  store.log.at({ bodyBytes: 9 * mebibyte }, purgeAll);
  const answer = await reading;
  expect(answer.body.length).toBe(content.sizeBytes);
  expect(holdsAt(content, 0, answer.body)).toBe(true);
});

it('purging nothing is fine', () => {
  const nothing = { kind: 'counted', objects: 0, bytes: 0 };
  expect(gateway.gateways[0]?.purge({ kind: 'key', bucket: 'b', key: 'nothing' })).toEqual(nothing);
  expect(gateway.gateways[0]?.purge({ kind: 'bucket', bucket: 'unknown' })).toEqual(nothing);
  expect(gateway.gateways[0]?.purge({ kind: 'tag', tag: 'nothing' })).toEqual(nothing);
});
