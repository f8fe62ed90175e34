import type { StoreRequest } from './store.ts';

/**
 * The cheapest request that shows whether a store answers. A refusal is an answer too, so no rights are needed for it.
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
