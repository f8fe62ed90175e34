import { eachHeaderLine, type HeaderList, headerLines } from '../http/header-lines.ts';

/** The prefix of a store's own headers: that of Amazon S3 and compatible stores, or that of the specification. */
export type HeaderPrefix = 'x-amz-' | 'x-store-';

/** The prefix of presigned query parameters in a dialect. */
export function parameterPrefix(prefix: HeaderPrefix): 'X-Amz-' | 'X-Store-' {
  return prefix === 'x-amz-' ? 'X-Amz-' : 'X-Store-';
}

/**
 * A header independent of the dialect. Store fields have their name without prefix (`version-id`). Header names within
 * values are spelled as in docs/semantics.md (`store:kms`, `x-store-…`) until the header is sent.
 */
export interface HeaderField {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** Whether it is a store field, which needs a prefix. */
  readonly store: boolean;
}

/** All lines of a standard header joined; undefined where there is none (RFC 9110 §5.3). @param name in lower case */
export function fieldValue(fields: readonly HeaderField[], name: string): string | undefined {
  let joined: string | undefined;
  for (const field of fields)
    if (field.name === name && !field.store)
      joined = joined === undefined ? field.value : `${joined}, ${field.value}`;
  return joined;
}

/** A header name split into prefix and name. */
interface BareName {
  /** In lower case, without prefix. */
  readonly name: string;
  /** Undefined for headers that are not store fields. */
  readonly prefix: HeaderPrefix | undefined;
}

const prefixes: readonly HeaderPrefix[] = ['x-amz-', 'x-store-'];

/** Fields whose values list header names (CORS protocol; RFC 9110 §6.6.2 and §12.5.5). */
const listsNames: ReadonlySet<string> = new Set([
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-request-headers',
  'trailer',
  'vary',
]);

/** Splits a header name, in any case. */
export function bareName(headerName: string): BareName {
  const lower = headerName.toLowerCase();
  const prefix = prefixes.find(candidate => lower.startsWith(candidate));
  return prefix ? { name: lower.slice(prefix.length), prefix } : { name: lower, prefix: undefined };
}

/**
 * Parses received headers into fields without dialect.
 *
 * @param spoken only store fields with this prefix are kept: in a store's answer, a header with the other prefix means
 *   nothing, but would get a meaning if it were sent on in that dialect. Without it, both prefixes are accepted.
 */
export function fieldsFromRaw(raw: HeaderList, spoken?: HeaderPrefix): HeaderField[] {
  const fields: HeaderField[] = [];
  eachHeaderLine(raw, (rawName, rawValue) => {
    const { name, prefix } = bareName(rawName);
    if (prefix !== undefined && prefix !== (spoken ?? prefix)) return;
    const store = prefix !== undefined;
    fields.push({ name, value: valueInDialect(name, store, rawValue, 'x-store-'), store });
  });
  return fields;
}

/** Names and values alternating, in the dialect of `prefix`. */
export function rawFromFields(fields: readonly HeaderField[], prefix: HeaderPrefix): string[] {
  const raw: string[] = [];
  for (const { name, value, store } of fields) {
    raw.push(store ? prefix + name : name, valueInDialect(name, store, value, prefix));
  }
  return raw;
}

/** Groups alternating names and values. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    result.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return result;
}

/**
 * The dialect of a request: that of its presigned parameters, else of its signed headers, else of the first header with
 * a prefix. Undefined when it has none of these.
 *
 * @param rawQuery without the question mark
 */
export function detectDialect(raw: HeaderList, rawQuery: string): HeaderPrefix | undefined {
  return (rawQuery === '' ? undefined : dialectOfQuery(rawQuery)) ?? dialectOfHeaders(raw);
}

/** Parameters of the signature take precedence, since anyone may have added others in front of them. */
function dialectOfQuery(rawQuery: string): HeaderPrefix | undefined {
  const parameter =
    /(?:^|&)(x-(?:amz|store)-)(?:algorithm|credential|signature)=/i.exec(rawQuery) ??
    /(?:^|&)(x-(?:amz|store)-)/i.exec(rawQuery);
  return parameter?.[1] === undefined ? undefined : bareName(parameter[1]).prefix;
}

function dialectOfHeaders(raw: HeaderList): HeaderPrefix | undefined {
  let first: HeaderPrefix | undefined;
  for (const [name, value] of headerLines(raw)) {
    // Relevant names begin with `a` or `x`; others need not be converted to lower case.
    const initial = name.charCodeAt(0) | 0x20;
    if (initial === 0x78) first ??= bareName(name).prefix;
    else if (initial === 0x61 && name.toLowerCase() === 'authorization') {
      const signed = dialectOfAuthorization(value);
      if (signed) return signed;
    }
  }
  return first;
}

/**
 * Both dialects use the same algorithm name, so the signed headers decide. Signature version 2 exists in one dialect
 * only.
 */
function dialectOfAuthorization(value: string): HeaderPrefix | undefined {
  if (value.startsWith('AWS ')) return 'x-amz-';
  const signedHeaders = /SignedHeaders=([^,\s]*)/.exec(value)?.[1] ?? '';
  return signedHeaders
    .split(';')
    .map(bareName)
    .find(name => name.prefix)?.prefix;
}

/**
 * Converts protocol text to the dialect of `prefix`: names of headers and presigned parameters, and the value for KMS
 * encryption (but not in the ARN of a key). Not for texts that contain user data, such as keys.
 */
export function inDialect(text: string, prefix: HeaderPrefix): string {
  return prefix === 'x-amz-'
    ? text
        .replace(/\bx-store-/g, 'x-amz-')
        .replace(/\bX-Store-/g, 'X-Amz-')
        .replace(/(?<!:)\bstore:kms\b/g, 'aws:kms')
    : text
        .replace(/\bx-amz-/g, 'x-store-')
        .replace(/\bX-Amz-/g, 'X-Store-')
        .replace(/(?<!:)\baws:kms\b/g, 'store:kms');
}

/**
 * Converts the value of a field to the dialect of `prefix`. One store field has values that differ
 * (docs/semantics.md, Response headers); others list header names.
 */
function valueInDialect(name: string, store: boolean, value: string, prefix: HeaderPrefix): string {
  const differs = store ? name === 'server-side-encryption' || name === 'trailer' : listsNames.has(name);
  return differs ? inDialect(value, prefix) : value;
}
