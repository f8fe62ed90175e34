import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Part } from '../../cache/part-map.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { contentDigests } from '../../http/content-digests.ts';
import { headerText } from '../../http/header-lines.ts';
import { formatContentRange } from '../../http/range.ts';
import { targetedFields } from '../../http/targeted-cache-control.ts';
import { type HeaderField, type HeaderPrefix, rawFromFields } from '../../s3/dialect.ts';
import type { Pairs } from '../../s3/error.ts';
import { isCrossOrigin, overridden } from '../../s3/passed-fields.ts';
import { type Answer, DirectAnswer, type FaultHandler, StandardAnswer } from '../../transport/answer.ts';
import type { Visibility } from '../request/access.ts';
import type { CacheReport } from '../request/cache-status.ts';
import { isStoreName } from './client-names.ts';

/** The fields that differ between responses. */
interface ReplyFields extends FaultHandler {
  readonly report: CacheReport;
  readonly requestId: string;
  readonly id2: string;
  /** Value of the Date header. */
  readonly date: string;
}

/** The byte range of an object that a response carries. */
export interface PartOfObject {
  readonly first: number;
  readonly last: number;
}

/**
 * The headers of one kind of response, prepared once and completed for each response. A response with a known length is
 * written as text; others are written by node:http.
 */
export class PreparedHeaders {
  readonly #fixed: readonly string[];
  readonly #text: string | undefined;
  readonly #prefix: HeaderPrefix;
  readonly #ends: HeadEnds;
  readonly #namesLength: boolean;

  private constructor(
    fixed: readonly string[],
    text: string | undefined,
    prefix: HeaderPrefix,
    ends: HeadEnds,
  ) {
    this.#fixed = fixed;
    this.#text = text;
    this.#prefix = prefix;
    this.#ends = ends;
    this.#namesLength = fixed.includes('content-length');
  }

  /** @param fixed names and values that are the same in every response */
  static of(fixed: readonly string[], prefix: HeaderPrefix): PreparedHeaders {
    const text = headerText(fixed);
    return new PreparedHeaders(fixed, text && inOnePiece(text), prefix, new HeadEnds(prefix));
  }

  /** These headers followed by `others`. */
  with(others: readonly string[]): PreparedHeaders {
    const added = headerText(others);
    const text = this.#text === undefined || added === undefined ? undefined : this.#text + added;
    return new PreparedHeaders([...this.#fixed, ...others], text, this.#prefix, this.#ends);
  }

  /**
   * Begins the response; the head is sent with the first bytes of the body.
   *
   * @param ageS Age in seconds; undefined for an answer that did not come from the cache
   */
  begin(response: ServerResponse, status: number, reply: ReplyFields, ageS: number | undefined): Answer {
    const head = this.#head(status, reply, ageS);
    const direct = head === undefined ? undefined : DirectAnswer.begin(response, status, head, reply);
    if (direct) return direct;
    this.writeTo(response, status, reply, ageS);
    return new StandardAnswer(response);
  }

  /** Writes the head with node:http. @param ageS see `begin` */
  writeTo(response: ServerResponse, status: number, reply: ReplyFields, ageS: number | undefined): void {
    const { report, requestId, id2, date } = reply;
    const raw = [...this.#fixed, `${this.#prefix}request-id`, requestId, `${this.#prefix}id-2`, id2];
    raw.push('cache-status', report.cacheStatus, 'x-cache', report.result, 'Date', date);
    if (ageS !== undefined) raw.push('age', String(ageS));
    response.writeHead(status, raw);
  }

  /** The complete head for a keep-alive connection; undefined if it does not delimit the body. */
  #head(status: number, reply: ReplyFields, ageS: number | undefined): string | undefined {
    const statusLine = statusLines.get(status);
    if (statusLine === undefined || this.#text === undefined || !(this.#namesLength || status === 304))
      return undefined;
    return (
      statusLine + this.#text + requestIdLine[this.#prefix] + reply.requestId + this.#ends.of(reply, ageS)
    );
  }
}

const requestIdLine: Readonly<Record<HeaderPrefix, string>> = {
  'x-amz-': 'x-amz-request-id: ',
  'x-store-': 'x-store-request-id: ',
};

/** Statuses of successful object responses. */
const statusLines = new Map(
  [200, 206, 304].map(status => [status, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`]),
);

/** The end of a head, after the request id. Memoised: it is the same for all hits within one second. */
class HeadEnds {
  readonly #prefix: HeaderPrefix;
  #text = '';
  #cacheStatus = '';
  #date = '';
  #id2 = '';
  #ageS: number | undefined;

  constructor(prefix: HeaderPrefix) {
    this.#prefix = prefix;
  }

  of({ report, id2, date }: ReplyFields, ageS: number | undefined): string {
    const { cacheStatus } = report;
    const isSame =
      cacheStatus === this.#cacheStatus && ageS === this.#ageS && date === this.#date && id2 === this.#id2;
    if (isSame) return this.#text;
    const age = ageS === undefined ? '' : `age: ${ageS}\r\n`;
    this.#text = inOnePiece(
      `\r\n${this.#prefix}id-2: ${id2}\r\ncache-status: ${cacheStatus}\r\nx-cache: ${report.result}\r\n${age}Date: ${date}\r\nConnection: keep-alive\r\n\r\n`,
    );
    this.#cacheStatus = cacheStatus;
    this.#date = date;
    this.#id2 = id2;
    this.#ageS = ageS;
    return this.#text;
  }
}

/**
 * Flattens `text`. V8 represents concatenated strings as a tree and would walk it each time the string is written.
 *
 * @param text contains only characters up to U+00FF.
 */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** What decides which headers of an object a client sees. */
interface View {
  readonly exchange: { readonly prefix: HeaderPrefix; readonly isCharged: boolean };
  readonly visibility: Visibility;
  /** Headers that replace those of a 200 response. */
  readonly overrides: Pairs;
}

/** The headers of the objects that a worker sends, prepared once per record and freed with it. */
export class ObjectHeaders {
  readonly #wholes = new WeakMap<ReadableRecord, PreparedHeaders[]>();
  /** Without the fields that depend on the range. */
  readonly #parts = new WeakMap<ReadableRecord, PreparedHeaders[]>();

  /** The headers of a 200 with the whole object. */
  whole(record: ReadableRecord, view: View): PreparedHeaders {
    if (view.overrides.length === 0) return memoised(this.#wholes, record, view, prepareWhole);
    const { prefix } = view.exchange;
    return PreparedHeaders.of(overridden(wholeHeaders(record, view), view.overrides), prefix);
  }

  /**
   * The headers of a 206 (RFC 9110 §15.3.7). Checksums are those of the whole object and are sent only with all of it
   * (docs/semantics.md 8).
   */
  range(record: ReadableRecord, view: View, part: PartOfObject): PreparedHeaders {
    const isAll = part.first === 0 && part.last + 1 === record.sizeBytes;
    const own = rangeHeaders(record, part);
    if (isAll && view.visibility.checksums)
      return PreparedHeaders.of(objectHeaders(record, view), view.exchange.prefix).with(own);
    return memoised(this.#parts, record, view, preparePart).with(own);
  }

  /**
   * The headers of a 206 for a part number, with the number of parts and the checksums of the part (docs/semantics.md
   * 36 to 39, 48).
   */
  part(record: ReadableRecord, view: View, part: Part, count: number | undefined): PreparedHeaders {
    const { prefix } = view.exchange;
    const own = rangeHeaders(record, part);
    if (count !== undefined) own.push(`${prefix}mp-parts-count`, String(count));
    if (view.visibility.checksums) own.push(...rawFromFields(part.checksums, prefix));
    return memoised(this.#parts, record, view, preparePart).with(own);
  }
}

/** What was prepared of `record` for views like this one, or what `prepare` makes now. */
function memoised(
  prepared: WeakMap<ReadableRecord, PreparedHeaders[]>,
  record: ReadableRecord,
  view: View,
  prepare: (record: ReadableRecord, view: View) => PreparedHeaders,
): PreparedHeaders {
  const { exchange, visibility } = view;
  if (exchange.isCharged) return prepare(record, view);
  let known = prepared.get(record);
  if (!known) {
    known = [];
    prepared.set(record, known);
  }
  const { checksums, taggingCount, legalHold, storeNames, targeted } = visibility;
  const ofStore = Number(checksums) + 2 * Number(taggingCount) + 4 * Number(legalHold);
  const seen = ofStore + 8 * Number(storeNames) + 16 * Number(targeted);
  const index = 2 * seen + (exchange.prefix === 'x-amz-' ? 0 : 1);
  known[index] ??= prepare(record, view);
  return known[index];
}

function prepareWhole(record: ReadableRecord, view: View): PreparedHeaders {
  return PreparedHeaders.of(wholeHeaders(record, view), view.exchange.prefix);
}

/** Checksums and digests are left out: those of the whole object do not belong to a part of it. */
function preparePart(record: ReadableRecord, view: View): PreparedHeaders {
  const visibility = { ...view.visibility, checksums: false };
  const fields = record.fields.filter(({ name, store }) => store || !contentDigests.has(name));
  return PreparedHeaders.of(objectHeaders({ fields }, { ...view, visibility }), view.exchange.prefix);
}

function wholeHeaders(record: ReadableRecord, view: View): string[] {
  return [...objectHeaders(record, view), ...lengthHeader(record.sizeBytes)];
}

/** Whether a client sees `field`. */
export function isVisible(field: HeaderField, visibility: Visibility): boolean {
  if (!visibility.storeNames && isStoreName(field)) return false;
  const { name, store } = field;
  if (!store) return visibility.targeted || !targetedFields.has(name);
  if (name.startsWith('checksum-')) return visibility.checksums;
  if (name === 'tagging-count') return visibility.taggingCount;
  if (name === 'object-lock-legal-hold') return visibility.legalHold;
  return true;
}

function rangeHeaders(record: ReadableRecord, { first, last }: PartOfObject): string[] {
  return [
    ...lengthHeader(last - first + 1),
    'content-range',
    formatContentRange(first, last, record.sizeBytes),
  ];
}

function lengthHeader(lengthBytes: number): string[] {
  return ['content-length', String(lengthBytes)];
}

function objectHeaders(record: Pick<ReadableRecord, 'fields'>, { exchange, visibility }: View): string[] {
  const fields = record.fields.filter(field => isVisible(field, visibility));
  const raw = rawFromFields(fields, exchange.prefix);
  raw.push(...chargeHeader(exchange));
  raw.push('accept-ranges', 'bytes');
  return raw;
}

/** Tells that the store charged for this answer (docs/semantics.md 127). */
export function chargeHeader({ prefix, isCharged }: View['exchange']): string[] {
  return isCharged ? [`${prefix}request-charged`, 'requester'] : [];
}

const inNotModified = new Set(['etag', 'last-modified', 'cache-control', 'expires']);

/** The headers of a 304 (RFC 9110 §15.4.5; docs/semantics.md, Decided 6). */
export function notModifiedHeaders(record: ObjectRecord, exchange: View['exchange']): PreparedHeaders {
  const kept = record.fields.filter(
    field =>
      (field.store ? field.name === 'version-id' : inNotModified.has(field.name)) || isCrossOrigin(field),
  );
  const { prefix } = exchange;
  return PreparedHeaders.of([...rawFromFields(kept, prefix), ...chargeHeader(exchange)], prefix);
}
