import { withoutSecrets } from '../../base/redaction.ts';
import { loggedUrl } from '../../s3/logged-url.ts';

/** Characters that stand for themselves in both forms of the access log. */
const plain = /^[ !#-[\]-~]*$/;

/** What would end a line for some reader of the log, or steer a terminal: controls, U+0085, U+2028 and U+2029. */
const hiddenInJson = /[\x7f-\x9f\u2028\u2029]/g;

const unsafeInCombined = /["\\]|[^ -~]/g;

/** Removes configured secrets from log lines. */
export interface LineRedactor {
  /** Removes the secrets known now from text within JSON strings; another function once others are known. */
  readonly current: (text: string) => string;
}

/** Flattens `text`. V8 represents concatenated strings as a tree and would walk it each time the string is written. */
export function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** `text` within a JSON string (RFC 8259 §7), without the quotes. Halves of surrogate pairs are escaped. */
export function jsonEscaped(text: string): string {
  if (plain.test(text)) return text;
  return JSON.stringify(text).slice(1, -1).replace(hiddenInJson, escapedUnit);
}

/** What a client says of itself is cut to this, so that a line stays short. */
const FIELD_LENGTH = 1_024;

/** A header field of a client, which may quote a URL. It is cut last: the beginning of a secret does not look like one. */
export function loggedField(text: string, redact: (json: string) => string): string {
  const shown = loggedUrl(text);
  return shown.length <= FIELD_LENGTH ? shown : withoutSecrets(shown, redact).slice(0, FIELD_LENGTH);
}

/**
 * `text` within the quotes of the Combined Log Format, as Apache writes it: `\"`, `\\`, and `\xhh` for each byte that is
 * not printable ASCII.
 */
export function combinedEscaped(text: string): string {
  return plain.test(text) ? text : text.replace(unsafeInCombined, escapedBytes);
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function escapedBytes(unit: string): string {
  if (unit === '"' || unit === '\\') return `\\${unit}`;
  // node:http gives each byte as one character
  const bytes = unit.charCodeAt(0) < 0x100 ? Buffer.from(unit, 'latin1') : Buffer.from(unit);
  return Array.from(bytes, byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
