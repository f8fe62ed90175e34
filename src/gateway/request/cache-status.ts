import type { Coverage } from '../../cache/coverage.ts';
import { freshUntilMs } from '../../cache/freshness.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import type { StaleUse } from '../../cache/reuse.ts';
import { isGetOrHead } from '../../http/get-or-head.ts';
import type { CachePolicy } from './cache-policy.ts';

/** `x-cache`, and the metric label `cache`. */
export type CacheResult = 'HIT' | 'MISS' | 'PARTIAL' | 'STALE' | 'REVALIDATED' | 'BYPASS';

/** What the cache did for an answer; reported in `cache-status`, `x-cache`, metrics and the log line. */
export interface CacheReport {
  readonly result: CacheResult;
  /** RFC 9211: one list member. */
  readonly cacheStatus: string;
}

/**
 * Why a request was forwarded, a value of RFC 9211 §2.2. `vary-miss`: answers to other variants are cached. `request`: what is
 * cached is fresh, but not as the client asks for. `partial`: what is cached is fresh, but not all that was asked for.
 */
export type Forwarded = 'uri-miss' | 'vary-miss' | 'stale' | 'request' | 'partial';

/** How a record was obtained; reported in cache headers, metrics and the log line. */
export interface LookupOutcome {
  /**
   * `hit`: cached and fresh. `fetched`: from the store. `revalidated`: cached, and confirmed by the store. `stale`: cached,
   * and served although the store has not confirmed it.
   */
  readonly how: 'hit' | 'fetched' | 'revalidated' | 'stale';
  /** Why a stale answer was served; undefined for others. */
  readonly staleUse?: StaleUse | 'stale-if-error' | undefined;
  /**
   * Why the store was asked; undefined on a hit, and for a stale answer that nobody waited for.
   */
  readonly forwarded: Forwarded | undefined;
  /** The store's status; undefined on a hit, and where it gave none. */
  readonly forwardStatus: number | undefined;
  /** Whether it waited for the store request of another client request (RFC 9211 §2.6). */
  readonly isCollapsed: boolean;
  /** Whether the answer was stored (RFC 9211 §2.5). */
  readonly isStored: boolean;
  /** Whether the store charged the gateway for this answer (docs/semantics.md 127). */
  readonly isCharged: boolean;
}

/**
 * The request went to the store without using the cache: as its method demands, or as is configured.
 *
 * @param detail RFC 9211 §2.8, a token
 */
export function bypassed(method: string, detail?: string): CacheReport {
  const forwarded = isGetOrHead(method) ? 'bypass' : 'method';
  return { result: 'BYPASS', cacheStatus: `tidegate; fwd=${forwarded}${detail ? `; detail=${detail}` : ''}` };
}

/** The request was refused before any look-up. */
export const refusedBeforeLookup: CacheReport = {
  result: 'BYPASS',
  cacheStatus: 'tidegate; fwd=bypass; detail=refused',
};

/** The store refused the request; the refusal is not cached. */
export function refusedByStore(forwarded: Forwarded, status: number): CacheReport {
  return { result: 'MISS', cacheStatus: `tidegate; fwd=${forwarded}; fwd-status=${status}` };
}

/** Nothing cached could be used, and the client did not want the store to be asked (RFC 9111 §5.2.1.7). */
export const notAsked: CacheReport = { result: 'MISS', cacheStatus: 'tidegate; detail=only-if-cached' };

/** The gateway has answered itself what asks about no content. */
export const answeredPreflight: CacheReport = {
  result: 'BYPASS',
  cacheStatus: 'tidegate; detail=preflight',
};

/** The same of what asks about the server as a whole. */
export const answeredForServer: CacheReport = {
  result: 'BYPASS',
  cacheStatus: 'tidegate; detail=server',
};

/**
 * Nothing cached could be used and the store gave no answer.
 *
 * @param code the error code
 * @param isCollapsed whether it waited for the store request of another client request (RFC 9211 §2.6)
 */
export function failedAtStore(code: string, isCollapsed = false): CacheReport {
  const detail = code.toLowerCase().replaceAll('_', '-');
  const collapsed = isCollapsed ? '; collapsed' : '';
  return { result: 'MISS', cacheStatus: `tidegate; fwd=miss${collapsed}; detail=${detail}` };
}

/** Whether somebody was asked for the answer of `report`. */
export function wasForwarded({ result }: CacheReport): boolean {
  return result === 'MISS' || result === 'REVALIDATED' || result === 'PARTIAL';
}

/** The look-up found a fresh record. */
export const cacheHit: LookupOutcome = {
  how: 'hit',
  forwarded: undefined,
  forwardStatus: undefined,
  isCollapsed: false,
  isStored: false,
  isCharged: false,
};

/** Creates the reports of one worker on answers from records. */
export class CacheReports {
  /** Most answers within one second are hits with the same ttl. */
  #lastHit: CacheReport = { result: 'HIT', cacheStatus: '' };
  #lastTtlS = Number.NaN;

  /**
   * RFC 9211 §2.
   *
   * @param coverage how much of the requested bytes was in memory; `all` if no bytes were requested
   * @param ttlS the remaining freshness; negative for a stale answer
   */
  of(found: LookupOutcome, coverage: Coverage, ttlS: number): CacheReport {
    if (found.how === 'stale') return reportOfStale(found, ttlS);
    if (found.how !== 'hit') return reportOfAnswer(found);
    if (coverage === 'some') return partial;
    if (coverage === 'none') return bytesMissing;
    if (this.#lastTtlS !== ttlS) {
      this.#lastTtlS = ttlS;
      this.#lastHit = { result: 'HIT', cacheStatus: `tidegate; hit; ttl=${ttlS}` };
    }
    return this.#lastHit;
  }

  /** The same of an answer from `record` at `nowMs`. */
  ofRecord(
    record: ObjectRecord,
    found: LookupOutcome,
    coverage: Coverage,
    policy: CachePolicy,
    nowMs: number,
  ): CacheReport {
    const leftS = (freshUntilMs(record, policy, nowMs) - nowMs) / 1000;
    return this.of(found, coverage, ttlS(leftS, found));
  }
}

/** RFC 9211 §2.4: negative for what is stale, be it by less than a second. */
function ttlS(leftS: number, { how }: LookupOutcome): number {
  if (leftS > 0) return Math.ceil(leftS);
  return how === 'stale' ? Math.min(-1, Math.floor(leftS)) : 0;
}

const partial: CacheReport = { result: 'PARTIAL', cacheStatus: 'tidegate; fwd=partial; stored' };
const bytesMissing: CacheReport = { result: 'MISS', cacheStatus: partial.cacheStatus };

function reportOfAnswer({
  how,
  forwarded,
  forwardStatus,
  isStored,
  isCollapsed,
}: LookupOutcome): CacheReport {
  const parts = ['tidegate', `fwd=${forwarded}`, `fwd-status=${forwardStatus}`];
  if (isStored) parts.push('stored');
  if (isCollapsed) parts.push('collapsed');
  return { result: how === 'revalidated' ? 'REVALIDATED' : 'MISS', cacheStatus: parts.join('; ') };
}

/** A stale answer is served: without asking the store, or because it has failed. RFC 9211 §2.1, §2.2, §2.4 */
function reportOfStale(
  { forwarded, forwardStatus, isCollapsed, staleUse }: LookupOutcome,
  ttlS: number,
): CacheReport {
  const parts = ['tidegate', forwarded ? `fwd=${forwarded}` : 'hit'];
  if (forwardStatus !== undefined) parts.push(`fwd-status=${forwardStatus}`);
  if (isCollapsed) parts.push('collapsed');
  return { result: 'STALE', cacheStatus: [...parts, `ttl=${ttlS}`, `detail=${staleUse}`].join('; ') };
}

/** Tells operators under which key an object is cached, where that is to be told. RFC 9211 §2.7 */
export function withShownKey(
  report: CacheReport,
  { showKey }: Pick<CachePolicy, 'showKey'>,
  { backend, bucket, key }: Pick<ObjectKey, 'backend' | 'bucket' | 'key'>,
): CacheReport {
  if (!showKey) return report;
  // what a string of a structured field may not have is percent-encoded, and so is `%` (RFC 9651 §3.3.3)
  const text = `${backend}/${bucket}/${key}`.replace(/[^ !#$&-[\]-~]+/gu, encodeURIComponent);
  return { result: report.result, cacheStatus: `${report.cacheStatus}; key="${text}"` };
}

/** The answer came from the fallback, which it says instead of any other detail. RFC 9211 §2.8 */
export function fromFallback({ result, cacheStatus }: CacheReport): CacheReport {
  return { result, cacheStatus: `${cacheStatus.replace(/; detail=.*$/, '')}; detail=fallback` };
}

/** The report on `read`, with what its policy shows. @param isFromFallback whether the fallback was read */
export function asRead(
  report: CacheReport,
  { policy, objectKey }: { readonly policy: CachePolicy; readonly objectKey: ObjectKey },
  isFromFallback: boolean,
): CacheReport {
  return withShownKey(isFromFallback ? fromFallback(report) : report, policy, objectKey);
}
