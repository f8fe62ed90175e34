import { type Arrival, initialAgeMs, parseAge } from '../http/age.ts';
import { type CacheControl, forbidsStale } from '../http/cache-control.ts';
import { parseCachedDate } from '../http/http-date.ts';
import { mayAssumeFreshness } from '../http/storability.ts';

/** What an answer says of its freshness; undefined where it says nothing. */
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
  /** RFC 5861 §3, in seconds. */
  readonly staleWhileRevalidateS: number | undefined;
  /** RFC 5861 §4, in seconds. */
  readonly staleIfErrorS: number | undefined;
  /** How long after its Date the answer expires (RFC 9111 §4.2.1, §5.3), in milliseconds; 0 for an invalid Expires. */
  readonly expiresAfterMs: number | undefined;
  /** For how long the content had not changed when it was sent, in milliseconds: the base of a guess (RFC 9111 §4.2.2). */
  readonly unchangedForMs: number | undefined;
  /** Whether freshness may be assumed where none is stated (RFC 9111 §4.2.2). */
  readonly mayAssume: boolean;
  /** When the restored copy of an archived object expires, as milliseconds since the epoch. */
  readonly restoredUntilMs: number | undefined;
  /** How old the answer was when it arrived, in milliseconds (RFC 9111 §4.2.3). */
  readonly initialAgeMs: number;
}

/** What of an answer states its freshness: fields as they came, undefined where absent. */
export interface DatedAnswer extends Pick<Arrival, 'requestedMs' | 'receivedMs'> {
  readonly status: number;
  /** Of the answer, or of a field that takes its place (RFC 9213). */
  readonly control: CacheControl;
  readonly expires: string | undefined;
  readonly age: string | undefined;
  /** Undefined as well where the clock of who sent it shall not matter. */
  readonly date: string | undefined;
  readonly lastModified: string | undefined;
}

/** For answers whose words on freshness do not count. */
export const nothingStated: FreshnessDirectives = {
  maxAgeS: undefined,
  sMaxAgeS: undefined,
  noCache: false,
  noStore: false,
  mustRevalidate: false,
  staleWhileRevalidateS: undefined,
  staleIfErrorS: undefined,
  expiresAfterMs: undefined,
  unchangedForMs: undefined,
  mayAssume: true,
  restoredUntilMs: undefined,
  initialAgeMs: 0,
};

/**
 * What an answer says of its freshness. `no-cache` and `private` that name fields count as far as the caller leaves these
 * fields out of what it stores; whether it may store at all is for `mayStore` to say, so `noStore` is left to the caller.
 */
export function statedFreshness(answer: DatedAnswer): Omit<FreshnessDirectives, 'noStore'> {
  const { status, control, expires, age, date, lastModified, requestedMs, receivedMs } = answer;
  const dateMs = date === undefined ? undefined : parseCachedDate(date, receivedMs);
  const sentMs = dateMs ?? receivedMs;
  return {
    maxAgeS: control.maxAgeS,
    sMaxAgeS: control.sMaxAgeS,
    noCache: control.noCache,
    mustRevalidate: forbidsStale(control),
    staleWhileRevalidateS: control.staleWhileRevalidateS,
    staleIfErrorS: control.staleIfErrorS,
    expiresAfterMs: expires === undefined ? undefined : untilDateMs(expires, sentMs),
    unchangedForMs: lastModified === undefined ? undefined : sinceDateMs(lastModified, sentMs),
    mayAssume: mayAssumeFreshness(status, control),
    restoredUntilMs: undefined,
    initialAgeMs: initialAgeMs({ requestedMs, receivedMs, ageS: parseAge(age), dateMs }),
  };
}

/** RFC 9111 §5.3: an invalid date, such as 0, is in the past. */
function untilDateMs(expires: string, sentMs: number): number {
  const expiresMs = parseCachedDate(expires, sentMs);
  return expiresMs === undefined ? 0 : Math.max(0, expiresMs - sentMs);
}

/** A date in the future says nothing of the past. */
function sinceDateMs(lastModified: string, sentMs: number): number | undefined {
  const modifiedMs = parseCachedDate(lastModified, sentMs);
  return modifiedMs === undefined || modifiedMs > sentMs ? undefined : sentMs - modifiedMs;
}
