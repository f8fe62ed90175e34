import type { Bucket } from '../disk/buckets.ts';
import { StoreError } from '../protocol/store-error.ts';
import type { StoreRequest } from '../protocol/store-request.ts';
import type { Caller } from './caller.ts';

/**
 * Who pays for a request. Only in a bucket whose requester pays is it somebody else than the owner, and then
 * only with consent. Throws AccessDenied (behaviours.md 125 to 128).
 */
export function payerOf(request: StoreRequest, caller: Caller, { settings }: Bucket): 'owner' | 'requester' {
  if (settings.payer === 'BucketOwner') return 'owner';
  if (caller.kind === 'account' && (caller.account.accountId ?? settings.ownerId) === settings.ownerId) {
    return 'owner';
  }
  if (caller.kind === 'account' && request.prefixed('request-payer') === 'requester') return 'requester';
  throw new StoreError('AccessDenied');
}
