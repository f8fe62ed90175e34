import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** The limit for all names and values of an object's user metadata. */
const MAX_METADATA_BYTES = 2048;
const NAME_PREFIX = 'meta-';

export type Metadata = readonly (readonly [name: string, value: string])[];

/** The user metadata of a request, as text. @throws MetadataTooLarge */
export function parseMetadata(request: OperationRequest): [string, string][] {
  const metadata: [string, string][] = [];
  let size = 0;
  for (const [name, value] of request.prefixedHeaders()) {
    if (!name.startsWith(NAME_PREFIX)) continue;
    const text = decodeWords(fromWire(value));
    size += name.length - NAME_PREFIX.length + Buffer.byteLength(text);
    metadata.push([name.slice(NAME_PREFIX.length), text]);
  }
  if (size > MAX_METADATA_BYTES) throw new OperationError('MetadataTooLarge');
  return metadata;
}

/**
 * User metadata as headers without prefix: printable ASCII unchanged, other text as an encoded word (docs/semantics.md
 * 189); unprintable values are omitted and counted (docs/semantics.md 191).
 */
export function metadataHeaders(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = {};
  let missing = 0;
  for (const [name, value] of metadata) {
    if (/\p{Cc}/u.test(value)) missing++;
    else headers[`${NAME_PREFIX}${name}`] = /^[\x20-\x7e]*$/.test(value) ? value : encodeWord(value);
  }
  if (missing > 0) headers['missing-meta'] = String(missing);
  return headers;
}

/** node:http gives each byte of a header as one character; most clients send UTF-8. */
function fromWire(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : value;
}

/** RFC 2047 §2: `=?UTF-8?B?…?=` or `=?UTF-8?Q?…?=`. */
function decodeWords(text: string): string {
  return text.replace(/=\?UTF-8\?(B|Q)\?([^?]*)\?=/gi, (_word, encoding: string, encoded: string) => {
    if (encoding.toUpperCase() === 'B') return Buffer.from(encoded, 'base64').toString();
    const bytes = encoded
      .replaceAll('_', ' ')
      .replace(/=([0-9A-F]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString();
  });
}

function encodeWord(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}
