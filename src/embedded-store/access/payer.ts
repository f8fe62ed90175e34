import type { StoredBucket } from '../disk/buckets.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { OperationRequest } from '../protocol/operation-request.ts';
import type { StoreCaller } from './caller.ts';

/**
 * Who pays for a request: the owner, except in requester-pays buckets, where the caller must consent.
 *
 * @throws AccessDenied (docs/semantics.md 125 to 128)
 */
export function payerOf(
  request: OperationRequest,
  caller: StoreCaller,
  { settings }: StoredBucket,
): 'owner' | 'requester' {
  if (settings.payer === 'BucketOwner') return 'owner';
  if (caller.kind === 'account' && (caller.account.accountId ?? settings.ownerId) === settings.ownerId) {
    return 'owner';
  }
  if (caller.kind === 'account' && request.prefixed('request-payer') === 'requester') return 'requester';
  throw new OperationError('AccessDenied');
}
