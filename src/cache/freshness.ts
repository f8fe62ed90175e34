import { mediaTypeOf } from '../http/media-type.ts';
import { isOfServer } from '../http/whose-error.ts';
import type { HeaderField } from '../s3/dialect.ts';
import type { FreshnessDirectives } from './stated-freshness.ts';

/** For how long answers of one status are fresh, or of one media type: `type/*` is all of a kind. */
type NamedTtl =
  | { readonly status: number; readonly ttlMs: number }
  | { readonly type: string; readonly ttlMs: number };

/** The freshness configuration of a bucket, or of some of its keys. */
export interface FreshnessRules {
  /** `revalidate`: as if each answer said no-cache. `bypass`: nothing is stored, nor is what is stored used. */
  readonly mode: 'cache' | 'revalidate' | 'bypass';
  /** For how long an answer is fresh that says nothing about it, and of which nothing can be guessed. */
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly negativeTtlMs: number;
  /**
   * An answer that says nothing is fresh for this share of the time in which it had not changed (RFC 9111 §4.2.2); 0: no
   * guess is made.
   */
  readonly heuristicShare: number;
  /** For how long a stale answer that states nothing may be served while it is revalidated (RFC 5861 §3). */
  readonly staleWhileRevalidateMs: number;
  /** The same for where the store fails (RFC 5861 §4). */
  readonly staleIfErrorMs: number;
  /** For how long an answer may be served stale at most because it, or a client, says so. */
  readonly maxStaleMs: number;
  readonly honourCacheControl: boolean;
  /** In place of `ttlMs`, `negativeTtlMs` and a guess; the first that fits counts. */
  readonly namedTtls?: readonly NamedTtl[] | undefined;
}

/** The parts of a record that decide its freshness. */
export interface FreshnessInputs {
  readonly receivedMs: number;
  readonly directives: FreshnessDirectives;
  /** Whether it is a refusal, which is fresh for `negativeTtl` where it states nothing. */
  readonly isNegative: boolean;
  /** Whether a write that failed may still change the object, see `UnsettledKeys`. */
  readonly isUnsettled: boolean;
  /** The status of a refusal. */
  readonly status?: number | undefined;
  /** The status of a web origin's answer. */
  readonly answer?: { readonly status: number } | undefined;
  readonly fields?: readonly HeaderField[];
  /** From when it is stale whatever its lifetime is, such as by a soft purge. */
  readonly staleFromMs?: number | undefined;
}

/** What the age of an answer depends on. */
type Aged = Pick<FreshnessInputs, 'directives' | 'receivedMs'>;

/** Tolerated backward step of the system clock, such as a correction by NTP. */
const CLOCK_SLACK_MS = 1_000;

/**
 * Until when a record is fresh, as milliseconds since the epoch. A record received in the future is stale: the clock
 * was wrong then, so its age is unknown. So is one that was asked for while a write of unknown outcome might change it.
 *
 * The lifetime counts from when the answer was made (RFC 9111 §4.2.3). It is capped by `maxTtl` and by the expiry of a
 * restored copy: from then on the store answers 403 although nothing else has changed (docs/semantics.md 172).
 */
export function freshUntilMs(record: FreshnessInputs, rules: FreshnessRules, nowMs: number): number {
  const { directives, receivedMs } = record;
  if (record.isUnsettled || receivedMs > nowMs + CLOCK_SLACK_MS) return -Infinity;
  const until = receivedMs - directives.initialAgeMs + lifetimeMs(record, rules);
  return Math.min(until, record.staleFromMs ?? Infinity, directives.restoredUntilMs ?? Infinity);
}

/** Until when a record may be served where the store fails (RFC 5861 §4), see `staleUntilMs`. */
export function servedOnErrorUntilMs(record: FreshnessInputs, rules: FreshnessRules, nowMs: number): number {
  const { staleIfErrorS } = record.directives;
  return staleUntilMs(record, rules, nowMs, allowedMs(rules, staleIfErrorS, rules.staleIfErrorMs));
}

/** Until when a record may be served while it is revalidated (RFC 5861 §3), see `staleUntilMs`. */
export function servedInBackgroundUntilMs(
  record: FreshnessInputs,
  rules: FreshnessRules,
  nowMs: number,
): number {
  const { staleWhileRevalidateS } = record.directives;
  const forMs = allowedMs(rules, staleWhileRevalidateS, rules.staleWhileRevalidateMs);
  return staleUntilMs(record, rules, nowMs, forMs);
}

/**
 * Until when a record may be served stale, as milliseconds since the epoch: for `forMs` after it was fresh; -Infinity for
 * one that must not be (RFC 9111 §4.2.4).
 *
 * A store's refusal is never served stale: the object may be there by now. Nor is an error that `negativeTtl` limits, nor a
 * restored copy after its expiry, since the store would refuse it, nor what a write of unknown outcome may have changed.
 */
export function staleUntilMs(
  record: FreshnessInputs,
  rules: FreshnessRules,
  nowMs: number,
  forMs: number,
): number {
  const { directives, isNegative } = record;
  const { noStore, noCache, mustRevalidate } = directives;
  // what says no-store is kept by a bucket alone that does not heed it
  const isBound =
    rules.mode !== 'cache' || (rules.honourCacheControl && (noStore || noCache || mustRevalidate));
  if (isNegative || isLimitedError(record) || isBound || forMs === 0) return -Infinity;
  const until = freshUntilMs(record, rules, nowMs) + forMs;
  return Math.min(until, directives.restoredUntilMs ?? Infinity);
}

/** What an answer states counts as far as `maxStale`, or what is configured, allows it. */
function allowedMs(rules: FreshnessRules, statedS: number | undefined, configuredMs: number): number {
  if (!rules.honourCacheControl || statedS === undefined) return configuredMs;
  return Math.min(statedS * 1_000, Math.max(configuredMs, rules.maxStaleMs));
}

/** How long an answer is fresh, from when it was made: what is stated or configured, as far as it may count. */
export function lifetimeMs(record: FreshnessInputs, rules: FreshnessRules): number {
  return Math.min(givenLifetimeMs(record, rules), errorLimitMs(record, rules));
}

/** The most that counts for an error that may be for what one request has sent: `negativeTtl` from when it came. */
function errorLimitMs(record: FreshnessInputs, rules: FreshnessRules): number {
  return isLimitedError(record) ? record.directives.initialAgeMs + rules.negativeTtlMs : Infinity;
}

function isLimitedError({ answer }: FreshnessInputs): boolean {
  return answer !== undefined && isOfServer(answer.status);
}

/** Whether more is stated or configured than may count. */
export function isErrorLimited(record: FreshnessInputs, rules: FreshnessRules): boolean {
  return errorLimitMs(record, rules) < givenLifetimeMs(record, rules);
}

/** RFC 9111 §4.2.1, then what is configured for such answers, then §4.2.2, then what is configured for all. */
function givenLifetimeMs(record: FreshnessInputs, rules: FreshnessRules): number {
  const { directives, isNegative } = record;
  if (rules.mode !== 'cache') return 0;
  if (rules.honourCacheControl) {
    const statedMs = statedLifetimeMs(directives);
    if (statedMs !== undefined) return Math.min(statedMs, rules.maxTtlMs);
  }
  const named = rules.namedTtls && namedTtl(record, rules.namedTtls);
  if (named) return named.ttlMs;
  if (rules.honourCacheControl && !directives.mayAssume) return 0;
  if (isNegative) return rules.negativeTtlMs;
  const { unchangedForMs } = directives;
  if (rules.heuristicShare === 0 || unchangedForMs === undefined) return rules.ttlMs;
  return Math.min(rules.heuristicShare * unchangedForMs, rules.maxTtlMs);
}

/** What is configured for the status or media type of `record`. Types are those of contents, not of errors. */
export function namedTtl(record: FreshnessInputs, named: readonly NamedTtl[]): NamedTtl | undefined {
  const status = record.status ?? record.answer?.status ?? 200;
  const type = status === 200 || status === 206 ? typeOf(record) : undefined;
  return named.find(entry =>
    'status' in entry ? entry.status === status : type !== undefined && isOfType(type, entry.type),
  );
}

function typeOf({ fields = [] }: FreshnessInputs): string | undefined {
  const field = fields.find(({ name, store }) => name === 'content-type' && !store);
  return field && mediaTypeOf(field.value);
}

function isOfType(type: string, pattern: string): boolean {
  return pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

function statedLifetimeMs(directives: FreshnessDirectives): number | undefined {
  if (directives.noCache || directives.noStore) return 0;
  const seconds = directives.sMaxAgeS ?? directives.maxAgeS;
  return seconds === undefined ? directives.expiresAfterMs : seconds * 1000;
}

/** RFC 9111 §4.2.3: seconds since the store generated the answer, rounded down. */
export function ageS(record: Aged, nowMs: number): number {
  return Math.floor(ageMs(record, nowMs) / 1000);
}

/** The same in milliseconds; 0 where the clock was set back. */
export function ageMs(record: Aged, nowMs: number): number {
  return Math.max(0, nowMs - record.receivedMs + record.directives.initialAgeMs);
}
