import type { Epochs } from '../../cache/epochs.ts';
import { objectKey } from '../../cache/object-key.ts';
import type { Bucket } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';

/** What a store says has changed, by the store's own names. */
export interface StoreChange {
  readonly bucket: string;
  /** The object, in each spelling that the sender may have meant; undefined for the whole bucket. */
  readonly keys: readonly string[] | undefined;
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
 * @returns how many of the changes are in a bucket that clients can read
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
    for (const place of places) invalidate(place, keys, epochs);
    if (places.length > 0) known++;
  }
  return known;
}

function invalidate(
  { store, bucketAtStore, epochs: slots }: Bucket,
  keys: StoreChange['keys'],
  epochs: Epochs,
): void {
  if (keys === undefined) epochs.raiseBucket(slots.bucketSlot);
  for (const key of keys ?? [])
    epochs.raise(objectKey({ backend: store.identity, bucket: bucketAtStore }, key, slots).keySlot);
}
