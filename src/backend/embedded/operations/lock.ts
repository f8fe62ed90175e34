import type { StoredObject } from '../disk/versions.ts';
import { StoreError } from '../protocol/store-error.ts';

/** Throws AccessDenied for a version that is held or retained; `mayBypass` overrules retention in GOVERNANCE mode. */
export function demandUnlocked({ attributes }: StoredObject, nowMs: number, mayBypass: boolean): void {
  const { legalHold, retention } = attributes;
  const isRetained =
    retention !== undefined && nowMs < retention.untilMs && !(mayBypass && retention.mode === 'GOVERNANCE');
  if (legalHold === 'ON' || isRetained) {
    throw new StoreError('AccessDenied', {
      message: 'Access Denied because object protected by object lock.',
    });
  }
}
