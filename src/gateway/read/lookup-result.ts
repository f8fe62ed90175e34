import type { ObjectRecord } from '../../cache/record.ts';
import type { LookupOutcome } from '../request/cache-status.ts';

/** A record that answers a read, and how it was had. */
export interface LookupResult extends LookupOutcome {
  readonly record: ObjectRecord;
  /** Whether the store charged the gateway for this very answer (docs/semantics.md 127). */
  readonly isCharged: boolean;
}

/** What was known already, and is fresh. */
export function cacheHit(record: ObjectRecord): LookupResult {
  return {
    record,
    how: 'hit',
    forwarded: undefined,
    forwardStatus: undefined,
    isCollapsed: false,
    isStored: false,
    isCharged: false,
  };
}
