import type { Bucket } from '../disk/buckets.ts';
import { StoreError } from '../protocol/store-error.ts';
import type { Store } from '../store.ts';

/** Throws NoSuchBucket. */
export function findBucket(store: Store, name: string): Bucket {
  const bucket = store.buckets.find(name);
  if (!bucket) throw new StoreError('NoSuchBucket', { fields: { BucketName: name } });
  return bucket;
}
