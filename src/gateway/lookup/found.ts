import type { ObjectRecord } from '../../cache/record.ts';

/** A record that answers a read, and how it was had: for the answer, its cache headers, metrics and log line. */
export interface Found {
  readonly record: ObjectRecord;
  /** `hit`: known and fresh. `fetched`: asked of the store. `revalidated`: known, asked about, and still right. */
  readonly how: 'hit' | 'fetched' | 'revalidated';
  /** Why the store was asked, in the words of RFC 9211 §2.2; undefined on a hit. */
  readonly forwarded: 'uri-miss' | 'stale' | undefined;
  /** What the store answered; undefined on a hit. */
  readonly forwardStatus: number | undefined;
  /** Whether another request's question to the store was waited for (RFC 9211 §2.6). */
  readonly isCollapsed: boolean;
  /** Whether the answer has been kept (RFC 9211 §2.5). */
  readonly isStored: boolean;
  /** Whether the store charged the gateway for this very answer (behaviours.md 127). */
  readonly isCharged: boolean;
}

/** What was known already, and is fresh. */
export function knownRecord(record: ObjectRecord): Found {
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
