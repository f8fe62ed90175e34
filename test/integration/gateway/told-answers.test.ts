import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ownerOf } from '../../../src/cache/object-key.ts';
import { PeerLink } from '../../../src/gateway/workers/peer-link.ts';
import { testKey } from '../../support/object-keys.ts';
import { patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const workers = 3;
const owner = ownerOf(testKey('main', 'b', 'k').hash, workers);
const other = (owner + 1) % workers;
/** More than are told with the object. */
const origins = Array.from({ length: 40 }, (_, index) => `https://${index}.test`);
let store: StandInStore;
let gateway: TestGateway;
let called: string[];

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, workers, arenaBytes: 96 * 1024 * 1024 });
  called = [];
  const { call } = PeerLink.prototype;
  vi.spyOn(PeerLink.prototype, 'call').mockImplementation(function (this: PeerLink, ...asked) {
    called.push(asked[0]);
    return Reflect.apply(call, this, asked);
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.close();
  await store.close();
});

/** The bodies' entity tags that the other worker gives to each origin. */
async function readAll(): Promise<unknown[]> {
  const tags: unknown[] = [];
  for (const origin of origins) tags.push((await gateway.get('/b/k', { origin }, other)).headers.etag);
  return tags;
}

it.each([2_000, 3_000_000])(
  'laws 4, 6: of %i bytes in more variants than are told each is held at another worker, until any of them changes',
  async sizeBytes => {
    const [first, second] = [patternContent(sizeBytes), patternContent(sizeBytes + 1)];
    store.put('b', 'k', first);
    // as soon as all are learned, nothing changes what is told
    for (let round = 0; round < 3; round++) await readAll();
    const asked = store.log.requests.length;
    called = [];
    expect(new Set(await readAll())).toEqual(new Set([first.entityTag]));
    expect([called, store.log.requests.length - asked]).toEqual([[], 0]);
    store.put('b', 'k', second);
    const noCache = { origin: origins[0] ?? '', 'cache-control': 'no-cache' };
    for (const one of gateway.gateways) one.purge({ kind: 'key', bucket: 'b', key: 'k', soft: true });
    expect((await gateway.get('/b/k', noCache, owner)).headers.etag).toBe(second.entityTag);
    expect(new Set(await readAll())).toEqual(new Set([second.entityTag]));
  },
);

it('answers are for nobody once the object is told anew, and each name is asked for once then', async () => {
  store.put('b', 'k', patternContent(2_000));
  for (let round = 0; round < 3; round++) await readAll();
  // the owner learns a further variant
  await gateway.get('/b/k', { origin: 'https://new.test' }, owner);
  called = [];
  await readAll();
  const asked = called.length;
  expect(called.every(what => what === 'find')).toBe(true);
  // those that are told need no question
  expect(asked).toBeGreaterThan(origins.length / 2);
  expect(asked).toBeLessThan(origins.length);
  await readAll();
  expect(called).toHaveLength(asked);
});
