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

/** Size of the whole object, whatever part of it a reply is about (behaviours.md 53). */
function wholeSizeBytes(head: StoreReplyHead): number {
  const total = head.status === 206 ? parseContentRange(httpField(head, 'content-range'))?.total : undefined;
  return total ?? Number(httpField(head, 'content-length') ?? Number.NaN);
}
