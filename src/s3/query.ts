import { percentDecode } from './percent-decode.ts';

/** One query parameter, decoded. */
interface QueryParameter {
  readonly name: string;
  /** Empty when there was no `=`. */
  readonly value: string;
}

/** The query parameters in the order sent, including repeated and empty ones. */
export type Query = readonly QueryParameter[];

const none: Query = Object.freeze([]);

/**
 * Parses a query: one level of percent-encoding is removed, `+` means a space, as in signatures.
 *
 * @param rawQuery as received, without the question mark
 * @throws S3Error InvalidURI for malformed escapes and bytes that are not UTF-8 (docs/semantics.md 228)
 */
export function parseQuery(rawQuery: string): Query {
  if (rawQuery === '') return none;
  return rawQuery.split('&').filter(Boolean).map(parseParameter);
}

/** The value of the first parameter called `name`; undefined when absent. */
export function queryValue(query: Query, name: string): string | undefined {
  for (const parameter of query) if (parameter.name === name) return parameter.value;
  return undefined;
}

function parseParameter(raw: string): QueryParameter {
  const equals = raw.indexOf('=');
  if (equals < 0) return { name: decode(raw), value: '' };
  return { name: decode(raw.slice(0, equals)), value: decode(raw.slice(equals + 1)) };
}

function decode(raw: string): string {
  return percentDecode(raw.replaceAll('+', ' '));
}
