import type { StoredBucket } from '../disk/buckets.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { OperationRequest } from '../protocol/operation-request.ts';

/** @throws InvalidBucketOwnerAWSAccountID and AccessDenied (docs/semantics.md 123, 124) */
export function requireExpectedOwner(request: OperationRequest, { settings }: StoredBucket): void {
  const expected = request.prefixed('expected-bucket-owner');
  if (expected === undefined) return;
  if (!/^\d{12}$/.test(expected)) {
    throw new OperationError('InvalidBucketOwnerAWSAccountID', {
      message: `The value of the expected bucket owner parameter must be an AWS Account ID... [${expected}]`,
    });
  }
  if (expected !== settings.ownerId) throw new OperationError('AccessDenied');
}
