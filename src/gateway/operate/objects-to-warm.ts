import { isKeyTooLong } from '../../s3/address.ts';
import { type Bucket, objectKeyOf } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import { isWeb } from '../web/web-target.ts';
import type { ToldChanges } from './store-changes.ts';

/** An object that a rule wants to be read again, by the names that clients use. */
export interface ChangedObject {
  readonly bucket: string;
  /** Each spelling that may be meant, the likeliest first. */
  readonly keys: readonly [string, ...string[]];
  /** See `ObjectKey.hash`, of that one: says which worker owns the object. */
  readonly hash: number;
}

/**
 * What of the changes are objects that were created or replaced, and that a rule with `onChange: warm` covers. A bucket that the
 * store knows by one name can be several to clients, each with rules of its own. Of a fallback's objects there are none: reads ask
 * the store itself first.
 */
export function objectsToWarm(
  { backend, changes }: ToldChanges,
  buckets: Pick<BucketTable, 'find' | 'placesCalled'>,
): ChangedObject[] {
  return changes.flatMap(({ bucket: name, keys, isWritten }) => {
    if (!isWritten || keys === undefined) return [];
    const places = buckets
      .placesCalled(name)
      .filter(({ store }) => backend === undefined || store.name === backend)
      .filter(place => buckets.find(place.name)?.store.identity === place.store.identity);
    return places.flatMap(place => {
      const [likeliest, ...others] = wantedOf(place, keys);
      if (likeliest === undefined) return [];
      const { hash } = objectKeyOf(place, likeliest);
      return [{ bucket: place.name, keys: [likeliest, ...others] as const, hash }];
    });
  });
}

function wantedOf(bucket: Bucket, keysAtStore: readonly string[]): string[] {
  if (isWeb(bucket)) return [];
  const { keyPrefix } = bucket;
  return keysAtStore
    .filter(key => key.startsWith(keyPrefix) && key !== keyPrefix && !isKeyTooLong(key))
    .map(key => key.slice(keyPrefix.length))
    .filter(key => bucket.rulesFor(key).onChange === 'warm')
    .toReversed();
}
