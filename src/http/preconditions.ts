import {
  type EntityTag,
  equalsStrongly,
  equalsWeakly,
  parseEntityTag,
  parseEntityTagList,
} from './entity-tag.ts';
import { parseConditionDate, parseHttpDate } from './http-date.ts';

/** The validators of a representation (RFC 9110 §8.8). */
interface Validators {
  /** In the format of the ETag header. */
  readonly entityTag: string | undefined;
  readonly lastModifiedMs: number | undefined;
}

/** The values of the conditional headers as received (RFC 9110 §13.1). */
export interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
}

type PreconditionVerdict =
  | { readonly kind: 'proceed' }
  | { readonly kind: 'not-modified' }
  /** Answered with 412; `condition` is the header that did not hold. */
  | { readonly kind: 'failed'; readonly condition: 'If-Match' | 'If-Unmodified-Since' };

const proceed: PreconditionVerdict = Object.freeze({ kind: 'proceed' });
const notModified: PreconditionVerdict = Object.freeze({ kind: 'not-modified' });
const ifMatchFailed: PreconditionVerdict = Object.freeze({ kind: 'failed', condition: 'If-Match' });
const ifUnmodifiedSinceFailed: PreconditionVerdict = Object.freeze({
  kind: 'failed',
  condition: 'If-Unmodified-Since',
});

/**
 * Evaluates the preconditions of a GET or HEAD of an existing representation (RFC 9110 §13.2.2; docs/semantics.md,
 * Conditional rules; docs/semantics.md, Decided 2 and 56 to 92). If-Match overrides If-Unmodified-Since, and
 * If-None-Match overrides If-Modified-Since. A header with an empty list or an invalid date counts as absent.
 *
 * @param nowMs milliseconds since the epoch; an If-Modified-Since later than that is ignored.
 */
export function evaluatePreconditions(
  conditions: Conditions,
  validators: Validators,
  nowMs: number,
): PreconditionVerdict {
  const matches = ifMatchHolds(conditions.ifMatch, validators);
  if (matches === false) return ifMatchFailed;
  if (matches === undefined && isModifiedAfter(conditions.ifUnmodifiedSince, validators, nowMs)) {
    return ifUnmodifiedSinceFailed;
  }
  const differs = ifNoneMatchHolds(conditions.ifNoneMatch, validators);
  if (differs === undefined) return evaluateIfModifiedSince(conditions.ifModifiedSince, validators, nowMs);
  return differs ? proceed : notModified;
}

/**
 * Whether conditions count for an answer of this status, and a 304 can confirm it. They are of content with such validators: of an
 * error or a redirect a 304 says nothing, or that it is over (RFC 9110 §13.2.1).
 */
export function heedsConditions(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * Whether to honour the Range header: yes without If-Range, for the current strong entity tag, and for the exact
 * Last-Modified date (RFC 9110 §13.1.5; docs/semantics.md, Decided 4 and 31 to 33).
 */
export function ifRangeHolds(ifRange: string | undefined, validators: Validators): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) {
    const current = currentTag(validators);
    return current !== undefined && equalsStrongly(parseEntityTag(ifRange), current);
  }
  const dateMs = parseHttpDate(ifRange);
  return dateMs !== undefined && dateMs === lastModifiedSecondMs(validators);
}

/** Whether If-Range names a date, and no tag. */
export function isDated(ifRange: string): boolean {
  return !/^(?:W\/)?"/.test(ifRange);
}

/** With less between them, Date and Last-Modified may be of clocks that differ: the second of the change may not have been over. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * What If-Range is held against at a cache: a Last-Modified counts where it is a strong validator (RFC 9110 §8.8.2.2, §13.1.5).
 *
 * @param dateMs `Date` of the answer that is held
 */
export function strongValidators(
  { entityTag, lastModifiedMs }: Validators,
  dateMs: number | undefined,
): Validators {
  const isStrong =
    dateMs !== undefined && lastModifiedMs !== undefined && dateMs - lastModifiedMs >= CLOCKS_DIFFER_MS;
  return { entityTag, lastModifiedMs: isStrong ? lastModifiedMs : undefined };
}

/** RFC 9110 §13.1.1; undefined when the header is absent or empty (docs/semantics.md 92). */
function ifMatchHolds(ifMatch: string | undefined, validators: Validators): boolean | undefined {
  return ifMatch === undefined ? undefined : names(ifMatch, validators, equalsStrongly);
}

/** RFC 9110 §13.1.2; undefined when the header is absent or empty. */
function ifNoneMatchHolds(ifNoneMatch: string | undefined, validators: Validators): boolean | undefined {
  if (ifNoneMatch === undefined) return undefined;
  // Fast path: clients nearly always send the tag exactly as they received it.
  if (ifNoneMatch === validators.entityTag) return false;
  const isNamed = names(ifNoneMatch, validators, equalsWeakly);
  return isNamed === undefined ? undefined : !isNamed;
}

function names(
  header: string,
  validators: Validators,
  equals: (one: EntityTag, other: EntityTag) => boolean,
): boolean | undefined {
  const list = parseEntityTagList(header);
  if (list.kind === 'any') return true;
  if (list.tags.length === 0) return undefined;
  const current = currentTag(validators);
  return current !== undefined && list.tags.some(tag => equals(tag, current));
}

function evaluateIfModifiedSince(header: string | undefined, validators: Validators, nowMs: number) {
  if (header === undefined) return proceed;
  const sinceMs = parseConditionDate(header, nowMs);
  if (sinceMs === undefined || sinceMs > nowMs) return proceed;
  const modifiedMs = lastModifiedSecondMs(validators);
  return modifiedMs === undefined || modifiedMs > sinceMs ? proceed : notModified;
}

/** Also false when either date is unknown: the condition is ignored then (RFC 9110 §13.1.4). */
function isModifiedAfter(header: string | undefined, validators: Validators, nowMs: number): boolean {
  if (header === undefined) return false;
  const sinceMs = parseConditionDate(header, nowMs);
  const modifiedMs = lastModifiedSecondMs(validators);
  return sinceMs !== undefined && modifiedMs !== undefined && modifiedMs > sinceMs;
}

/**
 * Header dates have whole seconds. Without truncation, an object would seem newer than its own Last-Modified date
 * (docs/semantics.md 71).
 */
function lastModifiedSecondMs({ lastModifiedMs }: Validators): number | undefined {
  return lastModifiedMs === undefined ? undefined : Math.floor(lastModifiedMs / 1000) * 1000;
}

function currentTag({ entityTag }: Validators): EntityTag | undefined {
  return entityTag === undefined ? undefined : parseEntityTag(entityTag);
}
