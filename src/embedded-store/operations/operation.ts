import type { Caller } from '../access/caller.ts';
import type { Bucket } from '../disk/buckets.ts';
import type { Answer } from '../protocol/answer.ts';
import type { ChunkSignatures } from '../protocol/aws-chunked.ts';
import type { StoreRequest } from '../protocol/store-request.ts';
import type { Store } from '../store.ts';

/** What every operation is given. */
export interface ServiceCall {
  readonly store: Store;
  readonly request: StoreRequest;
  readonly caller: Caller;
  /** How to check the signatures inside a streamed body, when it is signed. */
  readonly signatures?: ChunkSignatures | undefined;
}

/** A call that names a bucket, which need not exist. */
export interface BucketNameCall extends ServiceCall {
  readonly bucketName: string;
}

export interface BucketCall extends ServiceCall {
  readonly bucket: Bucket;
}

export interface ObjectCall extends BucketCall {
  readonly key: string;
}

export type Run<Call> = (call: Call) => Answer | Promise<Answer>;
