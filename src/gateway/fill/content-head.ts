import type { StoreReplyHead } from '../../backend/store.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import type { Part } from '../../cache/part-map.ts';
import { parseContentLength } from '../../http/content-length.ts';
import { type ContentRange, isInexactRange, parseContentRange } from '../../http/range.ts';
import { targetedFields } from '../../http/targeted-cache-control.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** The head of a store's answer, read once: what it says about the object and about the bytes in the body. */
export interface ContentHead extends StoreReplyHead {
  /**
   * Standard fields by name; of several with one name the first, but all lines of what controls caches (RFC 9110 §5.3), and of a
   * Content-Range that contradicts itself.
   */
  readonly http: ReadonlyMap<string, string>;
  /** The same for store fields, without prefix. */
  readonly store: ReadonlyMap<string, string>;
  /** Quotes included; may be weak. */
  readonly entityTag: string | undefined;
  readonly versionId: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Content-Length; 'unusable' if it is malformed or above 2^53 - 1. */
  readonly lengthBytes: number | 'unusable' | undefined;
  /** The Content-Range of a 206 as received; in any other response it has no meaning (RFC 9110 §14.4). */
  readonly rangeText: string | undefined;
  /** The range of a 206; undefined if it is missing or invalid. */
  readonly range: ContentRange | undefined;
  /**
   * Size of the whole object, whatever part of it the answer is about (docs/semantics.md 53); undefined if it is not
   * stated.
   */
  readonly sizeBytes: number | undefined;
  /** Number of parts; undefined for an object not uploaded in parts. */
  readonly partCount: number | undefined;
  readonly checksums: readonly HeaderField[];
  /** Whether the store charged the gateway for this answer (docs/semantics.md 127). */
  readonly isCharged: boolean;
}

/** MinIO's Content-Range for an empty object: from 0 to -1. */
const rangeOfNothing = /^bytes 0--1\/0$/i;

/** The entity tag of an object without content, unless it is encrypted: the MD5 of nothing. */
const tagOfNothing = '"d41d8cd98f00b204e9800998ecf8427e"';

export function readContentHead({ status, fields }: StoreReplyHead): ContentHead {
  const http = new Map<string, string>();
  const store = new Map<string, string>();
  const checksums: HeaderField[] = [];
  for (const field of fields) {
    const values = field.store ? store : http;
    const before = values.get(field.name);
    if (before === undefined) values.set(field.name, field.value);
    else if (values === http && countsInEachLine(field, before))
      values.set(field.name, `${before}, ${field.value}`);
    if (isChecksum(field)) checksums.push(field);
  }
  const length = http.get('content-length');
  const rangeText = status === 206 ? http.get('content-range') : undefined;
  const range = parseContentRange(rangeText);
  return {
    status,
    fields,
    http,
    store,
    entityTag: http.get('etag'),
    versionId: store.get('version-id'),
    contentEncoding: http.get('content-encoding'),
    lengthBytes: length === undefined ? undefined : (parseContentLength(length) ?? 'unusable'),
    rangeText,
    range,
    sizeBytes: status === 206 ? range?.total : parseContentLength(length),
    partCount: parseContentLength(store.get('mp-parts-count')) || undefined,
    checksums,
    isCharged: store.get('request-charged') === 'requester',
  };
}

function countsInEachLine({ name, value }: HeaderField, before: string): boolean {
  if (name === 'content-range') return value !== before;
  return name === 'cache-control' || targetedFields.has(name);
}

export function isChecksum({ name, store }: HeaderField): boolean {
  return store && name.startsWith('checksum-');
}

/**
 * The validators of a cacheable answer; undefined if the answer cannot be cached. Without a strong entity tag or a
 * length its content cannot be distinguished from another (docs/architecture.md, Data), and its bytes must not be
 * combined with those of another response (RFC 9110 §8.8.1, §13.1.5, §15.3.7.3). Objects above `maxSizeBytes` are not
 * cached either.
 */
export function keptContent(
  { entityTag, sizeBytes }: ContentHead,
  maxSizeBytes: number,
): { readonly entityTag: string; readonly sizeBytes: number } | undefined {
  if (!entityTag?.startsWith('"') || sizeBytes === undefined || sizeBytes > maxSizeBytes) return undefined;
  return { entityTag, sizeBytes };
}

/** The identity of the content of an answer; undefined if it cannot be cached, see `keptContent`. */
export function identityOf(read: ObjectRead, head: ContentHead): GenerationIdentity | undefined {
  const kept = keptContent(head, read.policy.maxObjectSizeBytes);
  const { versionId, contentEncoding } = head;
  return kept && { objectKey: read.objectKey.text, versionId, contentEncoding, ...kept };
}

/** Whether the range of an answer to a question for `partNumber` can be that of the part: the first one begins the object. */
export function mayBePart({ first }: ContentRange, partNumber: number): boolean {
  return partNumber > 1 || first === 0;
}

/** The position and checksums of the part that an answer is about. */
export function partOf({ range, sizeBytes = 0, checksums }: ContentHead): Part {
  return { first: range?.first ?? 0, last: range?.last ?? sizeBytes - 1, checksums };
}

/**
 * Whether an answer has all checksums the store knows. A whole response has; a partial one only if it covers the object
 * and has some (docs/semantics.md 5 to 8, 48). Checksums of less are not those of the object.
 */
export function checksumsOf(
  { status, range, checksums }: ContentHead,
  method: 'GET' | 'HEAD',
  partNumber: number | undefined,
): 'known' | 'unknown' {
  if (partNumber !== undefined) return 'unknown';
  if (method === 'HEAD' || status === 200) return 'known';
  return coversAll(range) && checksums.length > 0 ? 'known' : 'unknown';
}

function coversAll(range: ContentRange | undefined): boolean {
  return range?.first === 0 && range.last + 1 === range.total;
}

/** What is wrong with the length of an answer that says which bytes it is of. */
export function faultOfLength({ range, lengthBytes }: ContentHead): string | undefined {
  if (!range || lengthBytes === undefined || lengthBytes === range.last - range.first + 1) return undefined;
  return 'content-length differs from content-range';
}

/** Whether an answer is of some bytes alone, or does not say of which. */
export function isLessThanWhole({ status, range }: ContentHead): boolean {
  return status === 206 && !coversAll(range);
}

/**
 * Whether a 200 has a Content-Range that is not of all its bytes. It has no meaning there (RFC 9110 §14.4), but such a body is taken from
 * who sends a 206 with the wrong status, unless the field has no number at all.
 */
export function isPartAsWhole({ status, http, lengthBytes }: ContentHead): boolean {
  const text = status === 200 ? http.get('content-range') : undefined;
  if (text === undefined || !/\d/.test(text)) return false;
  const range = parseContentRange(text);
  return !coversAll(range) || (lengthBytes !== undefined && lengthBytes !== range?.total);
}

/**
 * Whether an answer to a question for `partNumber` says what the whole object is. Ceph sends a part with 200 and without
 * Content-Range, so its length is not that of the object (docs/semantics.md 53). Nor is an empty answer always that of an
 * empty object: Ozone answers so for a part that is not there.
 */
export function tellsWhole(head: ContentHead, partNumber: number | undefined): boolean {
  const { range, lengthBytes } = head;
  return partNumber === undefined || range !== undefined || (lengthBytes === 0 && tellsEmpty(head));
}

/** Whether a 206 has a range with a number above 2^53 - 1, which a JavaScript number cannot represent exactly. */
export function hasInexactRange({ range, rangeText }: ContentHead): boolean {
  return !range && isInexactRange(rangeText);
}

/**
 * Whether a 206 has no content. MinIO answers so for an empty object where others send a 200: to a suffix range with a
 * range that ends before it starts, to part 1 without any (docs/semantics.md 25, 47).
 */
export function hasNoContent({ status, lengthBytes, rangeText }: ContentHead): boolean {
  return status === 206 && lengthBytes === 0 && (rangeText === undefined || rangeOfNothing.test(rangeText));
}

/** Whether an answer without content says that the object has none either, by its range or its entity tag. */
export function tellsEmpty({ rangeText, entityTag }: ContentHead): boolean {
  return rangeText !== undefined || entityTag === tagOfNothing;
}
