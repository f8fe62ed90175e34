import { parseContentLength } from '../../http/content-length.ts';
import { headerText } from '../../http/header-text.ts';
import { fieldsFromRaw, type HeaderField, type HeaderPrefix } from '../../s3/dialect.ts';
import type { StoreReplyHead } from '../store.ts';

/** Fields of which one answer has one: two that differ leave open what the answer is about (RFC 9110 §5.3). */
const singleFields: ReadonlySet<string> = new Set([
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
]);

/**
 * The head of a store's answer, in no dialect, or, when it cannot be used, a text that says why. What is accepted here
 * can be written to a client.
 *
 * @param raw names and values alternating, as received.
 */
export function readReplyHead(
  status: number,
  raw: readonly string[],
  prefix: HeaderPrefix,
): StoreReplyHead | string {
  // RFC 9110 §15: what is not of the five classes is no status; 1xx is no final one
  if (!Number.isInteger(status) || status < 200 || status > 599) return `status ${status}`;
  if (headerText(raw) === undefined) return 'a header that no header may be';
  const fields = once(fieldsFromRaw(raw, prefix));
  if (typeof fields === 'string') return `more than one ${fields}`;
  const length = fields.find(isLength)?.value;
  if (length !== undefined && parseContentLength(length) === undefined)
    return 'a content-length that is no length';
  return { status, fields };
}

/** `fields` with each single one once, where it is repeated with one value; the name of one that has several. */
function once(fields: readonly HeaderField[]): readonly HeaderField[] | string {
  const seen = new Map<string, string>();
  const kept: HeaderField[] = [];
  for (const field of fields) {
    const { name, value, store } = field;
    const isSingle = !store && singleFields.has(name);
    const before = isSingle ? seen.get(name) : undefined;
    if (before !== undefined && before !== value) return name;
    if (before === undefined) kept.push(field);
    if (isSingle) seen.set(name, value);
  }
  return kept;
}

function isLength({ name, store }: HeaderField): boolean {
  return !store && name === 'content-length';
}
