import { isInRange, isTextInRange, type KeyRange } from '../../cache/object-key.ts';
import { type Bucket, objectKeyOf } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import type { Peers } from '../workers/peers.ts';
import type { WorkerCache } from '../workers/worker-cache.ts';

/** The objects to purge, by the names that clients use. */
export type PurgeScope =
  | { readonly kind: 'key'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'prefix'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'bucket'; readonly bucket: string };

/** What a purge removed. */
export interface Purged {
  readonly objects: number;
  readonly bytes: number;
}

const nothing: Purged = { objects: 0, bytes: 0 };

/**
 * Purges objects. The epoch is raised first, so answers already in progress are not stored; everything held is dropped
 * before this returns (docs/architecture.md, law 5).
 */
export function purge(
  request: PurgeScope,
  objects: WorkerCache,
  peers: Pick<Peers, 'forgetRange'>,
  buckets: Pick<BucketTable, 'placesOf'>,
): Purged {
  return buckets
    .placesOf(request.bucket)
    .map(place => purgePlace(place, request, objects, peers))
    .reduce((all, one) => ({ objects: all.objects + one.objects, bytes: all.bytes + one.bytes }), nothing);
}

function purgePlace(
  bucket: Bucket,
  request: PurgeScope,
  objects: WorkerCache,
  peers: Pick<Peers, 'forgetRange'>,
): Purged {
  if (request.kind === 'key') return purgeKey(bucket, request.key, objects);
  const keyPrefix = bucket.keyPrefix + (request.kind === 'prefix' ? request.prefix : '');
  const range = { backend: bucket.store.identity, bucket: bucket.bucketAtStore, keyPrefix };
  // The owner may have evicted records that another worker still caches.
  peers.forgetRange(range);
  return purgeRange(range, objects);
}

function purgeKey(bucket: Bucket, key: string, { epochs, table }: WorkerCache): Purged {
  const named = objectKeyOf(bucket, key);
  epochs.raise(named.keySlot);
  const known = table.known(named);
  if (!known) return nothing;
  const bytes = known.heldBytes;
  table.drop(named.text);
  return { objects: 1, bytes };
}

/**
 * Keys share epoch slots by hash, so all matching keys are raised; each raise makes records of other keys of the slot
 * misses.
 */
function purgeRange(range: KeyRange, { epochs, table, objects: directory }: WorkerCache): Purged {
  for (const asked of directory.asking()) if (isInRange(asked, range)) epochs.raise(asked.keySlot);
  let purged = nothing;
  for (const { text, keySlot, heldBytes } of [...table]) {
    if (!isTextInRange(text, range)) continue;
    epochs.raise(keySlot);
    purged = { objects: purged.objects + 1, bytes: purged.bytes + heldBytes };
    table.drop(text);
  }
  return purged;
}
