import { isPermitted } from '../access/permissions.ts';
import type { StoredObject } from '../disk/versions.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { BucketCall } from './operation.ts';

/**
 * @throws AccessDenied for a version with a legal hold or under retention; `mayBypass` overrides retention in
 *   GOVERNANCE mode
 */
export function requireUnlocked({ attributes }: StoredObject, nowMs: number, mayBypass: boolean): void {
  const { legalHold, retention } = attributes;
  const isRetained =
    retention !== undefined && nowMs < retention.untilMs && !(mayBypass && retention.mode === 'GOVERNANCE');
  if (legalHold === 'ON' || isRetained) {
    throw new OperationError('AccessDenied', {
      message: 'Access Denied because object protected by object lock.',
    });
  }
}

/** Whether a request asks to override GOVERNANCE mode and is allowed to. */
export function mayBypassGovernance({ request, caller, bucket }: BucketCall, key: string): boolean {
  const isAsked = request.prefixed('bypass-governance-retention')?.toLowerCase() === 'true';
  return isAsked && isPermitted(caller, 'BypassGovernanceRetention', { bucket, key });
}

/** @throws InvalidRequest in a bucket created without object lock */
export function requireObjectLock({ bucket }: Pick<BucketCall, 'bucket'>): void {
  if (bucket.settings.isLockEnabled) return;
  throw new OperationError('InvalidRequest', { message: 'Bucket is missing Object Lock Configuration' });
}
