import type { ReadableRecord } from '../../cache/record.ts';
import { equalsWeakly, isStrongTag, parseEntityTag } from '../../http/entity-tag.ts';
import { heedsConditions } from '../../http/preconditions.ts';
import type { Vary } from '../../http/vary.ts';
import { fieldValue, type HeaderField } from '../../s3/dialect.ts';
import { readContentHead } from '../fill/content-head.ts';
import { isPart, withoutRange } from './asked-range.ts';
import { isDemanding } from './demands.ts';
import { joinedVary, type WebHead } from './stored-answer.ts';
import type { WebFields } from './web-read.ts';

/** Fields that make an answer one to its request alone, or one of a part. */
const conditions: ReadonlySet<string> = new Set([
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'],
]);

/** Asks for the whole answer. */
export function unconditionalFields(sent: readonly HeaderField[]): HeaderField[] {
  return sent.filter(({ name }) => !conditions.has(name));
}

/**
 * Whether the origin can be asked to confirm `stale`, which takes the place of the conditions of the client. Instead of what has become
 * of a part, it might send the whole.
 */
export function mayConfirm(
  { entityTag, lastModifiedMs, answer }: ReadableRecord,
  fields: WebFields,
): boolean {
  if (answer && (!heedsConditions(answer.status) || isPart({ answer }))) return false;
  return !isDemanding(fields) && (entityTag !== undefined || lastModifiedMs !== undefined);
}

/** Asks for the whole answer unless the origin still has that of `stale` (RFC 9111 §4.3.1). */
export function validatingFields(sent: readonly HeaderField[], stale: ReadableRecord): HeaderField[] {
  const fields = unconditionalFields(sent);
  const modified = stale.fields.find(({ name }) => name === 'last-modified');
  if (stale.entityTag !== undefined)
    fields.push({ name: 'if-none-match', value: stale.entityTag, store: false });
  if (modified) fields.push({ name: 'if-modified-since', value: modified.value, store: false });
  return fields;
}

/**
 * Whether a page varies by what was not known when `held` was stored, which is confirmed: who has asked may select other content, unless a
 * strong tag says that it is the same.
 *
 * @param vary what the page varies by
 * @param tag by which it is confirmed
 */
export function learnsSelector(vary: Vary, held: ReadableRecord, tag: string | undefined): boolean {
  const known = selectorsOf(held);
  const joined = joinedVary(vary, known);
  return !isStrongTag(tag) && (joined === '*' || joined.length > known.length);
}

function selectorsOf({ answer }: ReadableRecord): readonly string[] {
  return withoutRange(answer?.vary ?? []);
}

/**
 * Whether a 304 is about the answer that it was asked to confirm (RFC 9111 §4.3.4): it may leave its validators out, but not name
 * other ones.
 */
export function confirms({ fields }: WebHead, stale: ReadableRecord): boolean {
  const tag = fieldValue(fields, 'etag');
  if (tag !== undefined)
    return (
      stale.entityTag !== undefined && equalsWeakly(parseEntityTag(tag), parseEntityTag(stale.entityTag))
    );
  const modified = fieldValue(fields, 'last-modified');
  return modified === undefined || modified === fieldValue(stale.fields, 'last-modified');
}

/**
 * What an answer to HEAD says of a stored answer to GET (RFC 9111 §4.3.5). A validator that it leaves out, as origins do that make
 * tags of bodies, says nothing.
 *
 * @param vary what the page varies by, as far as is known
 */
export function described(held: ReadableRecord, head: WebHead, vary: Vary): 'same' | 'other' | 'nothing' {
  const { lengthBytes } = readContentHead(head);
  const tag = fieldValue(head.fields, 'etag');
  const modified = fieldValue(head.fields, 'last-modified');
  const isOther =
    learnsSelector(vary, held, tag) ||
    joinedVary(head.vary, selectorsOf(held)) === '*' ||
    (tag !== undefined && tag !== held.entityTag) ||
    (modified !== undefined && modified !== fieldValue(held.fields, 'last-modified')) ||
    (typeof lengthBytes === 'number' && lengthBytes !== held.sizeBytes);
  if (isOther) return 'other';
  return tag === undefined && modified === undefined ? 'nothing' : 'same';
}

/** The strong entity tag of an answer, if it has exactly one (RFC 9110 §8.8.1). */
export function strongTag({ fields }: WebHead): string | undefined {
  const tags = fields.filter(({ name }) => name === 'etag');
  const [tag] = tags;
  return tags.length === 1 && isStrongTag(tag?.value) ? tag?.value : undefined;
}
