import type { StoreReplyHead } from '../../backend/store.ts';
import type { GenerationIdentity } from '../../cache/generation.ts';
import type { Part } from '../../cache/part-map.ts';
import { parseContentLength } from '../../http/content-length.ts';
import { type ContentRange, isInexactRange, parseContentRange } from '../../http/range.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** What the head of a 200 or 206 says about an object and about the bytes that it brings; its fields are read once. */
export interface ContentHead extends StoreReplyHead {
  /** Quotes included; it may be a weak one. */
  readonly entityTag: string | undefined;
  readonly versionId: string | undefined;
  /** Length of the body in bytes; 'unusable' for one that is malformed or not exact here. */
  readonly lengthBytes: number | 'unusable' | undefined;
  /** The Content-Range of a 206 as it was sent; that of any other answer means nothing (RFC 9110 §14.4). */
  readonly rangeText: string | undefined;
  /** The range that a 206 brings; undefined when it states none that is valid. */
  readonly range: ContentRange | undefined;
  /**
   * Size of the whole object, whatever part of it this is about (docs/semantics.md 53); undefined when it is not said.
   */
  readonly sizeBytes: number | undefined;
  /** How many parts the object has; undefined for one that was not uploaded in parts. */
  readonly partCount: number | undefined;
  readonly checksums: readonly HeaderField[];
}

/** As MinIO writes it: from 0 to -1. */
const rangeOfNothing = /^bytes 0--1\/0$/i;

export function readContentHead({ status, fields }: StoreReplyHead): ContentHead {
  const http = new Map<string, string>();
  const store = new Map<string, string>();
  const checksums: HeaderField[] = [];
  for (const field of fields) {
    const values = field.store ? store : http;
    if (!values.has(field.name)) values.set(field.name, field.value);
    if (isChecksum(field)) checksums.push(field);
  }
  const length = http.get('content-length');
  const rangeText = status === 206 ? http.get('content-range') : undefined;
  const range = parseContentRange(rangeText);
  return {
    status,
    fields,
    entityTag: http.get('etag'),
    versionId: store.get('version-id'),
    lengthBytes: length === undefined ? undefined : (parseContentLength(length) ?? 'unusable'),
    rangeText,
    range,
    sizeBytes: rangeText === undefined ? parseContentLength(length) : range?.total,
    partCount: parseContentLength(store.get('mp-parts-count')) || undefined,
    checksums,
  };
}

export function isChecksum({ name, store }: HeaderField): boolean {
  return store && name.startsWith('checksum-');
}

/**
 * What tells the content of an answer from any other; undefined for an answer that is not kept. A content without a
 * strong entity tag or without a length cannot be told from another (docs/architecture.md, Data): its bytes are not to
 * meet those of another answer (RFC 9110 §8.8.1, §13.1.5, §15.3.7.3). One that is longer than `maxSizeBytes` is not
 * kept.
 */
export function keptContent(
  { entityTag, sizeBytes }: ContentHead,
  maxSizeBytes: number,
): { readonly entityTag: string; readonly sizeBytes: number } | undefined {
  if (!entityTag?.startsWith('"') || sizeBytes === undefined || sizeBytes > maxSizeBytes) return undefined;
  return { entityTag, sizeBytes };
}

/** Which content an answer is about; undefined for one that is not kept, see `keptContent`. */
export function identityOf(read: ObjectRead, head: ContentHead): GenerationIdentity | undefined {
  const kept = keptContent(head, read.policy.maxObjectSizeBytes);
  return kept && { objectKey: read.objectKey.text, versionId: head.versionId, ...kept };
}

/** Where the part lies that an answer is about, with its checksums. */
export function partOf({ range, sizeBytes = 0, checksums }: ContentHead): Part {
  return { first: range?.first ?? 0, last: range?.last ?? sizeBytes - 1, checksums };
}

/**
 * Whether an answer has all checksums that the store knows: a whole answer has, a partial one only where it covers the
 * object and brings some (docs/semantics.md 5 to 8, 48). Those of anything less are not the object's.
 */
export function checksumsOf(
  { status, range, checksums }: ContentHead,
  method: 'GET' | 'HEAD',
  partNumber: number | undefined,
): 'known' | 'unknown' {
  if (partNumber !== undefined) return 'unknown';
  if (method === 'HEAD' || status === 200) return 'known';
  const coversAll = range?.first === 0 && range.last + 1 === range.total;
  return coversAll && checksums.length > 0 ? 'known' : 'unknown';
}

/** Whether a 206 states a range with a number that is not exact here, above 2^53 - 1. */
export function hasInexactRange({ range, rangeText }: ContentHead): boolean {
  return !range && isInexactRange(rangeText);
}

/**
 * Whether a 206 brings all of an object that is empty, as MinIO answers where others send a 200: to a suffix with a range
 * that ends before it begins, to the first part without any (docs/semantics.md 25, 47).
 */
export function isOfEmptyObject({ status, lengthBytes, rangeText }: ContentHead): boolean {
  return status === 206 && lengthBytes === 0 && (rangeText === undefined || rangeOfNothing.test(rangeText));
}
