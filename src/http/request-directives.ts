import { type Directives, secondsOf, splitDirectives } from './cache-control.ts';

/** What a client asks of a cache (RFC 9111 §5.2.1). Times in seconds, undefined where absent. */
export interface RequestDirectives {
  /** §5.2.1.4: only what the origin has just confirmed. */
  readonly noCache: boolean;
  /** §5.2.1.5: the answer is not to be stored. */
  readonly noStore: boolean;
  /** §5.2.1.7: only what is held. */
  readonly onlyIfCached: boolean;
  /** §5.2.1.1: nothing older. */
  readonly maxAgeS: number | undefined;
  /** §5.2.1.3: only what will be fresh for that long. */
  readonly minFreshS: number | undefined;
  /** §5.2.1.2: also what has been stale for that long; Infinity where it names no time. */
  readonly maxStaleS: number | undefined;
}

/**
 * Parses the directives of a request; undefined where there are none. Pragma counts only without Cache-Control (RFC 9111
 * §5.4). An invalid number counts as 0, see `secondsOf`.
 *
 * @param cacheControl all lines joined by commas, like `pragma`
 */
export function parseRequestDirectives(
  cacheControl: string | undefined,
  pragma: string | undefined,
): RequestDirectives | undefined {
  const directives = splitDirectives(cacheControl ?? pragma ?? '');
  const noCache = directives.has('no-cache');
  if (cacheControl === undefined) return noCache ? onlyNoCache : undefined;
  const said: RequestDirectives = {
    noCache,
    noStore: directives.has('no-store'),
    onlyIfCached: directives.has('only-if-cached'),
    maxAgeS: secondsOf(directives, 'max-age'),
    minFreshS: secondsOf(directives, 'min-fresh'),
    maxStaleS: maxStaleS(directives),
  };
  return Object.values(said).some(value => value !== false && value !== undefined) ? said : undefined;
}

/** Without a value, however stale an answer is (RFC 9111 §5.2.1.2). */
function maxStaleS(directives: Directives): number | undefined {
  const values = directives.get('max-stale');
  return values && values[0] === undefined ? Infinity : secondsOf(directives, 'max-stale');
}

const onlyNoCache: RequestDirectives = {
  noCache: true,
  noStore: false,
  onlyIfCached: false,
  maxAgeS: undefined,
  minFreshS: undefined,
  maxStaleS: undefined,
};
