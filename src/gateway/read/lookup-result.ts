import type { ObjectRecord } from '../../cache/record.ts';
import type { LookupOutcome } from '../request/cache-status.ts';

/** A record for a read, and how it was obtained. */
export interface LookupResult extends LookupOutcome {
  readonly record: ObjectRecord;
  /** Whether the store charged the gateway for this answer (docs/semantics.md 127). */
  readonly isCharged: boolean;
}

/** A result from the cache. */
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
