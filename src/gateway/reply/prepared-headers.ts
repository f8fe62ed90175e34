import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { formatContentRange } from '../../http/range.ts';
import { type HeaderPrefix, rawFromFields } from '../../s3/dialect.ts';
import type { CacheResult } from './cache-status.ts';
import { isVisible, type Visibility, visibilityIndex } from './visibility.ts';

/** What differs from one answer to the next. */
export interface ReplyFields {
  readonly cacheStatus: string;
  readonly result: CacheResult;
  /** Seconds; undefined for what did not come from the cache. */
  readonly ageS: number | undefined;
  readonly requestId: string;
  readonly id2: string;
}

/** Bytes that an answer carries of an object. */
export interface PartOfObject {
  readonly first: number;
  readonly last: number;
}

/** Elements of the array that change at each answer, behind those that stay. */
const tailLength = 10;

/**
 * The header array of one kind of answer, made once and filled in at each use: `writeHead` reads it in the same turn,
 * so it can be used again at once.
 */
export class PreparedHeaders {
  readonly #raw: string[];
  readonly #tail: number;

  /** @param fixed names and values that stay. */
  constructor(fixed: readonly string[], prefix: HeaderPrefix) {
    this.#tail = fixed.length;
    this.#raw = [...fixed, 'cache-status', '', 'x-cache', '', `${prefix}request-id`, '', `${prefix}id-2`, '', 'age', ''];
  }

  /** The array for one answer; valid until the next call. */
  fill({ cacheStatus, result, ageS, requestId, id2 }: ReplyFields): string[] {
    const raw = this.#raw;
    const tail = this.#tail;
    raw.length = ageS === undefined ? tail + tailLength - 2 : tail + tailLength;
    raw[tail + 1] = cacheStatus;
    raw[tail + 3] = result;
    raw[tail + 5] = requestId;
    raw[tail + 7] = id2;
    if (ageS === undefined) return raw;
    raw[tail + 8] = 'age';
    raw[tail + 9] = String(ageS);
    return raw;
  }
}

/** The prepared answers of each record, by dialect and visibility; they go with the record. */
const wholeAnswers = new WeakMap<ReadableRecord, PreparedHeaders[]>();

/** The headers of a 200 with the whole object. */
export function wholeHeaders(record: ReadableRecord, prefix: HeaderPrefix, visibility: Visibility): PreparedHeaders {
  let prepared = wholeAnswers.get(record);
  if (!prepared) {
    prepared = [];
    wholeAnswers.set(record, prepared);
  }
  const index = 2 * visibilityIndex(visibility) + (prefix === 'x-amz-' ? 0 : 1);
  prepared[index] ??= new PreparedHeaders(objectHeaders(record, prefix, visibility, record.sizeBytes), prefix);
  return prepared[index];
}

/** The headers of a 206 (RFC 9110 §15.3.7). Checksums are of the whole object and go with nothing less (behaviours.md 8). */
export function partHeaders(record: ReadableRecord, prefix: HeaderPrefix, visibility: Visibility, part: PartOfObject): PreparedHeaders {
  const lengthBytes = part.last - part.first + 1;
  const shown = { ...visibility, checksums: visibility.checksums && lengthBytes === record.sizeBytes };
  const fixed = objectHeaders(record, prefix, shown, lengthBytes);
  fixed.push('content-range', formatContentRange(part.first, part.last, record.sizeBytes));
  return new PreparedHeaders(fixed, prefix);
}

function objectHeaders(record: ReadableRecord, prefix: HeaderPrefix, visibility: Visibility, lengthBytes: number): string[] {
  const fields = record.fields.filter(field => isVisible(field, visibility));
  return [...rawFromFields(fields, prefix), 'accept-ranges', 'bytes', 'content-length', String(lengthBytes)];
}

const inNotModified = new Set(['etag', 'last-modified', 'cache-control', 'expires', 'vary']);

/** The headers of a 304 (RFC 9110 §15.4.5; behaviours.md, Decided 6). */
export function notModifiedHeaders(record: ObjectRecord, prefix: HeaderPrefix): PreparedHeaders {
  const kept = record.fields.filter(({ name, store }) =>
    store ? name === 'version-id' : inNotModified.has(name) || name.startsWith('access-control-'),
  );
  return new PreparedHeaders(rawFromFields(kept, prefix), prefix);
}
