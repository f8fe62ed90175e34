/** `x-cache`, and the metric label `cache`. */
export type CacheResult = 'HIT' | 'MISS' | 'PARTIAL' | 'STALE' | 'REVALIDATED' | 'BYPASS';

/** What the cache did for an answer; reported in `cache-status`, `x-cache`, metrics and the log line. */
export interface CacheReport {
  readonly result: CacheResult;
  /** RFC 9211: one list member. */
  readonly cacheStatus: string;
}

/** How a record was obtained; reported in cache headers, metrics and the log line. */
export interface LookupOutcome {
  /** `hit`: cached and fresh. `fetched`: from the store. `revalidated`: cached, and confirmed by the store. */
  readonly how: 'hit' | 'fetched' | 'revalidated';
  /** Why the store was asked, a value of RFC 9211 §2.2; undefined on a hit. */
  readonly forwarded: 'uri-miss' | 'stale' | undefined;
  /** The store's status; undefined on a hit. */
  readonly forwardStatus: number | undefined;
  /** Whether it waited for the store request of another client request (RFC 9211 §2.6). */
  readonly isCollapsed: boolean;
  /** Whether the answer was stored (RFC 9211 §2.5). */
  readonly isStored: boolean;
}

/** The request went to the store without using the cache. @param detail RFC 9211 §2.8, a token */
export function bypassed(detail?: string): CacheReport {
  return { result: 'BYPASS', cacheStatus: `tidegate; fwd=bypass${detail ? `; detail=${detail}` : ''}` };
}

/** The request was refused before any look-up. */
export const refusedAtDoor: CacheReport = {
  result: 'BYPASS',
  cacheStatus: 'tidegate; fwd=bypass; detail=refused',
};

/** The store refused the request; the refusal is not cached. */
export function refusedByStore(status: number): CacheReport {
  return { result: 'MISS', cacheStatus: `tidegate; fwd=uri-miss; fwd-status=${status}` };
}

/** Nothing cached could be used and the store gave no answer. @param code the error code */
export function failedAtStore(code: string): CacheReport {
  const detail = code.toLowerCase().replaceAll('_', '-');
  return { result: 'MISS', cacheStatus: `tidegate; fwd=miss; detail=${detail}` };
}

/**
 * The report on an answer from a record.
 *
 * @param coverage how much of the requested bytes was in memory; `all` if no bytes were requested
 */
export function reportOf(found: LookupOutcome, coverage: 'all' | 'some' | 'none', ttlS: number): CacheReport {
  if (found.how === 'hit') return reportOfKnown(coverage, ttlS);
  const parts = ['tidegate', `fwd=${found.forwarded}`, `fwd-status=${found.forwardStatus}`];
  if (found.isStored) parts.push('stored');
  if (found.isCollapsed) parts.push('collapsed');
  return { result: found.how === 'revalidated' ? 'REVALIDATED' : 'MISS', cacheStatus: parts.join('; ') };
}

function reportOfKnown(coverage: 'all' | 'some' | 'none', ttlS: number): CacheReport {
  if (coverage === 'all') return reportOfHit(ttlS);
  const forward = coverage === 'some' ? 'partial' : 'uri-miss';
  return {
    result: coverage === 'some' ? 'PARTIAL' : 'MISS',
    cacheStatus: `tidegate; fwd=${forward}; stored`,
  };
}

/** Memoised: most answers within one second have the same ttl. */
let lastHit: CacheReport & { readonly ttlS: number } = { result: 'HIT', cacheStatus: '', ttlS: Number.NaN };

/** RFC 9211 §2.1, §2.7. */
function reportOfHit(ttlS: number): CacheReport {
  if (lastHit.ttlS !== ttlS) lastHit = { result: 'HIT', cacheStatus: `tidegate; hit; ttl=${ttlS}`, ttlS };
  return lastHit;
}
