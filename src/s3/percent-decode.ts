import { s3Error } from './error.ts';

/**
 * Removes one level of percent-encoding.
 *
 * @param raw a part of a request target; node:http gives each byte as one character
 * @throws S3Error InvalidURI for an incomplete escape and for bytes that are not UTF-8 (docs/semantics.md 228)
 */
export function percentDecode(raw: string): string {
  if (!/[%\x80-\xff]/.test(raw)) return raw;
  try {
    return decodeURIComponent(raw.replace(/[\x80-\xff]/g, escapeByte));
  } catch (cause) {
    throw s3Error('InvalidURI', { cause });
  }
}

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16)}`;
}

const LEVELS = 3;

/**
 * Removes up to `LEVELS` levels of percent-encoding, to look for secrets; bytes that are not UTF-8 and malformed escapes
 * stay as they are.
 */
export function fullyDecoded(text: string): string {
  let decoded = text;
  for (let level = 0; level < LEVELS && decoded.includes('%'); level++)
    decoded = decoded.replace(/%([\da-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return decoded;
}
