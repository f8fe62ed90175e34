import type { Epochs } from '../../cache/epochs.ts';
import { type ObjectKey, objectKey } from '../../cache/object-key.ts';
import type { Bucket } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import { pagesOfObject } from '../web/pages-of-object.ts';
import { isWeb } from '../web/web-target.ts';

/** What a store says has changed, by the store's own names. */
export interface StoreChange {
  readonly bucket: string;
  /** The object, in each spelling that the sender may have meant, the likeliest last; undefined for the whole bucket. */
  readonly keys: readonly string[] | undefined;
  /** Whether the object was created or replaced; left out: it was deleted, or something else of it has changed. */
  readonly isWritten?: boolean;
}

/** Changes that one sender told of. */
export interface ToldChanges {
  /** The backend that it speaks for; undefined for every one that has the bucket. */
  readonly backend: string | undefined;
  readonly changes: readonly StoreChange[];
}

/**
 * Invalidates what was learned before the changes: the next read of such an object asks the store. Blocks stay, for the case
 * that its content turns out to be the same. So an event that comes twice, late or out of order costs a question at most.
 *
 * @returns how many of the changes are in a bucket that clients can read, by names that the store knows
 */
export function invalidateChanged(
  { backend, changes }: ToldChanges,
  epochs: Epochs,
  buckets: Pick<BucketTable, 'placesCalled'>,
): number {
  let known = 0;
  for (const { bucket: name, keys } of changes) {
    const places = buckets
      .placesCalled(name)
      .filter(({ store }) => backend === undefined || store.name === backend);
    const found = places.map(place => invalidate(place, keys, epochs));
    if (found.includes(true)) known++;
  }
  return known;
}

/** False where the store's names say nothing of those of the bucket. */
function invalidate(bucket: Bucket, keys: StoreChange['keys'], epochs: Epochs): boolean {
  if (keys === undefined) {
    epochs.raiseBucket(bucket.epochs.bucketSlot);
    return true;
  }
  const named = keys.map(key => objectsOf(bucket, key));
  for (const { keySlot } of named.flatMap(objects => objects ?? [])) epochs.raise(keySlot);
  return !named.includes(undefined);
}

/** What is cached of the object that the store calls `key`. */
function objectsOf(bucket: Bucket, key: string): readonly ObjectKey[] | undefined {
  if (isWeb(bucket)) return pagesOfObject(bucket, key);
  const { store, bucketAtStore, epochs } = bucket;
  return [objectKey({ backend: store.identity, bucket: bucketAtStore }, key, epochs)];
}
