import type { Coverage } from '../../cache/coverage.ts';
import { ageS, freshUntilMs } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { parseCachedDate } from '../../http/http-date.ts';
import { evaluatePreconditions, ifRangeHolds } from '../../http/preconditions.ts';
import { parseRange, selectRange } from '../../http/range.ts';
import { invalidRange, preconditionFailed } from '../../s3/read-errors.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import type { Answer } from '../../transport/answer.ts';
import { ObjectChangedError } from '../fill/fill-error.ts';
import type { BodyRate } from '../reply/body-rates.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { PendingSends } from '../reply/pending-sends.ts';
import type { PartOfObject, PreparedHeaders } from '../reply/prepared-headers.ts';
import { type SendCallbacks, sendContent } from '../reply/send-content.ts';
import type { CacheReports, LookupOutcome } from '../request/cache-status.ts';
import { fieldValue } from './outgoing-fields.ts';
import { type PreparedAnswer, rangeHeaders, type WebHeaders } from './web-headers.ts';
import type { WebRead } from './web-read.ts';

/** What the answers of a worker share. */
export interface WebAnswerParts {
  readonly observer: ExchangeObserver;
  readonly headers: WebHeaders;
  readonly reports: CacheReports;
  /** `record` turned out to be of no use. */
  forget(read: WebRead, record: ReadableRecord): void;
  /** Reading `record` has failed before the first byte. */
  answerAnew(read: WebRead, record: ReadableRecord, error: unknown): void;
}

/** The answer to one GET or HEAD from a stored answer. */
export class WebAnswer implements SendCallbacks {
  readonly #read: WebRead;
  readonly #record: ReadableRecord;
  readonly #outcome: LookupOutcome;
  readonly #parts: WebAnswerParts;
  readonly #prepared: PreparedAnswer;
  #status = 200;
  #headers: PreparedHeaders;
  #ageS: number | undefined;

  /** @param prepared set where the client gets more than what is stored */
  constructor(
    read: WebRead,
    record: ReadableRecord,
    outcome: LookupOutcome,
    parts: WebAnswerParts,
    prepared = parts.headers.of(record, read.policy),
  ) {
    this.#prepared = prepared;
    this.#read = read;
    this.#record = record;
    this.#outcome = outcome;
    this.#parts = parts;
    this.#headers = prepared.whole;
  }

  /** @throws S3Error where a precondition fails or the range cannot be had */
  give(): void {
    const { fields, nowMs, exchange } = this.#read;
    const record = this.#record;
    this.#status = record.answer?.status ?? 200;
    // RFC 9110 §13.2.1: preconditions and ranges are for what is there
    if (this.#status !== 200) {
      this.#send(undefined);
      return;
    }
    const verdict = fields.isConditional
      ? evaluatePreconditions(fields, validatorsOf(record, fields), nowMs)
      : undefined;
    if (verdict?.kind === 'not-modified') this.#notModified();
    else if (verdict?.kind === 'failed') {
      this.onCoverage('all');
      throw preconditionFailed(verdict.condition);
    } else if (fields.range === undefined || exchange.isHead) this.#send(undefined);
    else this.#sendRange(fields.range);
  }

  #notModified(): void {
    this.onCoverage('all');
    this.#status = 304;
    this.#headers = this.#prepared.notModified;
    this.begin().end();
    this.onEnd();
  }

  #sendRange(range: string): void {
    const record = this.#record;
    const { fields } = this.#read;
    const selection = ifRangeHolds(fields.ifRange, record)
      ? selectRange(parseRange(range), record.sizeBytes)
      : undefined;
    if (selection?.kind === 'unsatisfiable') {
      this.onCoverage('all');
      throw invalidRange(range, record.sizeBytes);
    }
    this.#send(selection?.kind === 'part' ? selection : undefined);
  }

  #send(part: PartOfObject | undefined): void {
    const record = this.#record;
    if (part) {
      this.#status = 206;
      this.#headers = this.#prepared.part.with(rangeHeaders(record, part));
    }
    const [from, to] = part ? [part.first, part.last + 1] : [0, record.sizeBytes];
    sendContent(this.#read.exchange, record.content, from, to, this);
  }

  get sends(): PendingSends {
    return this.#parts.observer.sends;
  }

  get rate(): BodyRate | undefined {
    return this.#parts.observer.rates.of(this.#read.exchange);
  }

  /** RFC 9110 §6.6.1: the Date of an answer stays that of who made it. */
  begin(): Answer {
    const { exchange } = this.#read;
    exchange.status = this.#status;
    const date = fieldValue(this.#record.fields, 'date') ?? exchange.date;
    const { report, requestId, id2 } = exchange;
    const reply = { report, requestId, id2, date, fault: (error: unknown) => exchange.fault(error) };
    return this.#headers.begin(exchange.response, this.#status, reply, this.#ageS);
  }

  onStoreWait(): void {
    this.#parts.observer.waitsForStore(this.#read.exchange);
  }

  onBodyStart(): void {
    this.#parts.observer.firstByte(this.#read.exchange);
  }

  onEnd(): void {
    const { exchange } = this.#read;
    if (exchange.failure instanceof ObjectChangedError) this.#parts.forget(this.#read, this.#record);
    this.#parts.observer.sent(exchange);
  }

  failedBeforeHead(error: unknown): void {
    this.#parts.answerAnew(this.#read, this.#record, error);
  }

  /** RFC 9111 §5.1: what the origin has just said itself has no Age of ours. */
  onCoverage(coverage: Coverage): void {
    const { exchange, policy, nowMs } = this.#read;
    const { how } = this.#outcome;
    const leftMs = freshUntilMs(this.#record, policy, nowMs) - nowMs;
    const ttlMs = how === 'stale' ? leftMs : Math.max(0, leftMs);
    exchange.report = this.#parts.reports.of(this.#outcome, coverage, Math.ceil(ttlMs / 1000));
    const isAged = how === 'hit' || how === 'stale' || this.#outcome.isCollapsed;
    this.#ageS = isAged ? ageS(this.#record, nowMs) : undefined;
  }
}

/** RFC 9111 §4.3.2: without Last-Modified, If-Modified-Since is held against the Date. */
function validatorsOf(record: ReadableRecord, { ifUnmodifiedSince }: RequestFields) {
  const { entityTag, lastModifiedMs, receivedMs } = record;
  if (lastModifiedMs !== undefined || ifUnmodifiedSince !== undefined) return record;
  return { entityTag, lastModifiedMs: parseCachedDate(fieldValue(record.fields, 'date') ?? '', receivedMs) };
}
