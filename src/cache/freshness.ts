/** The directives of an answer that decide its freshness; undefined where a directive is absent. */
export interface FreshnessDirectives {
  /** RFC 9111 §5.2.2.1, §5.2.2.10, in seconds. */
  readonly maxAgeS: number | undefined;
  readonly sMaxAgeS: number | undefined;
  /** RFC 9111 §5.2.2.4: must be revalidated before each use. */
  readonly noCache: boolean;
  /** RFC 9111 §5.2.2.5, §5.2.2.7: must not be stored by a shared cache. */
  readonly noStore: boolean;
  /** RFC 9111 §5.2.2.2, §5.2.2.8, §5.2.2.10: must not be served stale. */
  readonly mustRevalidate: boolean;
  /** RFC 5861 §4, in seconds. */
  readonly staleIfErrorS: number | undefined;
  /** RFC 9111 §5.3: `Expires`, as milliseconds since the epoch. */
  readonly expiresMs: number | undefined;
  /** When the restored copy of an archived object expires, as milliseconds since the epoch. */
  readonly restoredUntilMs: number | undefined;
  /** `Age` of the answer when it arrived, in milliseconds. */
  readonly initialAgeMs: number;
}

/** The freshness configuration of a bucket. */
export interface FreshnessRules {
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly negativeTtlMs: number;
  /** For how long a stale answer may be served where the store fails (RFC 5861 §4). */
  readonly staleIfErrorMs: number;
  readonly honourCacheControl: boolean;
}

/** The parts of a record that decide its freshness. */
export interface FreshnessInputs {
  readonly receivedMs: number;
  readonly directives: FreshnessDirectives;
  readonly isNegative: boolean;
  /** Whether a write that failed may still change the object, see `UnsettledKeys`. */
  readonly isUnsettled: boolean;
}

/** Tolerated backward step of the system clock, such as a correction by NTP. */
const CLOCK_SLACK_MS = 1_000;

/**
 * Until when a record is fresh, as milliseconds since the epoch. A record received in the future is stale: the clock
 * was wrong then, so its age is unknown. So is one that was asked for while a write of unknown outcome might change it.
 *
 * The order of the directives is that of RFC 9111 §4.2.1. The lifetime is capped by `maxTtl` and by the expiry of a
 * restored copy: from then on the store answers 403 although nothing else has changed (docs/semantics.md 172).
 */
export function freshUntilMs(record: FreshnessInputs, rules: FreshnessRules, nowMs: number): number {
  const { directives, receivedMs } = record;
  if (record.isUnsettled || receivedMs > nowMs + CLOCK_SLACK_MS) return -Infinity;
  if (record.isNegative) return receivedMs + rules.negativeTtlMs;
  const lifetimeMs = Math.min(statedLifetimeMs(record, rules) ?? rules.ttlMs, rules.maxTtlMs);
  const until = receivedMs - directives.initialAgeMs + lifetimeMs;
  return directives.restoredUntilMs === undefined ? until : Math.min(until, directives.restoredUntilMs);
}

/**
 * Until when a record may be served where the store fails, as milliseconds since the epoch; -Infinity for one that must
 * not be served stale. What the object itself allows (RFC 5861 §4) can be less than the configured time, not more.
 *
 * A refusal is never served stale: the object may be there by now. Nor is a restored copy after its expiry, since the
 * store would refuse it, nor what a write of unknown outcome may have changed.
 */
export function servedOnErrorUntilMs(record: FreshnessInputs, rules: FreshnessRules, nowMs: number): number {
  const { directives, isNegative } = record;
  const isBound = rules.honourCacheControl && (directives.noCache || directives.mustRevalidate);
  if (isNegative || isBound || rules.staleIfErrorMs === 0) return -Infinity;
  const statedS = rules.honourCacheControl ? (directives.staleIfErrorS ?? Infinity) : Infinity;
  const until = freshUntilMs(record, rules, nowMs) + Math.min(rules.staleIfErrorMs, statedS * 1_000);
  return Math.min(until, directives.restoredUntilMs ?? Infinity);
}

function statedLifetimeMs(
  { directives, receivedMs }: FreshnessInputs,
  rules: FreshnessRules,
): number | undefined {
  if (!rules.honourCacheControl) return undefined;
  if (directives.noCache || directives.noStore) return 0;
  const seconds = directives.sMaxAgeS ?? directives.maxAgeS;
  if (seconds !== undefined) return seconds * 1000;
  return directives.expiresMs === undefined ? undefined : Math.max(0, directives.expiresMs - receivedMs);
}

/** RFC 9111 §4.2.3: seconds since the store generated the answer, rounded down. */
export function ageS(record: FreshnessInputs, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - record.receivedMs + record.directives.initialAgeMs) / 1000));
}
