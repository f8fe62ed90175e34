import type { StoreRequest } from './store.ts';

/**
 * The least that a store can be asked to see whether it answers, which it may also refuse.
 *
 * @param bucket the bucket at the store that is asked for; undefined: which buckets there are
 */
export function healthRequest(bucket: string | undefined): StoreRequest {
  const isOfBucket = bucket !== undefined;
  return {
    method: isOfBucket ? 'HEAD' : 'GET',
    operation: isOfBucket ? 'HeadBucket' : 'ListBuckets',
    ...{ bucket, key: undefined, query: '', fields: [] },
  };
}
