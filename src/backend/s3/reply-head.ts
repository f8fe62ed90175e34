import { headerText } from '../../http/header-text.ts';
import { fieldsFromRaw, type HeaderField, type HeaderPrefix } from '../../s3/dialect.ts';
import type { StoreReplyHead } from '../store.ts';

/** Fields of which one answer has one: two that differ leave open what the answer is about (RFC 9110 §5.3). */
const singleFields: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
]);

/**
 * The head of a store's answer, in no dialect; a text that says what is wrong with it when it is none that could be
 * acted on and given on: what is accepted here can be written to a client.
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
  const fields = fieldsFromRaw(raw, prefix);
  const repeated = repeatedField(fields);
  if (repeated !== undefined) return `more than one ${repeated}`;
  const length = fields.find(isLength)?.value;
  if (length !== undefined && !isByteCount(length)) return 'a content-length that is no length';
  return { status, fields };
}

function repeatedField(fields: readonly HeaderField[]): string | undefined {
  const seen = new Set<string>();
  for (const { name, store } of fields) {
    if (store || !singleFields.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

function isLength({ name, store }: HeaderField): boolean {
  return !store && name === 'content-length';
}

function isByteCount(text: string): boolean {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
}
