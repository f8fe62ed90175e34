import { type OpenWrite, ofNoObject } from '../../../cache/open-writes.ts';
import type { OperationName } from '../../../s3/operation-table.ts';
import { objectKeyOf } from '../../request/bucket.ts';
import type { OtherOperation } from '../other-operation.ts';
import type { PassedReceiver } from '../pass-through.ts';

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

/** A write that is about to be sent, and who gets its answer. */
interface Opened {
  readonly open: OpenWrite;
  readonly receiver: PassedReceiver;
}

/** Begins what the cache has to know of an operation (docs/architecture.md, law 5). */
export function openWriteOf(other: OtherOperation, receiver: PassedReceiver): Opened {
  const { operation, bucket, address, writes } = other;
  if (address.kind === 'object') {
    if (changingNothing.has(operation)) return { open: ofNoObject, receiver };
    return {
      open: writes.begin(objectKeyOf(bucket, address.key).keySlot),
      receiver,
    };
  }
  return changingReads.has(operation) ? openBucketWrite(other, receiver) : { open: ofNoObject, receiver };
}

/**
 * A write that concerns all objects of a bucket: their records become misses. A refusal of the store has changed
 * nothing.
 */
function openBucketWrite({ bucket, writes }: OtherOperation, receiver: PassedReceiver): Opened {
  let isRefused = false;
  const settle = () => {
    if (!isRefused) writes.bucketChanged(bucket.epochs.bucketSlot);
  };
  return {
    open: { answered: () => undefined, unsettled: settle, over: settle },
    receiver: {
      answered: head => {
        isRefused = head.status >= 400 && head.status < 500;
        settle();
        receiver.answered(head);
      },
      arrived: chunk => receiver.arrived(chunk),
      ended: () => receiver.ended(),
      failed: error => receiver.failed(error),
    },
  };
}
