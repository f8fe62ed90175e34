/** What an answer said about how long it may be used; undefined where it said nothing. */
export interface FreshnessDirectives {
  /** RFC 9111 §5.2.2.1, §5.2.2.10, in seconds. */
  readonly maxAgeS: number | undefined;
  readonly sMaxAgeS: number | undefined;
  /** RFC 9111 §5.2.2.4: to be asked about before each use. */
  readonly noCache: boolean;
  /** RFC 9111 §5.2.2.5, §5.2.2.7: not to be kept by a shared cache at all. */
  readonly noStore: boolean;
  /** RFC 9111 §5.3: `Expires`, as milliseconds since the epoch. */
  readonly expiresMs: number | undefined;
  /** When a restored copy of an archived object goes away, as milliseconds since the epoch. */
  readonly restoredUntilMs: number | undefined;
  /** `Age` of the answer when it arrived, in milliseconds. */
  readonly initialAgeMs: number;
}

/** How a bucket wants its objects kept. */
export interface FreshnessRules {
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly negativeTtlMs: number;
  readonly honourCacheControl: boolean;
}

/** The parts of a record that decide its freshness. */
export interface FreshnessInputs {
  readonly receivedMs: number;
  readonly directives: FreshnessDirectives;
  readonly isNegative: boolean;
}

/** A clock that is set right step by step may go back by this. */
const CLOCK_SLACK_MS = 1_000;

/**
 * Until when a record may be used without asking, as milliseconds since the epoch. One that was received in the future
 * is stale: the clock was wrong, and nothing tells how old it is.
 *
 * RFC 9111 §4.2.1 for the order of the directives; capped by `maxTtl`, and by the end of a restored copy, since a
 * store answers 403 from then on although nothing else changes (behaviours.md 172).
 */
export function freshUntilMs(record: FreshnessInputs, rules: FreshnessRules, nowMs: number): number {
  const { directives, receivedMs } = record;
  if (receivedMs > nowMs + CLOCK_SLACK_MS) return -Infinity;
  if (record.isNegative) return receivedMs + rules.negativeTtlMs;
  const lifetimeMs = Math.min(statedLifetimeMs(record, rules) ?? rules.ttlMs, rules.maxTtlMs);
  const until = receivedMs - directives.initialAgeMs + lifetimeMs;
  return directives.restoredUntilMs === undefined ? until : Math.min(until, directives.restoredUntilMs);
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

/** RFC 9111 §4.2.3: seconds since the store made the answer, rounded down. */
export function ageS(record: FreshnessInputs, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - record.receivedMs + record.directives.initialAgeMs) / 1000));
}
