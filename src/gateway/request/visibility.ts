import type { HeaderField } from '../../s3/dialect.ts';

/** Which of an object's header fields a client may see (docs/semantics.md, Decided 9 and 12). */
export interface Visibility {
  /** The client sent checksum-mode ENABLED. */
  readonly checksums: boolean;
  /** Granted GetObjectTagging. */
  readonly taggingCount: boolean;
  /** Granted GetObjectRetention. */
  readonly retention: boolean;
  /** Granted GetObjectLegalHold. */
  readonly legalHold: boolean;
}

/** A small unique number for `visibility`, used as an index of prepared headers. */
export function visibilityIndex({ checksums, taggingCount, retention, legalHold }: Visibility): number {
  return Number(checksums) + 2 * Number(taggingCount) + 4 * Number(retention) + 8 * Number(legalHold);
}

/** Whether a client sees `field`. */
export function isVisible({ name, store }: HeaderField, visibility: Visibility): boolean {
  if (!store) return true;
  if (name.startsWith('checksum-')) return visibility.checksums;
  if (name === 'tagging-count') return visibility.taggingCount;
  if (name === 'object-lock-mode' || name === 'object-lock-retain-until-date') return visibility.retention;
  if (name === 'object-lock-legal-hold') return visibility.legalHold;
  return true;
}
