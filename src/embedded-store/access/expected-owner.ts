import type { Bucket } from '../disk/buckets.ts';
import { StoreError } from '../protocol/store-error.ts';
import type { StoreRequest } from '../protocol/store-request.ts';

/** Throws InvalidBucketOwnerAWSAccountID and AccessDenied (behaviours.md 123, 124). */
export function demandExpectedOwner(request: StoreRequest, { settings }: Bucket): void {
  const expected = request.prefixed('expected-bucket-owner');
  if (expected === undefined) return;
  if (!/^\d{12}$/.test(expected)) {
    throw new StoreError('InvalidBucketOwnerAWSAccountID', {
      message: `The value of the expected bucket owner parameter must be an AWS Account ID... [${expected}]`,
    });
  }
  if (expected !== settings.ownerId) throw new StoreError('AccessDenied');
}
