import { StandbyStore } from '../../backend/standby-store.ts';
import type { Store } from '../../backend/store.ts';
import { bucketText } from '../../cache/object-key.ts';
import type { Bucket } from './bucket.ts';
import { isRenamed, objectKeyOf } from './bucket.ts';
import type { ClientRead } from './client-read.ts';

/**
 * The bucket that replaces `primary` while its store fails. Its objects are cached apart from the primary's, since the
 * stores may hold different versions (docs/architecture.md, law 2), but share the epochs of the primary's keys, so that
 * a purge or a write there also invalidates what is cached here (law 5).
 */
export function fallbackBucketOf(primary: Bucket, store: Store, bucketAtStore: string): Bucket {
  const name = { backend: primary.store.identity, bucket: primary.bucketAtStore };
  const standby = new StandbyStore(store, name);
  const ownText = bucketText({ backend: standby.identity, bucket: bucketAtStore });
  const primaryText = bucketText(name);
  const { epochs } = primary;
  return {
    ...primary,
    store: standby,
    bucketAtStore,
    epochs: {
      bucketSlot: epochs.bucketSlot,
      keySlot: text => epochs.keySlot(primaryText + text.slice(ownText.length)),
    },
    fallback: undefined,
  };
}

/** The same read in the fallback bucket; undefined if there is none, or if the client may not read the object. */
export function readOfFallback(client: ClientRead): ClientRead | undefined {
  const { read, visibility, isAllowed } = client;
  const { fallback, keyPrefix } = read.bucket;
  if (!fallback || !isAllowed) return undefined;
  return {
    ...client,
    read: {
      ...read,
      bucket: fallback,
      objectKey: objectKeyOf(fallback, read.objectKey.key.slice(keyPrefix.length)),
    },
    visibility: { ...visibility, storeNames: visibility.storeNames && !isRenamed(fallback) },
  };
}
