/** A parsed Range header: at most one range (docs/semantics.md, Limits). */
export type RangeRequest =
  | { readonly kind: 'absent' }
  /** Bytes `first` to `last`, inclusive; to the end when `last` is undefined. */
  | { readonly kind: 'from'; readonly first: number; readonly last: number | undefined }
  /** The last `length` bytes. */
  | { readonly kind: 'suffix'; readonly length: number };

/** The bytes of a representation that a request selects; `last` is inclusive. */
export type Selection =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

/** The Content-Range of a 206; `total` is undefined when the sender did not know it (RFC 9110 §14.4). */
export interface ContentRange {
  readonly first: number;
  /** Inclusive. */
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
 * Parses a Range header. Anything other than exactly one well-formed byte range counts as absent: the whole object is
 * sent (RFC 9110 §14.2; docs/semantics.md, Decided 3 and 12 to 23). Numbers above 2^53 - 1 are treated as that number.
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

/** Whether `outer` selects at least the bytes that `inner` does, of any representation. */
export function containsRange(outer: RangeRequest, inner: RangeRequest): boolean {
  if (outer.kind === 'suffix') return inner.kind === 'suffix' && inner.length <= outer.length;
  if (outer.kind === 'absent' || (outer.first === 0 && outer.last === undefined)) return true;
  return (
    inner.kind === 'from' &&
    inner.first >= outer.first &&
    (outer.last === undefined || (inner.last !== undefined && inner.last <= outer.last))
  );
}

/**
 * Applies `range` to a representation of `sizeBytes` bytes (RFC 9110 §14.1.2; docs/semantics.md 1 to 10, 24, 25). A
 * range that covers the whole representation is still answered with 206.
 */
export function selectRange(range: RangeRequest, sizeBytes: number): Selection {
  if (range.kind === 'absent') return whole;
  if (range.kind === 'suffix') return selectSuffix(range.length, sizeBytes);
  if (range.first >= sizeBytes) return unsatisfiable;
  const end = sizeBytes - 1;
  return { kind: 'part', first: range.first, last: Math.min(range.last ?? end, end) };
}

/**
 * Whether `sent` is what `asked` selects. Of a content whose total is unknown it may end before, as the content may; of its
 * last bytes it can only be said that there are not too many.
 */
export function answersRange({ first, last, total }: ContentRange, asked: RangeRequest): boolean {
  if (total !== undefined) {
    const selected = selectRange(asked, total);
    return selected.kind === 'part' && first === selected.first && last === selected.last;
  }
  if (asked.kind === 'suffix') return last - first < asked.length;
  return asked.kind === 'from' && first === asked.first && last <= (asked.last ?? Infinity);
}

function selectSuffix(length: number, sizeBytes: number): Selection {
  if (length === 0) return unsatisfiable;
  // A Content-Range cannot describe the last bytes of an empty object (docs/semantics.md, Decided 3).
  if (sizeBytes === 0) return whole;
  return { kind: 'part', first: Math.max(0, sizeBytes - length), last: sizeBytes - 1 };
}

/** The Content-Range of a 206 with bytes `first` to `last` (inclusive) of `totalBytes` (RFC 9110 §14.4). */
export function formatContentRange(first: number, last: number, totalBytes: number): string {
  return `bytes ${first}-${last}/${totalBytes}`;
}

/** The Content-Range of a 416 (RFC 9110 §15.5.17). */
export function formatUnsatisfiedRange(totalBytes: number): string {
  return `bytes */${totalBytes}`;
}

/**
 * Parses the Content-Range of a 206. Undefined when it is missing or malformed, when first > last or last >= total (RFC
 * 9110 §14.4), or when a number exceeds 2^53 - 1.
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

/** Whether a Content-Range is well-formed but contains a number above 2^53 - 1, where numbers lose precision. */
export function isInexactRange(header: string | undefined): boolean {
  const [, ...numbers] = contentRange.exec(header ?? '') ?? [];
  return numbers.some(digits => digits !== undefined && !Number.isSafeInteger(Number(digits)));
}

/** The total length in bytes from the Content-Range of a 416; undefined when it has none. */
export function parseUnsatisfiedRange(header: string | undefined): number | undefined {
  const match = header === undefined ? null : unsatisfiedRange.exec(header);
  const total = match ? Number(match[1]) : Number.NaN;
  return Number.isSafeInteger(total) ? total : undefined;
}

function saturated(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
