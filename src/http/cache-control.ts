/** The directives of an answer's Cache-Control that a shared cache obeys (RFC 9111 §5.2.2, RFC 5861). */
export interface CacheControl {
  readonly noStore: boolean;
  /** Without names of fields: revalidated before each use (§5.2.2.4). */
  readonly noCache: boolean;
  /** Fields that are not sent from the cache without revalidation, in lower case (§5.2.2.4); beside `noCache`, too. */
  readonly noCacheFields: readonly string[];
  /** Without names of fields: not for a shared cache (§5.2.2.7). */
  readonly private: boolean;
  /** Fields that a shared cache does not store, in lower case (§5.2.2.7). */
  readonly privateFields: readonly string[];
  readonly public: boolean;
  /** Stored only by a cache that understands the status code; `no-store` is for those that do not (§5.2.2.3). */
  readonly mustUnderstand: boolean;
  /** §5.2.2.2 */
  readonly mustRevalidate: boolean;
  /** §5.2.2.8 */
  readonly proxyRevalidate: boolean;
  /** In seconds, like those below; 0 for an invalid value, undefined when absent. */
  readonly maxAgeS: number | undefined;
  readonly sMaxAgeS: number | undefined;
  /** For how long a stale answer may be served while it is revalidated (RFC 5861 §3). */
  readonly staleWhileRevalidateS: number | undefined;
  /** For how long a stale answer may be served where the origin fails (RFC 5861 §4). */
  readonly staleIfErrorS: number | undefined;
}

/** RFC 9111 §1.2.2: greater values are treated as this one. */
const MAX_DELTA_S = 2 ** 31;

const directive = /([\w!#$%&'*+.^`|~-]+)(?:=("(?:[^"\\]|\\.)*"|[^\s,"]*))?/g;

/** Directives as they are written: the values of each name, in their order. */
export type Directives = ReadonlyMap<string, readonly (string | undefined)[]>;

/**
 * Splits a list of directives. Names are case-insensitive, a value may be a token or quoted (RFC 9111 §5.2); what is no
 * directive is skipped.
 */
export function splitDirectives(list: string): Directives {
  const directives = new Map<string, (string | undefined)[]>();
  for (const [, name = '', value] of list.matchAll(directive)) {
    const key = name.toLowerCase();
    const values = directives.get(key);
    if (values) values.push(value);
    else directives.set(key, [value]);
  }
  return directives;
}

/**
 * The seconds that directive `name` says, undefined where it is absent. When it is repeated, the first counts; an invalid
 * number counts as 0, so that the response is stale (RFC 9111 §4.2.1).
 */
export function secondsOf(directives: Directives, name: string): number | undefined {
  const values = directives.get(name);
  return values && deltaSeconds(values[0]);
}

const none = parse('');

/**
 * Parses Cache-Control of an answer.
 *
 * @param header all lines joined by commas.
 */
export function parseCacheControl(header: string | undefined): CacheControl {
  return header === undefined ? none : parse(header);
}

function parse(header: string): CacheControl {
  return cacheControlOf(splitDirectives(header));
}

/** What `directives` say, whichever field they came in. */
export function cacheControlOf(directives: Directives): CacheControl {
  const noCache = namedFields(directives.get('no-cache'));
  const isPrivate = namedFields(directives.get('private'));
  return Object.freeze({
    noStore: directives.has('no-store'),
    noCache: noCache.isForAll,
    noCacheFields: noCache.names,
    private: isPrivate.isForAll,
    privateFields: isPrivate.names,
    public: directives.has('public'),
    mustUnderstand: directives.has('must-understand'),
    mustRevalidate: directives.has('must-revalidate'),
    proxyRevalidate: directives.has('proxy-revalidate'),
    maxAgeS: secondsOf(directives, 'max-age'),
    sMaxAgeS: secondsOf(directives, 's-maxage'),
    staleWhileRevalidateS: secondsOf(directives, 'stale-while-revalidate'),
    staleIfErrorS: secondsOf(directives, 'stale-if-error'),
  });
}

/** The fields that all occurrences of a directive name, and whether one of them names none, which is about all of the answer. */
function namedFields(values: readonly (string | undefined)[] = []) {
  const names = new Set<string>();
  let isForAll = false;
  for (const value of values) {
    const named = (value ?? '').toLowerCase().match(/[\w!#$%&'*+.^`|~-]+/g) ?? [];
    if (named.length === 0) isForAll = true;
    for (const name of named) names.add(name);
  }
  return { names: [...names], isForAll };
}

/** Whether an answer must not be served stale by a shared cache (RFC 9111 §4.2.4); s-maxage says so too (§5.2.2.10). */
export function forbidsStale(control: CacheControl): boolean {
  return control.mustRevalidate || control.proxyRevalidate || control.sMaxAgeS !== undefined;
}

/** RFC 9111 §1.2.2: whole seconds, at most 2^31; 0 for anything else. A number may be quoted (§5.2). */
export function deltaSeconds(value: string | undefined): number {
  const digits = /^"?(\d+)"?$/.exec(value ?? '')?.[1];
  return digits === undefined ? 0 : Math.min(Number(digits), MAX_DELTA_S);
}
