import { httpField, type StoreReplyHead, storeField } from '../../backend/store.ts';
import type { GenerationIdentity } from '../../cache/generation.ts';
import type { Part } from '../../cache/part-map.ts';
import { parseContentRange } from '../../http/range.ts';
import { WrongAnswerError } from '../fill/fill-error.ts';
import type { ObjectRead } from './object-read.ts';

/**
 * Which content a reply is about.
 *
 * @throws WrongAnswerError for one without entity tag or length.
 */
export function identityOf(read: ObjectRead, head: StoreReplyHead): GenerationIdentity {
  const entityTag = httpField(head, 'etag');
  const sizeBytes = wholeSizeBytes(head);
  if (!entityTag || !Number.isSafeInteger(sizeBytes))
    throw new WrongAnswerError('no entity tag or no length');
  return { objectKey: read.objectKey.text, versionId: storeField(head, 'version-id'), entityTag, sizeBytes };
}

/** Where the part lies that a reply is about, and how many there are: none of an object that was not uploaded in parts. */
export function partOf(head: StoreReplyHead): { readonly part: Part; readonly count: number | undefined } {
  const range = parseContentRange(httpField(head, 'content-range')) ?? {
    first: 0,
    last: wholeSizeBytes(head) - 1,
  };
  const checksums = head.fields.filter(field => field.store && field.name.startsWith('checksum-'));
  return {
    part: { first: range.first, last: range.last, checksums },
    count: Number(storeField(head, 'mp-parts-count')) || undefined,
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
  const range = parseContentRange(httpField(head, 'content-range'));
  const coversAll = range?.first === 0 && range.last + 1 === range.total;
  const hasSome = head.fields.some(field => field.store && field.name.startsWith('checksum-'));
  return coversAll && hasSome ? 'known' : 'unknown';
}

/** Size of the whole object, whatever part of it a reply is about (behaviours.md 53). */
function wholeSizeBytes(head: StoreReplyHead): number {
  const total = head.status === 206 ? parseContentRange(httpField(head, 'content-range'))?.total : undefined;
  return total ?? Number(httpField(head, 'content-length') ?? Number.NaN);
}
