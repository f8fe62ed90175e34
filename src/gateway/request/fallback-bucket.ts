import type { Store } from '../../backend/store.ts';
import { bucketText, objectKey } from '../../cache/object-key.ts';
import type { Visibility } from './access.ts';
import type { Bucket } from './bucket.ts';
import { isRenamed } from './bucket.ts';
import type { ObjectRead } from './object-read.ts';

/** Where a bucket has its fallback. Others have it from `readAtFallback` or `placesOf` alone. */
const fallback: unique symbol = Symbol('fallback');

interface MayFallBack extends Bucket {
  readonly [fallback]?: Bucket;
}

/** A read, and what its client may see of the answer. */
interface VisibleRead {
  readonly read: ObjectRead;
  readonly visibility: Visibility;
}

/**
 * The bucket with another one that is read while its store fails, see `fallbackOf`.
 *
 * @param store the fallback of the backend
 * @param bucketAtStore what the bucket is called there
 */
export function withFallback(primary: Bucket, store: Store, bucketAtStore: string): Bucket {
  const complete: MayFallBack = { ...primary, [fallback]: fallbackOf(primary, store, bucketAtStore) };
  return complete;
}

/** Everywhere that reads of the bucket may come from: itself, and its fallback. */
export function placesOf(bucket: Bucket): readonly Bucket[] {
  const { [fallback]: other }: MayFallBack = bucket;
  return other ? [bucket, other] : [bucket];
}

/**
 * The same read of the same key in the fallback of its bucket; undefined if there is none, or if the client may not read
 * the object.
 */
export function readAtFallback({
  read,
  visibility,
  isAllowed,
}: VisibleRead & { readonly isAllowed: boolean }): VisibleRead | undefined {
  const { [fallback]: bucket }: MayFallBack = read.bucket;
  if (!bucket || !isAllowed) return undefined;
  const { store, bucketAtStore, epochs } = bucket;
  // a key at the store, so it has the prefix of the bucket
  const { key } = read.objectKey;
  return {
    read: {
      ...read,
      bucket,
      objectKey: objectKey({ backend: store.identity, bucket: bucketAtStore }, key, epochs),
    },
    visibility: { ...visibility, storeNames: visibility.storeNames && !isRenamed(bucket) },
  };
}

/**
 * Its objects are cached apart from the primary's, since the stores may hold different versions (docs/architecture.md,
 * law 2), but share the epochs of the primary's keys, so that a purge or a write there also invalidates what is cached here
 * (law 5).
 */
function fallbackOf(primary: Bucket, store: Store, bucketAtStore: string): Bucket {
  const name = { backend: primary.store.identity, bucket: primary.bucketAtStore };
  // neither names of backends nor those of buckets contain a space
  const identity = `${store.identity} for ${name.backend} ${name.bucket}`;
  const ownText = bucketText({ backend: identity, bucket: bucketAtStore });
  const primaryText = bucketText(name);
  const { epochs } = primary;
  return {
    ...primary,
    store: storeOfBucket(store, identity, bucketAtStore),
    bucketAtStore,
    epochs: {
      bucketSlot: epochs.bucketSlot,
      keySlot: text => epochs.keySlot(primaryText + text.slice(ownText.length)),
    },
  };
}

/**
 * A store that can be asked for one bucket only. Its identity is one for each bucket that it is the fallback of, whose writes
 * and purges count for what is cached of it: so its objects are cached apart from the store's own, and from those of other
 * buckets.
 */
function storeOfBucket(store: Store, identity: string, bucket: string): Store {
  return {
    name: store.name,
    identity,
    send: (request, receiver) => store.send({ ...request, bucket, reason: 'fallback' }, receiver),
    mayRetry: () => store.mayRetry(),
    close: () => store.close(),
  };
}
