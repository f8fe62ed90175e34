import { parseContentLength } from '../../http/content-length.ts';
import { headerText } from '../../http/header-lines.ts';
import { fieldsFromRaw, type HeaderField, type HeaderPrefix } from '../../s3/dialect.ts';
import type { StoreReplyHead } from '../store.ts';

/** Fields that may occur once: a repetition is dropped, and with two values the answer is ambiguous (RFC 9110 §5.3). */
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
  const kept: HeaderField[] = [];
  const single = new Map<string, string>();
  for (const field of fieldsFromRaw(raw, prefix)) {
    const { name, value, store } = field;
    if (!store && singleFields.has(name)) {
      const before = single.get(name);
      if (before === value) continue;
      if (before !== undefined) return `more than one ${name}`;
      single.set(name, value);
    }
    kept.push(field);
  }
  const length = single.get('content-length');
  if (length !== undefined && parseContentLength(length) === undefined) return 'an invalid content-length';
  return { status, fields: kept };
}
