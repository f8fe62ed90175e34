import { generationsOf } from '../../cache/entry-table.ts';
import { isInRange, type KeyRange } from '../../cache/object-key.ts';
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
  buckets: BucketTable,
): Purged {
  const bucket = buckets.find(request.bucket);
  if (!bucket) return nothing;
  const own = purgeOf(bucket, request, objects, peers);
  if (!bucket.fallback) return own;
  const ofFallback = purgeOf(bucket.fallback, request, objects, peers);
  return { objects: own.objects + ofFallback.objects, bytes: own.bytes + ofFallback.bytes };
}

function purgeOf(
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
  const entry = table.peek(named);
  if (!entry) return nothing;
  const bytes = heldBytes(entry);
  table.forget(named);
  return { objects: 1, bytes };
}

/**
 * Keys share epoch slots by hash, so all matching keys are raised; each raise makes records of other keys of the slot
 * misses.
 */
function purgeRange(range: KeyRange, { epochs, table, objects: directory }: WorkerCache): Purged {
  for (const asked of directory.asking()) if (isInRange(asked, range)) epochs.raise(asked.keySlot);
  let purged = nothing;
  for (const entry of [...table]) {
    if (!isInRange(entry.objectKey, range)) continue;
    epochs.raise(entry.objectKey.keySlot);
    purged = { objects: purged.objects + 1, bytes: purged.bytes + heldBytes(entry) };
    table.forget(entry.objectKey);
  }
  return purged;
}

function heldBytes(entry: Parameters<typeof generationsOf>[0]): number {
  let bytes = 0;
  for (const generation of generationsOf(entry)) bytes += generation.heldBytes;
  return bytes;
}
