import type { CachePolicy } from '../../../src/gateway/request/cache-policy.ts';

/** Backends that a row is tried with. */
export type Backends = 'all' | 'stores' | 'web origins';

/** Seconds after the row's begin, as an HTTP date. */
export interface At {
  readonly atS: number;
}

/** Fields of an answer; undefined takes away what an origin says by itself: `ETag: "1"`, and the time as its `Date`. */
export type Said = Readonly<Record<string, string | readonly string[] | At | undefined>>;

/** What the origin has, and says of it. */
export interface OriginState {
  /** 200 unless it says otherwise. */
  readonly status?: number;
  readonly head?: Said;
  /** `one` unless it says otherwise. */
  readonly body?: string;
  /** What it says in place of `head` where it confirms what the gateway holds. */
  readonly confirms?: Said;
  /** The status with which it answers conditions that hold; 304 unless it says otherwise. */
  readonly confirmsWith?: number;
  /** Whether it sends parts: all of it to every question, unless it does. */
  readonly sendsParts?: boolean;
  /** Takes the place of `body` for requests of one value of a field. */
  readonly bodyBy?: string;
  /** The connection ends after so many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** How long it takes to answer, in seconds. */
  readonly takesS?: number;
  readonly trailers?: Readonly<Record<string, string>>;
}

/**
 * What the origin is asked: a method, with `conditional` before it where it has `If-None-Match` or `If-Modified-Since`. How the gateway
 * itself has what is stale confirmed is `confirmation`: HEAD at stores, a conditional GET at web origins.
 */
export type Question =
  | 'confirmation'
  | 'GET'
  | 'HEAD'
  | 'conditional GET'
  | 'conditional HEAD'
  | (string & {});

/** One request of a client. */
export interface CachingStep {
  /** How much time passes before it, in seconds. */
  readonly afterS?: number;
  /** What the origin has from now on. */
  readonly origin?: OriginState;
  /** GET unless it says otherwise. */
  readonly method?: string;
  /** `/b/k` unless it says otherwise. */
  readonly path?: string;
  readonly sends?: Readonly<Record<string, string | At>>;
  /** `cut`: the connection ends within the answer. */
  readonly gets: Got | 'cut';
  /** `any`: as often as the gateway likes, as it does where an origin fails. */
  readonly asks: readonly Question[] | 'any';
  /** Fields of the last of these questions; undefined where it has none. */
  readonly carries?: Readonly<Record<string, string | RegExp | At | undefined>>;
}

/** What a client gets, as far as it matters. */
export interface Got {
  /** 200 unless it says otherwise. */
  readonly status?: number;
  readonly body?: string;
  /** `x-cache`. */
  readonly cache?: string;
  readonly has?: Readonly<Record<string, string | RegExp | At>>;
  readonly lacks?: readonly string[];
}

/** A case of RFC 9111. */
export interface CachingRow {
  /** The number of the section, such as `4.2.1`. */
  readonly paragraph: string;
  /** A sentence: what the gateway does, and where one of its pages decides it, which. */
  readonly says: string;
  readonly at: Backends;
  /** What differs from what is configured where nothing is. */
  readonly policy?: Partial<CachePolicy>;
  readonly origin: OriginState;
  readonly requests: readonly CachingStep[];
}
