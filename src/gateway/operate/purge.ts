import { generationsOf } from '../../cache/entry-table.ts';
import { isInRange, type KeyRange, objectKey } from '../../cache/object-key.ts';
import type { Bucket } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import type { Peers } from '../workers/peers.ts';
import type { WorkerCache } from '../workers/worker-cache.ts';

/** Which objects are to be forgotten, by the names that clients use. */
export type PurgeScope =
  | { readonly kind: 'key'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'prefix'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'bucket'; readonly bucket: string };

/** What was forgotten. */
export interface Purged {
  readonly objects: number;
  readonly bytes: number;
}

const nothing: Purged = { objects: 0, bytes: 0 };

/**
 * Forgets objects for good: the epoch is raised first, so that no answer that was under way before is kept, and
 * whatever was known is dropped before this returns (docs/architecture.md, law 5).
 */
export function purge(
  request: PurgeScope,
  objects: WorkerCache,
  peers: Pick<Peers, 'forgetRange'>,
  buckets: BucketTable,
): Purged {
  const bucket = buckets.find(request.bucket);
  if (!bucket) return nothing;
  if (request.kind === 'key') return purgeKey(bucket, request.key, objects);
  const keyPrefix = bucket.keyPrefix + (request.kind === 'prefix' ? request.prefix : '');
  const range = { backend: bucket.store.name, bucket: bucket.bucketAtStore, keyPrefix };
  // The owner may have forgotten long ago what another worker still remembers of its answer.
  peers.forgetRange(range);
  return purgeRange(range, objects);
}

function purgeKey(bucket: Bucket, key: string, { epochs, table }: WorkerCache): Purged {
  const named = objectKey(bucket.store.name, bucket.bucketAtStore, bucket.keyPrefix + key);
  epochs.raise(named.hash);
  const entry = table.peek(named);
  if (!entry) return nothing;
  const bytes = heldBytes(entry);
  table.forget(named);
  return { objects: 1, bytes };
}

/** Epochs are shared by keys of one hash, so all are raised: that costs other buckets a question to their store each. */
function purgeRange(range: KeyRange, { epochs, table, objects: directory }: WorkerCache): Purged {
  for (const asked of directory.asking()) if (isInRange(asked, range)) epochs.raise(asked.hash);
  let purged = nothing;
  for (const entry of [...table]) {
    if (!isInRange(entry.objectKey, range)) continue;
    epochs.raise(entry.objectKey.hash);
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
