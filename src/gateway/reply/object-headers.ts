import { attach } from '../../base/attach.ts';
import type { Part } from '../../cache/part-map.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { contentDigests } from '../../http/content-digests.ts';
import { formatContentRange } from '../../http/range.ts';
import { targetedFields } from '../../http/targeted-cache-control.ts';
import { type HeaderField, rawFromFields } from '../../s3/dialect.ts';
import type { Pairs } from '../../s3/error.ts';
import { isCrossOrigin, overridden } from '../../s3/passed-fields.ts';
import type { Visibility } from '../request/access.ts';
import type { AnswerRules } from '../request/answer-rules.ts';
import type { Exchange } from '../request/exchange.ts';
import { isStoreName } from './client-names.ts';
import { PreparedHeaders } from './prepared-headers.ts';

/** The byte range of an object that a response carries. */
export interface PartOfObject {
  readonly first: number;
  readonly last: number;
}

/** What decides which headers of an object a client sees. */
interface View {
  readonly exchange: Pick<Exchange, 'prefix' | 'isCharged' | 'answerRules' | 'crossOrigin' | 'operation'>;
  readonly visibility: Visibility;
  /** Headers that replace those of a 200 response. */
  readonly overrides: Pairs;
  /** Of the error that the object is a document for; undefined where the object itself is asked for. */
  readonly status?: number | undefined;
}

/** Headers that were prepared of a record, and for which of its readers. */
interface Prepared {
  readonly prepare: Prepare;
  readonly rules: AnswerRules | undefined;
  /** See `seenIn`. */
  readonly seen: number;
  readonly headers: PreparedHeaders;
}

type Prepare = (record: ReadableRecord, view: View) => PreparedHeaders;

const PREPARED = Symbol('prepared');

/** They go with their record. */
type PreparedRecord = ReadableRecord & { readonly [PREPARED]?: Prepared[] };

/** Of one record: buckets and clients differ in what is seen of it, and by a reload come other rules. */
const PREPARED_LIMIT = 16;

/** The headers of an answer with these bytes of `record`; undefined: with all. */
export function headersOf(
  record: ReadableRecord,
  view: View,
  part: PartOfObject | Part | undefined,
): PreparedHeaders {
  if (!part) return headersOfWhole(record, view);
  if (!('checksums' in part)) return headersOfRange(record, view, part);
  return headersOfPart(record, view, part, record.content.parts.count);
}

/** The headers of an answer with the whole object: a 200, or an error that it is a document for. */
export function headersOfWhole(record: ReadableRecord, view: View): PreparedHeaders {
  const { exchange, overrides, status } = view;
  if (overrides.length > 0)
    return PreparedHeaders.for(exchange, overridden(wholeHeaders(record, view), overrides), 200);
  const prepared = memoised(record, view, status === undefined ? prepareWhole : prepareError);
  return prepared.withShared(exchange.crossOrigin);
}

/**
 * The headers of a 206 (RFC 9110 §15.3.7). Checksums are those of the whole object and are sent only with all of it
 * (docs/semantics.md 8).
 */
export function headersOfRange(record: ReadableRecord, view: View, part: PartOfObject): PreparedHeaders {
  const { exchange, visibility } = view;
  const isAll = part.first === 0 && part.last + 1 === record.sizeBytes;
  const own = rangeHeaders(record, part);
  if (isAll && visibility.checksums)
    return PreparedHeaders.for(exchange, objectHeaders(record, view), 206).with(own);
  return partOf(record, view).with(own);
}

/**
 * The headers of a 206 for a part number, with the number of parts and the checksums of the part (docs/semantics.md
 * 36 to 39, 48).
 */
export function headersOfPart(
  record: ReadableRecord,
  view: View,
  part: Part,
  count: number | undefined,
): PreparedHeaders {
  const { prefix } = view.exchange;
  const own = rangeHeaders(record, part);
  if (count !== undefined) own.push(`${prefix}mp-parts-count`, String(count));
  if (view.visibility.checksums) own.push(...rawFromFields(part.checksums, prefix));
  return partOf(record, view).with(own);
}

/** Without the fields that depend on the range. */
function partOf(record: ReadableRecord, view: View): PreparedHeaders {
  return memoised(record, view, preparePart).withShared(view.exchange.crossOrigin);
}

/** What was prepared of `record` for views like this one, or what `prepare` makes now. */
function memoised(record: PreparedRecord, view: View, prepare: Prepare): PreparedHeaders {
  const { isCharged, answerRules: rules } = view.exchange;
  if (isCharged) return prepare(record, view);
  const all = record[PREPARED] ?? attach<Prepared[]>(record, PREPARED, []);
  const seen = seenIn(view);
  for (const known of all)
    if (known.seen === seen && known.prepare === prepare && known.rules === rules) return known.headers;
  const headers = prepare(record, view);
  if (all.length >= PREPARED_LIMIT) all.shift();
  all.push({ prepare, rules, seen, headers });
  return headers;
}

/** A number for what is seen of an object, and in which dialect. */
function seenIn({ exchange, visibility }: View): number {
  const { checksums, taggingCount, legalHold, storeNames, targeted } = visibility;
  const ofStore = Number(checksums) + 2 * Number(taggingCount) + 4 * Number(legalHold);
  const seen = ofStore + 8 * Number(storeNames) + 16 * Number(targeted);
  return 2 * seen + (exchange.prefix === 'x-amz-' ? 0 : 1);
}

function prepareWhole(record: ReadableRecord, view: View): PreparedHeaders {
  return preparedFor(wholeHeaders(record, view), view);
}

/**
 * What the document says of its own freshness stays: the store says nothing of that of an error. Not so its validators: they are of
 * another content than the one that is missing, and caches guess by the age of `Last-Modified` (RFC 9111 §4.2.2) for how long it is.
 */
function prepareError(record: ReadableRecord, view: View): PreparedHeaders {
  const fields = record.fields.filter(({ name, store }) => store || !validators.has(name));
  return preparedFor([...shownHeaders({ fields }, view), ...lengthHeader(record.sizeBytes)], view);
}

const validators: ReadonlySet<string> = new Set(['etag', 'last-modified']);

/** As rules have it, without what is for pages of one origin. */
function preparedFor(raw: readonly string[], { exchange, status = 200 }: View): PreparedHeaders {
  return PreparedHeaders.of(exchange.answerRules?.applied(raw, status) ?? raw, exchange.prefix);
}

/** Checksums and digests are left out: those of the whole object do not belong to a part of it. */
function preparePart(record: ReadableRecord, view: View): PreparedHeaders {
  const visibility = { ...view.visibility, checksums: false };
  const fields = record.fields.filter(({ name, store }) => store || !contentDigests.has(name));
  return preparedFor(objectHeaders({ fields }, { ...view, visibility }), view);
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

/** What a 206 says of its bytes (RFC 9110 §15.3.7). */
export function rangeHeaders(record: ReadableRecord, { first, last }: PartOfObject): string[] {
  return [
    ...lengthHeader(last - first + 1),
    'content-range',
    formatContentRange(first, last, record.sizeBytes),
  ];
}

export function lengthHeader(lengthBytes: number): string[] {
  return ['content-length', String(lengthBytes)];
}

function objectHeaders(record: Pick<ReadableRecord, 'fields'>, view: View): string[] {
  return [...shownHeaders(record, view), 'accept-ranges', 'bytes'];
}

function shownHeaders(record: Pick<ReadableRecord, 'fields'>, { exchange, visibility }: View): string[] {
  const fields = record.fields.filter(field => isVisible(field, visibility));
  return [...rawFromFields(fields, exchange.prefix), ...chargeHeader(exchange)];
}

/** Tells that the store charged for this answer (docs/semantics.md 127). */
export function chargeHeader({ prefix, isCharged }: Pick<Exchange, 'prefix' | 'isCharged'>): string[] {
  return isCharged ? [`${prefix}request-charged`, 'requester'] : [];
}

const inNotModified = new Set(['etag', 'last-modified', 'cache-control', 'expires']);

/** The headers of a 304 (RFC 9110 §15.4.5; docs/semantics.md, Decided 6). */
export function notModifiedHeaders(record: ObjectRecord, exchange: View['exchange']): PreparedHeaders {
  const kept = record.fields.filter(
    field =>
      (field.store ? field.name === 'version-id' : inNotModified.has(field.name)) || isCrossOrigin(field),
  );
  const raw = [...rawFromFields(kept, exchange.prefix), ...chargeHeader(exchange)];
  return PreparedHeaders.for(exchange, raw, 304);
}
