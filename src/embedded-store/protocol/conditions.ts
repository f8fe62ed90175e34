import { parseDate } from './dates.ts';

/** The object's properties that conditions are compared with. */
export interface ConditionSubject {
  /** Without quotes. */
  readonly etag: string;
  readonly lastModifiedMs: number;
}

/** The headers of the conditions: those of the request, or of its copy source. */
export interface ConditionHeaders {
  header(name: string): string | undefined;
}

type ConditionVerdict =
  | { readonly kind: 'proceed' }
  | { readonly kind: 'not-modified' }
  | { readonly kind: 'failed'; readonly condition: 'If-Match' | 'If-Unmodified-Since' };

const proceed: ConditionVerdict = { kind: 'proceed' };

/**
 * Evaluates the four conditions in the order of docs/semantics.md, Decided 2: If-Match, else If-Unmodified-Since, may
 * fail the request; then If-None-Match, else If-Modified-Since, may give 304.
 */
export function evaluateConditions(
  request: ConditionHeaders,
  current: ConditionSubject,
  nowMs: number,
): ConditionVerdict {
  const ifMatch = request.header('if-match') || undefined;
  const ifNoneMatch = request.header('if-none-match') || undefined;
  if (ifMatch !== undefined) {
    if (!namesTag(ifMatch, current.etag, 'strong')) return { kind: 'failed', condition: 'If-Match' };
  } else if (changedAfter(request.header('if-unmodified-since'), current, nowMs) === 'after') {
    return { kind: 'failed', condition: 'If-Unmodified-Since' };
  }
  if (ifNoneMatch !== undefined) {
    return namesTag(ifNoneMatch, current.etag, 'weak') ? { kind: 'not-modified' } : proceed;
  }
  return isUnmodifiedSince(request.header('if-modified-since'), current, nowMs)
    ? { kind: 'not-modified' }
    : proceed;
}

/**
 * Whether Range applies: If-Range is absent, or contains exactly the object's tag or date (docs/semantics.md, Decided
 * 4).
 */
export function isSameAsInIfRange(
  request: ConditionHeaders,
  current: ConditionSubject,
  nowMs: number,
): boolean {
  const ifRange = request.header('if-range');
  if (ifRange === undefined) return true;
  const date = parseDate(ifRange, nowMs);
  return date === undefined ? ifRange === `"${current.etag}"` : date === wholeSeconds(current.lastModifiedMs);
}

/** Tags may be quoted or not, weak or not, single or in a list, or `*` (docs/semantics.md 56 to 67). */
function namesTag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  for (const [, weak, quoted, bare] of list.matchAll(/(W\/)?(?:"([^"]*)"|([^\s,"]+))/g)) {
    if ((quoted ?? bare) === etag && (weak === undefined || comparison === 'weak')) return true;
  }
  return false;
}

function changedAfter(
  header: string | undefined,
  current: ConditionSubject,
  nowMs: number,
): 'after' | 'not-after' | 'unknown' {
  const date = header === undefined ? undefined : parseDate(header, nowMs);
  if (date === undefined) return 'unknown';
  return wholeSeconds(current.lastModifiedMs) > date ? 'after' : 'not-after';
}

/** A date in the future is invalid (RFC 9110 §13.1.3, docs/semantics.md 79). */
function isUnmodifiedSince(header: string | undefined, current: ConditionSubject, nowMs: number): boolean {
  const date = header === undefined ? undefined : parseDate(header, nowMs);
  if (date === undefined || date > nowMs) return false;
  return changedAfter(header, current, nowMs) === 'not-after';
}

/** Dates in headers have no fractions (docs/semantics.md 71). */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
