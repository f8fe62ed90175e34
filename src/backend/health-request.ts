import type { HeaderField } from '../s3/dialect.ts';
import type { StoreRequest } from './store.ts';

/** Where a store is asked whether it answers. */
export interface AskedPlace {
  /** A bucket at the store; undefined: the question is which buckets there are. */
  readonly bucket: string | undefined;
  /** What rules give to requests there that name no key. */
  readonly fields: readonly HeaderField[];
}

/** The cheapest request that shows whether a store answers. A refusal is an answer too, so no rights are needed for it. */
export function healthRequest({ bucket, fields }: AskedPlace): StoreRequest {
  const isOfBucket = bucket !== undefined;
  return {
    method: isOfBucket ? 'HEAD' : 'GET',
    operation: isOfBucket ? 'HeadBucket' : 'ListBuckets',
    ...{ bucket, key: undefined, query: '', fields },
  };
}
