import { isUtf8 } from 'node:buffer';

/**
 * A field's value as whoever wrote it meant it: its bytes as UTF-8 where they are that, else as they were received.
 *
 * @param value Latin-1, as fields are received (RFC 9110 §5.5)
 */
export function utf8Text(value: string): string {
  if (!/[^\0-\x7f]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}
