import {
  type FreshnessRules,
  isErrorLimited,
  lifetimeMs,
  namedTtl,
  servedInBackgroundUntilMs,
  servedOnErrorUntilMs,
} from '../../cache/freshness.ts';
import type { NotedPurge } from '../../cache/purge-barriers.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import { tagsOf } from '../read/reply-record.ts';

/** Why a record is fresh or stale, and what else decides how it is used; times as in RFC 3339. */
export interface RecordExplanation {
  readonly receivedAt: string;
  /** How old the answer was when it came, in seconds (RFC 9111 §4.2.3). */
  readonly ageOnArrivalS: number;
  readonly lifetimeS: number;
  /** What the lifetime is from: a directive, or a key of the configuration. */
  readonly lifetimeFrom: string;
  /** What the answer says of its freshness; what it does not mention is left out. */
  readonly directives: Readonly<Record<string, unknown>>;
  /** From when on it is stale whatever its lifetime is: by a soft purge, or because HEAD has told of another content, or a part was refused. */
  readonly staleFrom: string | undefined;
  /** The number of the latest purge before the store was asked for it: only later ones can concern it. */
  readonly askedAfterPurge: number;
  /** The latest purges since the start that were for its key, a prefix of it, its bucket or one of its tags, the first one first. */
  readonly purges: readonly PurgeExplanation[];
  /** A write whose outcome is not known may change the object: each use is confirmed. */
  readonly isUnsettled: boolean;
  /** The store has refused the object since, so it is not served stale. */
  readonly isWithdrawn: boolean;
  /** Until when it may be served where the store fails, and while it is revalidated; undefined: not at all. */
  readonly staleIfErrorUntil: string | undefined;
  readonly staleWhileRevalidateUntil: string | undefined;
  readonly tags: readonly string[];
}

/** The numbers of purges go up; hard ones are noted without their time. */
interface PurgeExplanation {
  readonly of: NotedPurge['scope'];
  readonly prefix: string | undefined;
  readonly kind: NotedPurge['kind'];
  readonly number: number;
  readonly raisedAt: string | undefined;
}

export function explainRecord(
  record: ObjectRecord,
  rules: FreshnessRules,
  nowMs: number,
  purges: readonly NotedPurge[],
): RecordExplanation {
  const { directives, receivedMs, staleFromMs, isUnsettled, isWithdrawn = false } = record;
  const said = Object.entries(directives).filter(
    ([name, value]) => value !== undefined && value !== false && !derived.has(name),
  );
  return {
    receivedAt: new Date(receivedMs).toISOString(),
    ageOnArrivalS: directives.initialAgeMs / 1_000,
    lifetimeS: lifetimeMs(record, rules) / 1_000,
    lifetimeFrom: lifetimeFrom(record, rules),
    directives: Object.fromEntries(said),
    staleFrom: staleFromMs === undefined ? undefined : timeOf(staleFromMs),
    askedAfterPurge: record.barrier,
    purges: purges.map(({ scope, name, kind, number, raisedMs }) => ({
      ...{ of: scope, prefix: name, kind, number },
      raisedAt: raisedMs === undefined ? undefined : timeOf(raisedMs),
    })),
    isUnsettled,
    isWithdrawn,
    staleIfErrorUntil: isWithdrawn ? undefined : timeOf(servedOnErrorUntilMs(record, rules, nowMs)),
    staleWhileRevalidateUntil: isWithdrawn
      ? undefined
      : timeOf(servedInBackgroundUntilMs(record, rules, nowMs)),
    tags: tagsOf(record),
  };
}

/** Of `StatedFreshness`, what is no directive. */
const derived: ReadonlySet<string> = new Set(['initialAgeMs', 'unchangedForMs', 'mayAssume']);

/** Undefined for what is no time, such as "never". */
function timeOf(ms: number): string | undefined {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Names what `lifetimeMs` takes. */
function lifetimeFrom(record: ObjectRecord, rules: FreshnessRules): string {
  const { directives, isNegative } = record;
  if (rules.mode !== 'cache') return `mode: ${rules.mode}`;
  if (isErrorLimited(record, rules)) return 'negativeTtl';
  if (rules.honourCacheControl) {
    if (directives.noCache) return 'no-cache';
    if (directives.noStore) return 'no-store';
    if (directives.sMaxAgeS !== undefined) return 's-maxage';
    if (directives.maxAgeS !== undefined) return 'max-age';
    if (directives.expiresAfterMs !== undefined) return 'expires';
  }
  const named = rules.namedTtls && namedTtl(record, rules.namedTtls);
  if (named) return 'status' in named ? `ttlByStatus: ${named.status}` : `ttlByType: ${named.type}`;
  if (rules.honourCacheControl && !directives.mayAssume)
    return 'nothing is stated, and nothing may be assumed';
  if (isNegative) return 'negativeTtl';
  return rules.heuristicShare === 0 || directives.unchangedForMs === undefined ? 'ttl' : 'heuristicShare';
}
