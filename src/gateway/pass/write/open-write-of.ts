import { type OpenWrite, ofNoObject } from '../../../cache/open-writes.ts';
import type { OperationName } from '../../../s3/operation-table.ts';
import { objectKeyOf } from '../../request/bucket.ts';
import type { OtherOperation } from '../other-operation.ts';

/** Operations on a bucket after which the store may answer reads of its objects in another way. */
const changingReads: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['CreateBucket', 'DeleteBucket', 'DeleteBucketCors', 'DeleteBucketLifecycle'] as const),
  ...(['DeleteBucketOwnershipControls', 'DeleteBucketPolicy', 'DeletePublicAccessBlock'] as const),
  ...(['PutBucketAcl', 'PutBucketCors', 'PutBucketLifecycleConfiguration'] as const),
  ...(['PutBucketOwnershipControls', 'PutBucketPolicy', 'PutBucketRequestPayment'] as const),
  ...(['PutBucketVersioning', 'PutPublicAccessBlock'] as const),
]);

/** Operations on a key that change no object: the parts of an upload are none before it is completed. */
const changingNothing: ReadonlySet<OperationName> = new Set<OperationName>([
  'AbortMultipartUpload',
  'CreateMultipartUpload',
  'SelectObjectContent',
  'UploadPart',
  'UploadPartCopy',
]);

/** Begins what the cache has to know of an operation (docs/architecture.md, law 5). */
export function openWriteOf({ operation, bucket, address, writes }: OtherOperation): OpenWrite {
  if (address.kind === 'object')
    return changingNothing.has(operation)
      ? ofNoObject
      : writes.begin(objectKeyOf(bucket, address.key).keySlot);
  if (!changingReads.has(operation)) return ofNoObject;
  return writes.beginOfBucket(bucket.epochs.bucketSlot);
}
