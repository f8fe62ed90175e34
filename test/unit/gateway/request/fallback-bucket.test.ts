import { expect, it } from 'vitest';
import type { Store, StoreRequest } from '../../../../src/backend/store.ts';
import { type Bucket, objectKeyOf } from '../../../../src/gateway/request/bucket.ts';
import { placesOf, readAtFallback, withFallback } from '../../../../src/gateway/request/fallback-bucket.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { slots } from '../../../support/object-keys.ts';
import { bucketOf, readOf, silentStore } from '../../../support/object-reads.ts';

const asked: StoreRequest[] = [];
const replica: Store = {
  ...silentStore,
  name: 'replica',
  identity: 'replica',
  send: request => {
    asked.push(request);
    return { pause: () => undefined, resume: () => undefined, took: () => undefined, abort: () => undefined };
  },
};

/** One of several buckets of a store that have one bucket as their fallback. */
function bucketCalled(name: string): Bucket {
  const epochs = slots.of({ backend: silentStore.identity, bucket: name });
  return withFallback({ ...bucketOf(), name, bucketAtStore: name, epochs }, replica, 'shared');
}

function atFallback(bucket: Bucket): ObjectRead {
  const read = readOf('k', { bucket, objectKey: objectKeyOf(bucket, 'k') });
  const visibility = {
    checksums: true,
    storeNames: true,
    targeted: true,
    taggingCount: true,
    legalHold: true,
  };
  const found = readAtFallback({ read, visibility, isAllowed: true });
  if (!found) throw new Error('the bucket has no fallback');
  return found.read;
}

it('law 5: buckets with one fallback keep what they have of it apart, since writes and purges count for their own', () => {
  const buckets = [bucketCalled('one'), bucketCalled('two')];
  const [one, two] = buckets.map(atFallback).map(({ objectKey }) => objectKey);
  expect(one?.text).not.toBe(two?.text);
  const slotsOf = ({ keySlot, bucketSlot }: { keySlot: number; bucketSlot: number }) => [keySlot, bucketSlot];
  for (const bucket of buckets)
    expect(slotsOf(atFallback(bucket).objectKey)).toEqual(slotsOf(objectKeyOf(bucket, 'k')));
});

it('what a purge of a bucket names at its fallback is what was read there', () => {
  const bucket = bucketCalled('one');
  const [, place] = placesOf(bucket);
  expect(place && objectKeyOf(place, 'k').text).toBe(atFallback(bucket).objectKey.text);
});

it('the fallback is asked for its own bucket, and told apart from the store', () => {
  const receiver = { answered: () => {}, arrived: () => {}, ended: () => {}, failed: () => {} };
  const { bucket } = atFallback(bucketCalled('one'));
  bucket.store.send({ method: 'GET', bucket: 'one', key: 'k', query: '', fields: [] }, receiver);
  expect(asked.splice(0)).toMatchObject([{ bucket: 'shared', key: 'k', reason: 'fallback' }]);
});
