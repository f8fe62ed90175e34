import { expect, it } from 'vitest';
import { EpochSlots } from '../../../src/cache/epoch-slots.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { objectsToWarm } from '../../../src/gateway/operate/objects-to-warm.ts';
import { objectKeyOf } from '../../../src/gateway/request/bucket.ts';
import { createBuckets } from '../../../src/wiring/buckets.ts';
import { allocateCache } from '../../../src/wiring/cache.ts';
import { silentStore } from '../../support/object-reads.ts';

const yaml = `
cache: { memory: { size: 16MiB } }
backends:
  main: { type: s3, endpoint: "http://x", keys: exact, credentials: none, fallback: two }
  two: { type: s3, endpoint: "http://y", keys: exact, credentials: none }
  web: { type: http, endpoint: "http://z" }
buckets:
  photos: { backend: main, access: verify, fallbackBucket: replica, rules: [
    { keys: ["tmp/**"], onChange: invalidate }, { keys: ["**", "!raw/**"], onChange: warm }] }
  pictures: { backend: main, bucket: photos, access: verify, keyPrefix: a/, rules: [{ keys: ["x*"], onChange: warm }] }
  plain: { backend: main, access: verify }
  site: { backend: web, access: public }
  "*": { backend: main, access: verify, rules: [{ keys: ["**"], onChange: warm }] }`;

const config = parseConfig(yaml, {});
const { shared } = allocateCache(config, 1, false);
const stores = new Map(['main', 'two', 'web'].map(name => [name, { ...silentStore, name, identity: name }]));
const buckets = createBuckets(
  { config, stores: new Map(), listingSecret: '' },
  { stores, slots: new EpochSlots(shared) },
);

function wanted(bucket: string, keys: string[] | undefined, more: object = {}, backend?: string) {
  return objectsToWarm({ backend, changes: [{ bucket, keys, isWritten: true, ...more }] }, buckets);
}

it.each([
  ['covered by a rule', 'photos', ['k'], [{ bucket: 'photos', keys: ['k'] }]],
  ['of which an earlier rule says otherwise', 'photos', ['tmp/k'], []],
  ['left out by a pattern', 'photos', ['raw/k'], []],
  ['without any rule', 'plain', ['k'], []],
  ['of a bucket without a name here', 'others-bucket', ['k'], [{ bucket: 'others-bucket', keys: ['k'] }]],
  ['of a web origin', 'site', ['k'], []],
  [
    'of two buckets of clients, one below a prefix',
    'photos',
    ['a/x'],
    [
      { bucket: 'photos', keys: ['a/x'] },
      { bucket: 'pictures', keys: ['x'] },
    ],
  ],
  ['that is the prefix itself', 'photos', ['a/'], [{ bucket: 'photos', keys: ['a/'] }]],
  [
    'in two spellings, the likeliest last',
    'photos',
    ['a+b', 'a b'],
    [{ bucket: 'photos', keys: ['a b', 'a+b'] }],
  ],
  [
    'in two spellings, one of them covered',
    'photos',
    ['raw%2Fk', 'raw/k'],
    [{ bucket: 'photos', keys: ['raw%2Fk'] }],
  ],
  ['longer than keys are', 'photos', ['k'.repeat(1_025)], []],
  ['at the fallback', 'replica', ['k'], []],
])('an object %s', (_, bucket, keys, objects) => {
  const found = wanted(bucket, keys);
  expect(found.map(({ hash: _, ...names }) => names)).toEqual(objects);
  const hashOf = (name: string, key: string) => {
    const named = buckets.find(name);
    return named && objectKeyOf(named, key).hash;
  };
  expect(found.map(({ hash }) => hash)).toEqual(found.map(each => hashOf(each.bucket, each.keys[0])));
});

it('a deletion, a change of something else, or one of a whole bucket has nothing read', () => {
  expect(wanted('photos', ['k'], { isWritten: false })).toEqual([]);
  expect(
    objectsToWarm({ backend: undefined, changes: [{ bucket: 'photos', keys: ['k'] }] }, buckets),
  ).toEqual([]);
  expect(wanted('photos', undefined)).toEqual([]);
});

it('of two backends that of the sender counts, and what a fallback tells of itself has nothing read', () => {
  expect(wanted('photos', ['k'], {}, 'main')).toHaveLength(1);
  expect(wanted('photos', ['k'], {}, 'two')).toEqual([]);
  expect(wanted('replica', ['k'], {}, 'two')).toEqual([]);
});
