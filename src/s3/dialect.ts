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

/** Fields whose values list names of headers (CORS protocol). */
const listsNames = new Set([
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-request-headers',
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
 * @param spoken the prefix that counts; without it, both do. A store's answer is read in the store's prefix alone.
 */
export function fieldsFromRaw(raw: HeaderList, spoken?: HeaderPrefix): HeaderField[] {
  return Array.from(headerLines(raw), ([rawName, rawValue]) => {
    const { name, prefix } = bareName(rawName);
    const store = prefix !== undefined && prefix === (spoken ?? prefix);
    if (store) return { name, value: neutralStoreValue(name, rawValue), store };
    const value = listsNames.has(name) ? inDialect(rawValue, 'x-store-') : rawValue;
    return { name: rawName.toLowerCase(), value, store };
  });
}

/** Names and values alternating, in the dialect of `prefix`. */
export function rawFromFields(fields: readonly HeaderField[], prefix: HeaderPrefix): string[] {
  const raw: string[] = [];
  for (const { name, value, store } of fields) {
    if (store) raw.push(prefix + name, storeValue(name, value, prefix));
    else raw.push(name, listsNames.has(name) ? inDialect(value, prefix) : value);
  }
  return raw;
}

/** The dialect that headers show; undefined when they show neither. The first that appears counts. */
export function spokenPrefix(raw: HeaderList): HeaderPrefix | undefined {
  for (const [name] of headerLines(raw)) {
    const { prefix } = bareName(name);
    if (prefix) return prefix;
  }
  return undefined;
}

/**
 * A text of the protocol's own in the dialect of `prefix`: names of headers and presigned parameters, and the
 * value for KMS encryption. Not for texts that hold what users chose, such as keys.
 */
export function inDialect(text: string, prefix: HeaderPrefix): string {
  return prefix === 'x-amz-'
    ? text
        .replace(/\bx-store-/g, 'x-amz-')
        .replace(/\bX-Store-/g, 'X-Amz-')
        .replace(/\bstore:kms\b/g, 'aws:kms')
    : text
        .replace(/\bx-amz-/g, 'x-store-')
        .replace(/\bX-Amz-/g, 'X-Store-')
        .replace(/\baws:kms\b/g, 'store:kms');
}

/** object-retrieval.md, Response headers: `server-side-encryption` is the one field whose values differ. */
function storeValue(name: string, value: string, prefix: HeaderPrefix): string {
  return name === 'server-side-encryption' ? inDialect(value, prefix) : value;
}

function neutralStoreValue(name: string, value: string): string {
  return storeValue(name, value, 'x-store-');
}
