import { parseContentLength } from '../../http/content-length.ts';
import { headerText } from '../../http/header-text.ts';
import { fieldsFromRaw, type HeaderField, type HeaderPrefix } from '../../s3/dialect.ts';
import type { StoreReplyHead } from '../store.ts';

/** Fields that may occur once: with two different values the answer is ambiguous (RFC 9110 §5.3). */
const singleFields: ReadonlySet<string> = new Set([
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
]);

/**
 * Parses the head of a store's answer, without its dialect. Returns a text that says why when it cannot be used. What
 * is accepted here can be forwarded to a client.
 *
 * @param raw names and values alternating, as received
 */
export function readReplyHead(
  status: number,
  raw: readonly string[],
  prefix: HeaderPrefix,
): StoreReplyHead | string {
  // RFC 9110 §15: only 2xx to 5xx are final status codes
  if (!Number.isInteger(status) || status < 200 || status > 599) return `status ${status}`;
  if (headerText(raw) === undefined) return 'an invalid header field';
  const fields = once(fieldsFromRaw(raw, prefix));
  if (typeof fields === 'string') return `more than one ${fields}`;
  const length = fields.find(isLength)?.value;
  if (length !== undefined && parseContentLength(length) === undefined) return 'an invalid content-length';
  return { status, fields };
}

/** `fields` with repetitions of a single field removed; the name of a single field that has two different values. */
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
