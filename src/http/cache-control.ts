/** The response directives of Cache-Control that decide what is kept and how long (RFC 9111 §5.2.2). */
export interface CacheControl {
  readonly noStore: boolean;
  /** Also true for the form with field names: a cache may treat it like the form without (RFC 9111 §5.2.2.4). */
  readonly noCache: boolean;
  /** Also true for the form with field names (RFC 9111 §5.2.2.7). */
  readonly private: boolean;
  /** In seconds, like the one below; 0 for an invalid value, undefined when absent. */
  readonly maxAgeS: number | undefined;
  readonly sMaxAgeS: number | undefined;
  /** must-revalidate or proxy-revalidate, which s-maxage implies: never served stale (RFC 9111 §4.2.4). */
  readonly mustRevalidate: boolean;
  /** For how long a stale response may be served where the origin fails (RFC 5861 §4), in seconds. */
  readonly staleIfErrorS: number | undefined;
}

/** RFC 9111 §1.2.2: greater values are treated as this one. */
const MAX_DELTA_S = 2 ** 31;

const directive = /([\w!#$%&'*+.^`|~-]+)(?:=("(?:[^"\\]|\\.)*"|[^\s,"]*))?/g;

const none = parse('');

/**
 * Parses Cache-Control. Names are case-insensitive. When a directive is repeated, the first counts (RFC 9111 §4.2.1). A
 * number may be quoted (§5.2). An invalid number counts as 0, so the response is stale (§4.2.1).
 *
 * @param header all lines joined by commas.
 */
export function parseCacheControl(header: string | undefined): CacheControl {
  return header === undefined ? none : parse(header);
}

function parse(header: string): CacheControl {
  const values = new Map<string, string | undefined>();
  for (const [, name = '', value] of header.matchAll(directive)) {
    const key = name.toLowerCase();
    if (!values.has(key)) values.set(key, value);
  }
  const seconds = (name: string) => (values.has(name) ? deltaSeconds(values.get(name)) : undefined);
  return Object.freeze({
    noStore: values.has('no-store'),
    noCache: values.has('no-cache'),
    private: values.has('private'),
    maxAgeS: seconds('max-age'),
    sMaxAgeS: seconds('s-maxage'),
    mustRevalidate: ['must-revalidate', 'proxy-revalidate', 's-maxage'].some(name => values.has(name)),
    staleIfErrorS: seconds('stale-if-error'),
  });
}

/** RFC 9111 §1.2.2: whole seconds, at most 2^31; 0 for anything else. */
export function deltaSeconds(value: string | undefined): number {
  const digits = /^"?(\d+)"?$/.exec(value ?? '')?.[1];
  return digits === undefined ? 0 : Math.min(Number(digits), MAX_DELTA_S);
}
