import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Part } from '../../cache/part-map.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { formatContentRange } from '../../http/range.ts';
import { headerText, setReadyHead } from '../../http/ready-head.ts';
import { type HeaderPrefix, rawFromFields } from '../../s3/dialect.ts';
import type { Pairs } from '../../s3/error.ts';
import type { CacheReport } from './cache-status.ts';
import { isCrossOrigin, overridden } from './passed-fields.ts';
import { isVisible, type Visibility, visibilityIndex } from './visibility.ts';

/** What differs from one answer to the next. */
export interface ReplyFields {
  readonly report: CacheReport;
  readonly requestId: string;
  readonly id2: string;
  /** Value of the Date header. */
  readonly date: string;
}

/** Bytes that an answer carries of an object. */
export interface PartOfObject {
  readonly first: number;
  readonly last: number;
}

/**
 * The headers of one kind of answer: put together once, and filled in with what changes at each answer. An answer of
 * which the length is known goes out as text; whatever else there is, node:http puts together.
 */
export class PreparedHeaders {
  readonly #fixed: readonly string[];
  readonly #prefix: HeaderPrefix;
  readonly #text: string | undefined;

  /** @param fixed names and values that stay. */
  constructor(fixed: readonly string[], prefix: HeaderPrefix) {
    this.#fixed = fixed;
    this.#prefix = prefix;
    this.#text = fixed.includes('content-length') ? headerText(fixed) : undefined;
  }

  /**
   * Writes the head of `response`.
   *
   * @param ageS seconds; undefined for what did not come from the cache.
   */
  writeTo(response: ServerResponse, status: number, reply: ReplyFields, ageS: number | undefined): void {
    if (
      this.#text === undefined ||
      status >= 300 ||
      !setReadyHead(response, status, this.#head(status, reply, ageS))
    )
      response.writeHead(status, [...this.#fixed, ...this.#changing(reply, ageS)]);
  }

  #head(status: number, { report, requestId, id2, date }: ReplyFields, ageS: number | undefined): string {
    const prefix = this.#prefix;
    const age = ageS === undefined ? '' : `age: ${ageS}\r\n`;
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${this.#text}cache-status: ${report.cacheStatus}\r\nx-cache: ${report.result}\r\n${prefix}request-id: ${requestId}\r\n${prefix}id-2: ${id2}\r\n${age}Date: ${date}\r\nConnection: keep-alive\r\n\r\n`;
  }

  #changing({ report, requestId, id2 }: ReplyFields, ageS: number | undefined): string[] {
    const prefix = this.#prefix;
    const changing = ['cache-status', report.cacheStatus, 'x-cache', report.result];
    changing.push(`${prefix}request-id`, requestId, `${prefix}id-2`, id2);
    if (ageS !== undefined) changing.push('age', String(ageS));
    return changing;
  }
}

/** To whom an object is shown. */
export interface View {
  readonly exchange: { readonly prefix: HeaderPrefix; readonly isCharged: boolean };
  readonly visibility: Visibility;
  /** Headers that replace those of a 200. */
  readonly overrides: Pairs;
}

/** The prepared answers of each record, by dialect and visibility; they go with the record. */
const wholeAnswers = new WeakMap<ReadableRecord, PreparedHeaders[]>();

/** The headers of a 200 with the whole object. */
export function wholeHeaders(record: ReadableRecord, view: View): PreparedHeaders {
  if (view.overrides.length > 0 || view.exchange.isCharged) {
    return new PreparedHeaders(
      overridden(objectHeaders(record, view, record.sizeBytes), view.overrides),
      view.exchange.prefix,
    );
  }
  let prepared = wholeAnswers.get(record);
  if (!prepared) {
    prepared = [];
    wholeAnswers.set(record, prepared);
  }
  const index = 2 * visibilityIndex(view.visibility) + (view.exchange.prefix === 'x-amz-' ? 0 : 1);
  prepared[index] ??= new PreparedHeaders(
    objectHeaders(record, view, record.sizeBytes),
    view.exchange.prefix,
  );
  return prepared[index];
}

/** The headers of a 206 (RFC 9110 §15.3.7). Checksums are of the whole object and go with nothing less (behaviours.md 8). */
export function partHeaders(record: ReadableRecord, view: View, part: PartOfObject): PreparedHeaders {
  return new PreparedHeaders(rangeHeaders(record, view, part), view.exchange.prefix);
}

/** The headers of a 206 for a part number: with the count of parts, and the checksums of the part (behaviours.md 36 to 39, 48). */
export function multipartHeaders(
  record: ReadableRecord,
  view: View,
  part: Part,
  count: number | undefined,
): PreparedHeaders {
  const raw = rangeHeaders(record, { ...view, visibility: { ...view.visibility, checksums: false } }, part);
  if (count !== undefined) raw.push(`${view.exchange.prefix}mp-parts-count`, String(count));
  if (view.visibility.checksums) raw.push(...rawFromFields(part.checksums, view.exchange.prefix));
  return new PreparedHeaders(raw, view.exchange.prefix);
}

function rangeHeaders(record: ReadableRecord, view: View, { first, last }: PartOfObject): string[] {
  const lengthBytes = last - first + 1;
  const checksums = view.visibility.checksums && lengthBytes === record.sizeBytes;
  const raw = objectHeaders(record, { ...view, visibility: { ...view.visibility, checksums } }, lengthBytes);
  raw.push('content-range', formatContentRange(first, last, record.sizeBytes));
  return raw;
}

function objectHeaders(
  record: ReadableRecord,
  { exchange, visibility }: View,
  lengthBytes: number,
): string[] {
  const fields = record.fields.filter(field => isVisible(field, visibility));
  const raw = rawFromFields(fields, exchange.prefix);
  if (exchange.isCharged) raw.push(`${exchange.prefix}request-charged`, 'requester');
  raw.push('accept-ranges', 'bytes', 'content-length', String(lengthBytes));
  return raw;
}

const inNotModified = new Set(['etag', 'last-modified', 'cache-control', 'expires']);

/** The headers of a 304 (RFC 9110 §15.4.5; behaviours.md, Decided 6). */
export function notModifiedHeaders(record: ObjectRecord, prefix: HeaderPrefix): PreparedHeaders {
  const kept = record.fields.filter(
    field =>
      (field.store ? field.name === 'version-id' : inNotModified.has(field.name)) || isCrossOrigin(field),
  );
  return new PreparedHeaders(rawFromFields(kept, prefix), prefix);
}
