/** `x-cache`, and the metric label `cache`. */
export type CacheResult = 'HIT' | 'MISS' | 'PARTIAL' | 'STALE' | 'REVALIDATED' | 'BYPASS';

/** What the cache did for an answer: for `cache-status`, `x-cache`, metrics and the log line. */
export interface CacheReport {
  readonly result: CacheResult;
  /** RFC 9211, one list member. */
  readonly cacheStatus: string;
}

/** How a record was had, for the answer's cache headers, metrics and log line. */
export interface LookupOutcome {
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
}

/** The store was asked, and nothing was looked up or kept. @param detail RFC 9211 §2.8, a token. */
export function bypassed(detail?: string): CacheReport {
  return { result: 'BYPASS', cacheStatus: `tidegate; fwd=bypass${detail ? `; detail=${detail}` : ''}` };
}

/** Nobody was asked and nothing looked up: the request was refused at the door. */
export const refusedAtDoor: CacheReport = {
  result: 'BYPASS',
  cacheStatus: 'tidegate; fwd=bypass; detail=refused',
};

/** The store was asked and refused; nothing of that is kept. */
export function refusedByStore(status: number): CacheReport {
  return { result: 'MISS', cacheStatus: `tidegate; fwd=uri-miss; fwd-status=${status}` };
}

/** Nothing that is known could be used, and no answer was to be had of the store. @param code of the error that says why. */
export function failedAtStore(code: string): CacheReport {
  const detail = code.toLowerCase().replaceAll('_', '-');
  return { result: 'MISS', cacheStatus: `tidegate; fwd=miss; detail=${detail}` };
}

/**
 * The report on an answer that was found.
 *
 * @param coverage how much of the bytes wanted was in memory; `all` where no bytes are wanted.
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

/** Answers of one second mostly have the same seconds left. */
let lastHit: CacheReport & { readonly ttlS: number } = { result: 'HIT', cacheStatus: '', ttlS: Number.NaN };

/** RFC 9211 §2.1, §2.7. */
function reportOfHit(ttlS: number): CacheReport {
  if (lastHit.ttlS !== ttlS) lastHit = { result: 'HIT', cacheStatus: `tidegate; hit; ttl=${ttlS}`, ttlS };
  return lastHit;
}
