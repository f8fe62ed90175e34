import type { StoreCaller } from '../access/caller.ts';
import type { StoredBucket } from '../disk/buckets.ts';
import type { ChunkSignatures } from '../protocol/aws-chunked.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import type { OperationRequest } from '../protocol/operation-request.ts';
import type { StoreParts } from '../store.ts';

/** The input of every operation. */
export interface ServiceCall {
  readonly store: StoreParts;
  readonly request: OperationRequest;
  readonly caller: StoreCaller;
  /** Verifies the signatures in a streamed body; undefined if it is not signed. */
  readonly signatures?: ChunkSignatures | undefined;
}

/** A call with a bucket name; the bucket may not exist. */
export interface BucketNameCall extends ServiceCall {
  readonly bucketName: string;
}

export interface BucketCall extends ServiceCall {
  readonly bucket: StoredBucket;
}

export interface ObjectCall extends BucketCall {
  readonly key: string;
}

export type Run<Call> = (call: Call) => OperationAnswer | Promise<OperationAnswer>;
