import { type HeaderList, headerLines } from '../http/header-list.ts';

/** How a store's own headers begin: in Amazon S3 and its relatives, and in the specification. */
export type HeaderPrefix = 'x-amz-' | 'x-store-';

/** How the parameters of a presigned URL begin under a prefix. */
export function parameterPrefix(prefix: HeaderPrefix): 'X-Amz-' | 'X-Store-' {
  return prefix === 'x-amz-' ? 'X-Amz-' : 'X-Store-';
}

/**
 * A header without dialect. Fields of the store carry their bare name (`version-id`), and what their values name is
 * spelled as object-retrieval.md spells it (`store:kms`, `x-store-…`) until they leave through a door.
 */
export interface HeaderField {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** Whether it is the store's own, so that a prefix belongs before its name. */
  readonly store: boolean;
}

/** A header's name taken apart. */
export interface BareName {
  /** In lower case, without prefix. */
  readonly name: string;
  /** Undefined for headers that are not the store's own. */
  readonly prefix: HeaderPrefix | undefined;
}

const prefixes: readonly HeaderPrefix[] = ['x-amz-', 'x-store-'];

/** Fields whose values list names of headers (CORS protocol; RFC 9110 §6.6.2 and §12.5.5). */
const listsNames: ReadonlySet<string> = new Set([
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-request-headers',
  'trailer',
  'vary',
]);

/** Takes a header's name apart, in any case. */
export function bareName(headerName: string): BareName {
  const lower = headerName.toLowerCase();
  const prefix = prefixes.find(candidate => lower.startsWith(candidate));
  return prefix ? { name: lower.slice(prefix.length), prefix } : { name: lower, prefix: undefined };
}

/**
 * Headers as they were received, without dialect.
 *
 * @param spoken the prefix that counts: a store's answer is read in the store's own, and what has the other one is
 *   left out, since it would come to mean something in an answer of that dialect. Without it, both count.
 */
export function fieldsFromRaw(raw: HeaderList, spoken?: HeaderPrefix): HeaderField[] {
  const fields: HeaderField[] = [];
  for (const [rawName, rawValue] of headerLines(raw)) {
    const { name, prefix } = bareName(rawName);
    if (prefix !== undefined && prefix !== (spoken ?? prefix)) continue;
    const store = prefix !== undefined;
    fields.push({ name, value: valueInDialect(name, store, rawValue, 'x-store-'), store });
  }
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

/**
 * The dialect that a request speaks: that of its presigned parameters, else of the headers that it signed, else of
 * the first that has a prefix. Undefined when it shows neither.
 *
 * @param rawQuery without the question mark
 */
export function detectDialect(raw: HeaderList, rawQuery: string): HeaderPrefix | undefined {
  return (rawQuery === '' ? undefined : dialectOfQuery(rawQuery)) ?? dialectOfHeaders(raw);
}

/** A parameter of the signature goes before others: anybody may have put those in front. */
function dialectOfQuery(rawQuery: string): HeaderPrefix | undefined {
  const parameter =
    /(?:^|&)(x-(?:amz|store)-)(?:algorithm|credential|signature)=/i.exec(rawQuery) ??
    /(?:^|&)(x-(?:amz|store)-)/i.exec(rawQuery);
  return parameter?.[1] === undefined ? undefined : bareName(parameter[1]).prefix;
}

function dialectOfHeaders(raw: HeaderList): HeaderPrefix | undefined {
  let first: HeaderPrefix | undefined;
  for (const [name, value] of headerLines(raw)) {
    // All that matters begins with `a` or `x`; the rest need not be looked at in lower case.
    const initial = name.charCodeAt(0) | 0x20;
    if (initial === 0x78) first ??= bareName(name).prefix;
    else if (initial === 0x61 && name.toLowerCase() === 'authorization') {
      const signed = dialectOfAuthorization(value);
      if (signed) return signed;
    }
  }
  return first;
}

/** Both dialects name one algorithm, so the signed headers tell them apart. Version 2 was never signed but in one. */
function dialectOfAuthorization(value: string): HeaderPrefix | undefined {
  if (value.startsWith('AWS ')) return 'x-amz-';
  const signedHeaders = /SignedHeaders=([^,\s]*)/.exec(value)?.[1] ?? '';
  return signedHeaders
    .split(';')
    .map(bareName)
    .find(name => name.prefix)?.prefix;
}

/**
 * A text of the protocol's own in the dialect of `prefix`: names of headers and presigned parameters, and the
 * value for KMS encryption, which is not what stands in the ARN of a key. Not for texts that hold what users chose,
 * such as keys.
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
 * The value of a field in the dialect of `prefix`. One field of the store's has values that differ
 * (object-retrieval.md, Response headers); others list names.
 */
function valueInDialect(name: string, store: boolean, value: string, prefix: HeaderPrefix): string {
  const differs = store ? name === 'server-side-encryption' || name === 'trailer' : listsNames.has(name);
  return differs ? inDialect(value, prefix) : value;
}
