/** What a Range header asks for: one range at the most (object-retrieval.md, Limits). */
export type RangeRequest =
  | { readonly kind: 'absent' }
  /** Bytes from `first` to `last`, both included; to the end when `last` is undefined. */
  | { readonly kind: 'from'; readonly first: number; readonly last: number | undefined }
  /** The last `length` bytes. */
  | { readonly kind: 'suffix'; readonly length: number };

/** The bytes of a representation that a request selects; `last` is included. */
export type Selection =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

/** What a 206 says it carries; `total` is undefined where the sender did not know it (RFC 9110 §14.4). */
export interface ContentRange {
  readonly first: number;
  /** Included. */
  readonly last: number;
  readonly total: number | undefined;
}

const absent: RangeRequest = Object.freeze({ kind: 'absent' });
const whole: Selection = Object.freeze({ kind: 'whole' });
const unsatisfiable: Selection = Object.freeze({ kind: 'unsatisfiable' });

const oneRange = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;
const contentRange = /^bytes (\d+)-(\d+)\/(?:(\d+)|\*)$/i;
const unsatisfiedRange = /^bytes \*\/(\d+)$/i;

/**
 * Parses a Range header. Whatever is not exactly one well-formed range of bytes counts as absent, so that the whole
 * object is the answer (RFC 9110 §14.2; behaviours.md, Decided 3 and 12 to 23). Numbers beyond 2^53 - 1 saturate.
 */
export function parseRange(header: string | undefined): RangeRequest {
  const match = header === undefined ? null : oneRange.exec(header);
  if (!match) return absent;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) return { kind: 'suffix', length: saturated(suffix) };
  if (first === undefined) return absent;
  const from = saturated(first);
  if (!last) return { kind: 'from', first: from, last: undefined };
  const to = saturated(last);
  return to < from ? absent : { kind: 'from', first: from, last: to };
}

/**
 * The bytes that `range` selects of a representation of `sizeBytes` bytes (RFC 9110 §14.1.2; behaviours.md 1 to 10, 24, 25).
 * A range that covers everything is still a part: it is answered with 206.
 */
export function selectRange(range: RangeRequest, sizeBytes: number): Selection {
  if (range.kind === 'absent') return whole;
  if (range.kind === 'suffix') return selectSuffix(range.length, sizeBytes);
  if (range.first >= sizeBytes) return unsatisfiable;
  const end = sizeBytes - 1;
  return { kind: 'part', first: range.first, last: Math.min(range.last ?? end, end) };
}

function selectSuffix(length: number, sizeBytes: number): Selection {
  if (length === 0) return unsatisfiable;
  // An empty object has no last bytes to name in a Content-Range (behaviours.md, Decided 3).
  if (sizeBytes === 0) return whole;
  return { kind: 'part', first: Math.max(0, sizeBytes - length), last: sizeBytes - 1 };
}

/** The Content-Range of a 206 that carries bytes `first` to `last` (included) of `totalBytes` (RFC 9110 §14.4). */
export function formatContentRange(first: number, last: number, totalBytes: number): string {
  return `bytes ${first}-${last}/${totalBytes}`;
}

/** The Content-Range of a 416 (RFC 9110 §15.5.17). */
export function formatUnsatisfiedRange(totalBytes: number): string {
  return `bytes */${totalBytes}`;
}

/**
 * Parses the Content-Range of a 206. Undefined when it is missing, malformed, inverted, ends behind its own total
 * (RFC 9110 §14.4) or holds a number that is not exact here.
 */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const match = header === undefined ? null : contentRange.exec(header);
  if (!match) return undefined;
  const first = Number(match[1]);
  const last = Number(match[2]);
  const total = match[3] === undefined ? undefined : Number(match[3]);
  if (last < first || !Number.isSafeInteger(total ?? last) || last >= (total ?? Infinity)) return undefined;
  return { first, last, total };
}

/** Whether a Content-Range is well-formed and holds a number that is not exact here, above 2^53 - 1. */
export function isInexactRange(header: string | undefined): boolean {
  const [, ...numbers] = contentRange.exec(header ?? '') ?? [];
  return numbers.some(digits => digits !== undefined && !Number.isSafeInteger(Number(digits)));
}

/** The total length that the Content-Range of a 416 states, in bytes; undefined when it states none. */
export function parseUnsatisfiedRange(header: string | undefined): number | undefined {
  const match = header === undefined ? null : unsatisfiedRange.exec(header);
  const total = match ? Number(match[1]) : Number.NaN;
  return Number.isSafeInteger(total) ? total : undefined;
}

function saturated(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
