import { expect, it } from 'vitest';
import type { Store } from '../../../../src/backend/store.ts';
import type { MovedBuckets } from '../../../../src/cache/open-writes.ts';
import { anonymous } from '../../../../src/gateway/request/access.ts';
import { type Bucket, hasMoved, placeText, type WebRules } from '../../../../src/gateway/request/bucket.ts';
import { BucketTable, type OtherBuckets } from '../../../../src/gateway/request/bucket-table.ts';
import { Configurations, type ServiceConfiguration } from '../../../../src/gateway/request/configurations.ts';
import { withFallback } from '../../../../src/gateway/request/fallback-bucket.ts';
import { Succession } from '../../../../src/gateway/request/succession.ts';
import { slots, testKey } from '../../../support/object-keys.ts';
import { bucketOf, silentStore } from '../../../support/object-reads.ts';

/** A bucket that is `bucketAtStore` at the store of this identity. */
function bucketAt(bucketAtStore: string, identity = 'main', keyPrefix = ''): Bucket {
  const epochs = slots.of({ backend: identity, bucket: bucketAtStore });
  return { ...bucketOf({ ...silentStore, identity }), bucketAtStore, keyPrefix, epochs };
}

/** A configuration with one bucket, which is `bucketAtStore` at the store of this identity. */
function configurationOf(name: string, bucketAtStore: string, identity = 'main') {
  const bucket: Bucket = { ...bucketAt(bucketAtStore, identity), name };
  return { bucket, configuration: configurationWith({ [name]: bucket }) };
}

/** @param stores of all other buckets: where they are, and the fallback of that */
function configurationWith(
  buckets: Readonly<Record<string, Bucket>>,
  ...stores: readonly Store[]
): ServiceConfiguration {
  const [store, fallback] = stores;
  const others = store && othersAt(store, fallback);
  const [succession] = Object.values(buckets).map(bucket => bucket.succession);
  return {
    domain: undefined,
    buckets: new BucketTable(new Map(Object.entries(buckets)), others, succession),
    authenticate: () => anonymous,
    authenticateForm: () => anonymous,
    policy: { allows: () => true, shareBelow: () => 'every' },
    limits: {
      urlBytes: 100,
      requests: 1,
      requestsPerAddress: 1,
      requestsPerAccessKey: 1,
      connectionsPerAccessKey: 10_000,
      ratePerAddressBytes: 0,
      ratePerAccessKeyBytes: 0,
    },
  };
}

const storeAt = (identity: string): Store => ({ ...silentStore, identity });

const othersAt = (store: Store, fallback: Store | undefined): OtherBuckets => ({
  ...{ store, fallback, region: 'us-east-1', headerPrefix: 'x-amz-', rulesFor: bucketOf().rulesFor },
  find: () => undefined,
});

/** The buckets that `after` moves, where `before` was in force. */
function movedBy(before: ServiceConfiguration, after: ServiceConfiguration): MovedBuckets {
  const all = new Configurations(before);
  all.prepare(after);
  return all.apply();
}

const at = (bucketAtStore: string, identity = 'main') => testKey(identity, bucketAtStore, 'k');

it('serves with a configuration once it is applied, and knows its buckets once it is prepared', () => {
  const [old, next] = [configurationOf('a', 'a'), configurationOf('b', 'b')];
  const all = new Configurations(old.configuration);
  expect(all.bucketOf('b', at('b'))).toBeUndefined();
  all.prepare(next.configuration);
  expect(all.bucketOf('b', at('b'))).toBe(next.bucket);
  expect(all.current).toBe(old.configuration);
  all.apply();
  expect(all.current).toBe(next.configuration);
});

it('finds the bucket of a replaced configuration for the requests that began with it', () => {
  const old = configurationOf('a', 'before');
  const all = new Configurations(old.configuration);
  const next = configurationOf('a', 'after');
  all.prepare(next.configuration);
  all.apply();
  expect(all.bucketOf('a', at('before'))).toBe(old.bucket);
  expect(all.bucketOf('a', at('after'))).toBe(next.bucket);
});

it('tells a store at another address from the one before it by its identity', () => {
  const old = configurationOf('a', 'a');
  const all = new Configurations(old.configuration);
  const next = configurationOf('a', 'a', 'main 1');
  all.prepare(next.configuration);
  all.apply();
  expect(all.bucketOf('a', at('a'))).toBe(old.bucket);
  expect(all.bucketOf('a', at('a', 'main 1'))).toBe(next.bucket);
});

it('does not keep what was prepared and never applied', () => {
  const all = new Configurations(configurationOf('a', 'a').configuration);
  all.prepare(configurationOf('wrong', 'wrong').configuration);
  all.prepare(configurationOf('b', 'b').configuration);
  expect(all.bucketOf('wrong', at('wrong'))).toBeUndefined();
  all.apply();
  expect(all.bucketOf('b', at('b'))).toBeDefined();
});

it('keeps the three configurations before the one in force, however many there were', () => {
  const all = new Configurations(configurationOf('n0', 'n0').configuration);
  for (let number = 1; number <= 10; number++) {
    all.prepare(configurationOf(`n${number}`, `n${number}`).configuration);
    all.apply();
  }
  const known = Array.from({ length: 11 }, (_, number) => `n${number}`).filter(name =>
    all.bucketOf(name, at(name)),
  );
  expect(known).toEqual(['n7', 'n8', 'n9', 'n10']);
});

it.each([
  ['at another store', bucketAt('a'), bucketAt('a', 'main 1')],
  ['another one at its store', bucketAt('a'), bucketAt('b')],
  ['below another prefix', bucketAt('a', 'main', 'x/'), bucketAt('a', 'main', 'y/')],
  ['below a prefix for the first time', bucketAt('a'), bucketAt('a', 'main', 'y/')],
])('moves a bucket that is %s afterwards, and no other', (_, before, after) => {
  const stays = bucketAt('stays');
  const moved = movedBy(
    configurationWith({ b: before, c: stays }),
    configurationWith({ b: after, c: stays }),
  );
  expect(moved).toEqual(new Set([before.epochs.bucketSlot, after.epochs.bucketSlot]));
});

it('moves a bucket that only one of the two configurations has, and none whose name alone is another', () => {
  const [stays, comes] = [bucketAt('stays'), bucketAt('comes')];
  const [less, more] = [configurationWith({ s: stays }), configurationWith({ renamed: stays, c: comes })];
  expect(movedBy(less, more)).toEqual(new Set([comes.epochs.bucketSlot]));
  expect(movedBy(more, less)).toEqual(new Set([comes.epochs.bucketSlot]));
});

it('moves a bucket whose fallback is another one afterwards, or none', () => {
  const [alone, stays] = [bucketAt('a'), bucketAt('stays')];
  const to = (bucketAtStore: string) => withFallback(alone, storeAt('replica'), bucketAtStore);
  const moved = new Set([alone.epochs.bucketSlot]);
  for (const [before, after] of [
    [alone, to('a')],
    [to('a'), alone],
    [to('a'), to('b')],
  ] as const) {
    const [one, other] = [configurationWith({ a: before, stays }), configurationWith({ a: after, stays })];
    expect(movedBy(one, other)).toEqual(moved);
  }
  expect(movedBy(configurationWith({ a: to('a') }), configurationWith({ a: to('a') }))).toEqual(new Set());
});

const [main, moved, replica] = [storeAt('main'), storeAt('main 1'), storeAt('replica')];

it.each([
  ['come', [], [main]],
  ['go', [main], []],
  ['are at another store', [main], [moved]],
  ['get a fallback', [main], [main, replica]],
  ['lose their fallback', [main, replica], [main]],
])('moves every bucket where those without a name of their own %s', (_, before, after) => {
  const buckets = { b: bucketAt('b') };
  const [one, other] = [configurationWith(buckets, ...before), configurationWith(buckets, ...after)];
  expect(movedBy(one, other)).toBe('every');
  expect(movedBy(other, configurationWith(buckets, ...after))).toEqual(new Set());
});

it('a bucket whose store is asked otherwise by rules has moved', () => {
  const asked = (requestRules: string) => configurationWith({ b: { ...bucketAt('b'), requestRules } });
  expect(movedBy(asked('one'), asked('one'))).toEqual(new Set());
  expect(movedBy(asked('one'), asked('two'))).toEqual(new Set([bucketAt('b').epochs.bucketSlot]));
});

it('a web origin whose paths or query are read otherwise has moved, and so has one whose answers are kept otherwise', () => {
  const web: WebRules = {
    ...{ host: { kind: 'origin' }, forwarded: false, originHost: 'o.test', pathPrefix: '' },
    ...{ query: { names: 'all', isSorted: false }, storesCookies: false },
  };
  const at = (rules: Partial<WebRules>) =>
    configurationWith({ site: { ...bucketOf(), name: 'site', web: { ...web, ...rules } } });
  expect(movedBy(at({}), at({}))).toEqual(new Set());
  const others: Partial<WebRules>[] = [
    { pathPrefix: '/a' },
    { storesCookies: true },
    { host: { kind: 'client' } },
    { forwarded: true },
    { query: { names: new Set(['a']), isSorted: false } },
    { query: { names: 'all', isSorted: true } },
  ];
  for (const other of others)
    expect(movedBy(at({}), at(other)), JSON.stringify(other)).not.toEqual(new Set());
});

it('the buckets of a replaced configuration have moved where a later one has them otherwise, after any number of reloads', () => {
  const otherwise = (requestRules: string) => {
    const same = bucketAt('same');
    const { succession } = same;
    return configurationWith({ same, other: { ...bucketAt('other'), succession, requestRules } });
  };
  const bucketsOf = ({ buckets }: ServiceConfiguration) =>
    ['same', 'other'].map(name => buckets.configured.find(bucket => bucket.bucketAtStore === name) as Bucket);
  const [first, second, third] = [otherwise(''), otherwise(''), otherwise('changed')];
  const all = new Configurations(first);
  for (const next of [second, third]) {
    all.prepare(next);
    all.apply();
  }
  // applied twice, as after a reload that changes nothing
  all.apply();
  const moved = [first, second, third].map(each => bucketsOf(each).map(hasMoved));
  expect(moved).toEqual([
    [false, true],
    [false, true],
    [false, false],
  ]);
});

it('a read is found the bucket by whose rules it was made, in whichever of the configurations known', () => {
  const asked = (requestRules: string) => ({ ...bucketAt('b'), name: 'b', requestRules });
  const [first, second] = [asked('one'), asked('two')];
  const all = new Configurations(configurationWith({ b: first }));
  all.prepare(configurationWith({ b: second }));
  const key = testKey('main', 'b', 'k');
  expect(all.bucketOf('b', key)).toBe(second);
  expect(all.bucketOf('b', key, placeText(first))).toBe(first);
  expect(all.bucketOf('b', key, placeText(second))).toBe(second);
  expect(all.bucketOf('b', key, placeText(asked('three')))).toBeUndefined();
});

it('a bucket is now one in force that leads to the object, by its name before others', () => {
  const at = (name: string, identity = 'main', keyPrefix = '') => ({
    ...bucketAt('b', identity, keyPrefix),
    ...{ name, succession: new Succession() },
  });
  const first = at('one', 'main', 'a/');
  const key = testKey('main', 'b', 'a/k');
  const all = new Configurations(configurationWith({ one: first }));
  const become = (buckets: Readonly<Record<string, Bucket>>) => {
    all.prepare(configurationWith(buckets));
    all.apply();
    return all.bucketNow(first, key);
  };
  expect(all.bucketNow(first, key)).toBe(first);
  const [same, whole, other, elsewhere] = [
    at('one', 'main', 'a/'),
    at('one'),
    at('alias', 'main', 'c/'),
    at('one', 'elsewhere'),
  ];
  expect(become({ alias: at('alias'), one: same })).toBe(same);
  expect(become({ alias: other, one: whole })).toBe(whole);
  const alias = at('alias');
  expect(become({ other, one: elsewhere, alias })).toBe(alias);
  expect(become({ one: elsewhere, alias: other })).toBe(first);
});
