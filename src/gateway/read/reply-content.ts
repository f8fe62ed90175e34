import { httpField, type StoreReplyHead, storeField } from '../../backend/store.ts';
import type { GenerationIdentity } from '../../cache/generation.ts';
import type { Part } from '../../cache/part-map.ts';
import { parseContentLength } from '../../http/content-length.ts';
import { type ContentRange, parseContentRange } from '../../http/range.ts';
import type { ObjectRead } from '../request/object-read.ts';

/**
 * Which content a reply is about; undefined for one that is not kept. That is one that cannot be told from another, without
 * strong entity tag or without length (design.md, The data): its bytes are not to meet those of another answer (RFC 9110
 * §13.1.5, §15.3.7.3). And it is one that is said to be longer than the bucket keeps.
 */
export function identityOf(read: ObjectRead, head: StoreReplyHead): GenerationIdentity | undefined {
  const entityTag = strongTagOf(head);
  const sizeBytes = wholeSizeBytes(head);
  if (entityTag === undefined || sizeBytes === undefined) return undefined;
  if (sizeBytes > read.policy.maxObjectSizeBytes) return undefined;
  return { objectKey: read.objectKey.text, versionId: storeField(head, 'version-id'), entityTag, sizeBytes };
}

/** The entity tag, quotes included, if it is a strong one (RFC 9110 §8.8.1). */
export function strongTagOf(head: StoreReplyHead): string | undefined {
  const entityTag = httpField(head, 'etag');
  return entityTag?.startsWith('"') ? entityTag : undefined;
}

/** Where the part lies that a reply is about, and how many there are: none of an object that was not uploaded in parts. */
export function partOf(head: StoreReplyHead): { readonly part: Part; readonly count: number | undefined } {
  const range = partialRange(head) ?? { first: 0, last: (wholeSizeBytes(head) ?? 0) - 1 };
  const checksums = head.fields.filter(field => field.store && field.name.startsWith('checksum-'));
  return {
    part: { first: range.first, last: range.last, checksums },
    count: parseContentLength(storeField(head, 'mp-parts-count')) || undefined,
  };
}

/**
 * Whether a reply has all checksums that the store knows: a whole answer has, a partial one only where it covers the
 * object and brings some (behaviours.md 5 to 8, 48). Those of anything less are not the object's.
 */
export function checksumsOf(
  head: StoreReplyHead,
  method: 'GET' | 'HEAD',
  partNumber: number | undefined,
): 'known' | 'unknown' {
  if (partNumber !== undefined) return 'unknown';
  if (method === 'HEAD' || head.status === 200) return 'known';
  const range = partialRange(head);
  const coversAll = range?.first === 0 && range.last + 1 === range.total;
  const hasSome = head.fields.some(field => field.store && field.name.startsWith('checksum-'));
  return coversAll && hasSome ? 'known' : 'unknown';
}

/** As MinIO writes it: from 0 to -1. */
const rangeOfNothing = /^bytes 0--1\/0$/i;

/**
 * Whether a 206 brings all of an object that is empty, as MinIO answers where others send a 200: to a suffix with a range
 * that ends before it begins, to the first part without any (behaviours.md 25, 47).
 */
export function isOfEmptyObject(head: StoreReplyHead): boolean {
  if (head.status !== 206 || parseContentLength(httpField(head, 'content-length')) !== 0) return false;
  const range = httpField(head, 'content-range');
  return range === undefined || rangeOfNothing.test(range);
}

/** Size of the whole object, whatever part of it a reply is about (behaviours.md 53); undefined when it is not said. */
export function wholeSizeBytes(head: StoreReplyHead): number | undefined {
  if (head.status === 206 && httpField(head, 'content-range') !== undefined) return partialRange(head)?.total;
  return parseContentLength(httpField(head, 'content-length'));
}

/** The range that a 206 is about; the Content-Range of any other answer means nothing (RFC 9110 §14.4). */
function partialRange(head: StoreReplyHead): ContentRange | undefined {
  return head.status === 206 ? parseContentRange(httpField(head, 'content-range')) : undefined;
}
