import { expect, it } from 'vitest';
import type { Store } from '../../../../src/backend/store.ts';
import { anonymous } from '../../../../src/gateway/request/access.ts';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import { BucketTable } from '../../../../src/gateway/request/bucket-table.ts';
import { Configurations, type ServiceConfiguration } from '../../../../src/gateway/request/configurations.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf, silentStore } from '../../../support/object-reads.ts';

/** A configuration with one bucket, which is `bucketAtStore` at the store of this identity. */
function configurationOf(name: string, bucketAtStore: string, identity = 'main') {
  const store: Store = { ...silentStore, identity };
  const bucket: Bucket = { ...bucketOf(store), name, bucketAtStore };
  const configuration: ServiceConfiguration = {
    domain: undefined,
    buckets: new BucketTable(new Map([[name, bucket]]), undefined),
    authenticate: () => anonymous,
    authenticateForm: () => anonymous,
    policy: { allows: () => true, shareBelow: () => 'every' },
    limits: { urlBytes: 100, requests: 1, requestsPerAddress: 1, requestsPerAccessKey: 1 },
  };
  return { bucket, configuration };
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
