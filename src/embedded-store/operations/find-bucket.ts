import type { StoredBucket } from '../disk/buckets.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { StoreParts } from '../store.ts';

/** @throws NoSuchBucket */
export function findBucket(store: StoreParts, name: string): StoredBucket {
  const bucket = store.buckets.find(name);
  if (!bucket) throw new OperationError('NoSuchBucket', { fields: { BucketName: name } });
  return bucket;
}
