import { expect, it } from 'vitest';
import { EpochSlots } from '../../../src/cache/epoch-slots.ts';
import { EPOCH_SLOTS } from '../../../src/cache/shared-memory.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { objectKeyOf } from '../../../src/gateway/request/bucket.ts';
import { requireObject } from '../../../src/gateway/request/locate.ts';
import { createBuckets } from '../../../src/wiring/buckets.ts';
import { allocateCache } from '../../../src/wiring/cache.ts';
import { silentStore } from '../../support/object-reads.ts';

const yaml = `
backends:
  main: { type: s3, endpoint: "http://x", keys: exact, credentials: none, fallback: two }
  two: { type: s3, endpoint: "http://y", keys: exact, credentials: none }
buckets:
  photos: { backend: main, access: verify, fallbackBucket: replica }
  prints: { backend: main, access: verify, fallbackBucket: replica }
  pictures: { backend: main, bucket: photos, access: verify, keyPrefix: a/ }
  films: { backend: main, access: verify }
  other: { backend: two, bucket: photos, access: verify }
  "*": { backend: main, access: verify }`;

function configured(yaml: string) {
  const config = parseConfig(`cache: { memory: { size: 16MiB } }\n${yaml}`, {});
  const { shared } = allocateCache(config, 1, false);
  const stores = new Map(['main', 'two'].map(name => [name, { ...silentStore, name, identity: name }]));
  return { config, shared, parts: { stores, slots: new EpochSlots(shared) } };
}

function setup() {
  const { config, shared, parts } = configured(yaml);
  const buckets = createBuckets({ config, stores: new Map(), listingSecret: '' }, parts);
  return { shared, buckets, slotOf: (name: string) => buckets.find(name)?.epochs.bucketSlot };
}

it('buckets named in the configuration have epochs of their own, which two names of one bucket share', () => {
  const { shared, slotOf } = setup();
  expect(slotOf('pictures')).toBe(slotOf('photos'));
  const own = ['photos', 'films', 'other'].map(slotOf);
  expect(new Set(own).size).toBe(3);
  expect(Math.max(...own.map(Number))).toBeLessThan(shared.namedBuckets.length);
});

it('buckets that "*" stands for share the others, by a secret that each start makes anew', () => {
  const { shared, slotOf } = setup();
  const names = Array.from({ length: 50 }, (_, index) => `mine-${index}`);
  for (const name of names) expect(slotOf(name)).toBeGreaterThanOrEqual(shared.namedBuckets.length);
  const again = setup();
  expect(names.map(again.slotOf)).not.toEqual(names.map(slotOf));
  expect(again.shared.epochKey).not.toEqual(shared.epochKey);
});

it('the fallback of a bucket has names of its own in the cache, and the epochs of the bucket', () => {
  const { buckets } = setup();
  for (const [name, atFallback] of [
    ['photos', 'replica'],
    ['prints', 'replica'],
    ['films', 'films'],
    ['mine', 'mine'],
  ] as const) {
    const [bucket, fallback] = buckets.placesOf(name);
    if (!bucket || !fallback) throw new Error(`${name} has no fallback`);
    const [own, other] = [objectKeyOf(bucket, 'a/b'), objectKeyOf(fallback, 'a/b')];
    expect(other).toMatchObject({ backend: `two for main ${name}`, bucket: atFallback, key: 'a/b' });
    expect([other.keySlot, other.bucketSlot]).toEqual([own.keySlot, own.bucketSlot]);
    expect(objectKeyOf(bucket, 'a/c').keySlot).not.toBe(own.keySlot);
  }
  expect(buckets.placesOf('other')).toEqual([buckets.find('other')]);
});

it.each([
  ['photos', ['photos at main', 'pictures at main', 'pictures at two for main photos', 'other at two']],
  ['replica', ['photos at two for main photos', 'prints at two for main prints']],
  ['films', ['films at main', 'films at two for main films']],
  ['mine', ['mine at main', 'mine at two for main mine']],
  ['Not-A-Name', []],
])('what a store calls %s is at all of these places, by the names of clients', (nameAtStore, expected) => {
  const places = setup().buckets.placesCalled(nameAtStore);
  expect(places.map(({ name, store }) => `${name} at ${store.identity}`)).toEqual(expected);
});

it.each([
  ['path', 'path', false],
  ['virtual', 'path', true],
  ['path', 'virtual', true],
] as const)(
  'keys can be paths of administration at a store with %s addressing and a fallback with %s addressing: %s',
  (own, ofFallback, isMet) => {
    const { config, parts } = configured(`
backends:
  main: { type: s3, endpoint: "http://x.test", keys: exact, credentials: none, fallback: two, addressing: ${own} }
  two: { type: s3, endpoint: "http://y.test", keys: exact, credentials: none, addressing: ${ofFallback} }
buckets: { photos: { backend: main, access: verify }, "*": { backend: main, access: verify } }`);
    const buckets = createBuckets({ config, stores: new Map(), listingSecret: '' }, parts);
    for (const name of ['photos', 'mine']) {
      const bucket = buckets.find(name);
      if (!bucket) throw new Error(`no bucket ${name}`);
      const asked = () => requireObject(bucket, 'minio/admin/v3/export-iam');
      if (isMet) expect(asked).toThrow('Access Denied');
      else expect(asked).not.toThrow();
      expect(() => requireObject(bucket, 'mine/admin')).not.toThrow();
    }
  },
);

it('each bucket at a web origin has a part of the counters of its own, also one that comes with a reload', () => {
  const web = (names: readonly string[]) => `
backends: { one: { type: http, endpoint: "http://x" }, two: { type: http, endpoint: "http://y" } }
buckets:
${names.map((name, at) => `  ${name}: { backend: ${at % 2 === 0 ? 'one' : 'two'}, access: public }`).join('\n')}`;
  const names = Array.from({ length: 40 }, (_, at) => `site-${at}`);
  const { shared, parts } = configured(web(names));
  const { keySlots } = shared.webParts;
  const partsOf = (all: readonly string[], own = parts) => {
    const { config } = configured(web(all));
    const buckets = createBuckets({ config, stores: new Map(), listingSecret: '' }, own);
    return all.map(name => {
      const bucket = buckets.find(name);
      return bucket && Math.floor((objectKeyOf(bucket, '/k').keySlot - EPOCH_SLOTS) / keySlots);
    });
  };
  const stores = new Map(['one', 'two'].map(name => [name, { ...silentStore, name, identity: name }]));
  const here = { ...parts, stores };
  const before = partsOf(names, here);
  expect(new Set(before).size).toBe(names.length);
  const after = partsOf([...names, 'new-1', 'new-2'], {
    stores,
    slots: new EpochSlots(structuredClone(shared)),
  });
  expect(after.slice(0, names.length)).toEqual(before);
  expect(new Set(after).size).toBe(names.length + 2);
});
