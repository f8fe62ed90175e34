import type { Content } from '../../cache/content.ts';
import type { Coverage } from '../../cache/coverage.ts';
import { ageS } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isStrongTag } from '../../http/entity-tag.ts';
import { fieldValue, type HeaderField } from '../../s3/dialect.ts';
import type { S3Error } from '../../s3/error.ts';
import { invalidRange } from '../../s3/read-errors.ts';
import type { Answer } from '../../transport/answer.ts';
import type { BodyRate } from '../reply/body-rates.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { type PartOfObject, rangeHeaders } from '../reply/object-headers.ts';
import type { PendingSends } from '../reply/pending-sends.ts';
import type { PreparedHeaders } from '../reply/prepared-headers.ts';
import { type SendCallbacks, sendContent } from '../reply/send-content.ts';
import {
  type CacheReport,
  type CacheReports,
  type LookupOutcome,
  withShownKey,
} from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Collections } from './collected-body.ts';
import { copiedContent } from './copied-content.ts';
import { givenOf } from './given-answer.ts';
import type { AnsweredRead } from './waiting-client.ts';
import type { PreparedAnswer } from './web-headers.ts';
import type { RecordSource, WebRead } from './web-read.ts';

/** Status and fields of an answer to a client, what it is reported as, and the policy and the key that it shows. */
export interface ShownHead {
  readonly status: number;
  readonly fields: readonly HeaderField[];
  readonly report: CacheReport;
  readonly by: AnsweredRead;
}

/** A read, its client, and what it is answered with. */
interface Answered {
  readonly read: WebRead;
  readonly exchange: Exchange;
  readonly record: ReadableRecord;
  readonly outcome: LookupOutcome;
  readonly source: RecordSource;
  readonly prepared: PreparedAnswer;
  /** Whether the content was made here: nobody is asked for it. */
  readonly isMade: boolean;
  /** Set where the record has the head of another answer, which says how old that is. */
  readonly shown?: ShownHead;
}

/** What the answers of a worker share. */
interface WebAnswerParts {
  readonly observer: ExchangeObserver;
  readonly reports: CacheReports;
  readonly copies: Collections;
}

/** The answer to one GET or HEAD from a stored answer. */
export class WebAnswer implements SendCallbacks {
  readonly #answered: Answered;
  readonly #parts: WebAnswerParts;
  #status = 200;
  #headers: PreparedHeaders;
  #ageS: number | undefined;

  constructor(answered: Answered, parts: WebAnswerParts) {
    this.#answered = answered;
    this.#parts = parts;
    this.#headers = answered.prepared.whole.withShared(answered.exchange.crossOrigin);
  }

  /** The demands of the client are met, or the origin has not minded them. @throws S3Error where the range cannot be had */
  give(): void {
    const { read, record, exchange } = this.#answered;
    this.#status = record.answer?.status ?? 200;
    const { fields, nowMs } = read;
    const given = givenOf(record, { fields, nowMs, method: exchange.isHead ? 'HEAD' : 'GET' });
    if (given.kind === 'not-modified') this.#notModified();
    else if (given.kind === 'unsatisfiable') this.#refuse(invalidRange(fields.range ?? '', record.sizeBytes));
    else this.#send(given.kind === 'part' ? given : undefined);
  }

  /** @throws `error`, which the cache has decided on */
  #refuse(error: S3Error): never {
    const { read, exchange } = this.#answered;
    this.onCoverage('all');
    exchange.report = withShownKey(exchange.report, read.policy, read.target.key);
    throw error;
  }

  #notModified(): void {
    this.onCoverage('all');
    this.#status = 304;
    const { exchange, prepared } = this.#answered;
    this.#headers = prepared.notModified.withShared(exchange.crossOrigin);
    this.begin().end();
    this.onEnd();
  }

  #send(part: PartOfObject | undefined): void {
    const { exchange, record, prepared } = this.#answered;
    if (part) {
      this.#status = 206;
      this.#headers = prepared.part.withShared(exchange.crossOrigin).with(rangeHeaders(record, part));
    }
    const [from, to] = part ? [part.first, part.last + 1] : [0, record.sizeBytes];
    sendContent(exchange, this.#content(), from, to, this);
  }

  #content(): Content {
    const { read, record, isMade } = this.#answered;
    const { content, entityTag } = record;
    if (!isMade && isStrongTag(entityTag)) return content;
    return copiedContent(content, this.#parts.copies, read.client.quota);
  }

  get sends(): PendingSends {
    return this.#parts.observer.sends;
  }

  get rate(): BodyRate | undefined {
    return this.#parts.observer.rates.of(this.#answered.exchange);
  }

  /** RFC 9110 §6.6.1: the Date of an answer stays that of who made it. */
  begin(): Answer {
    const { read, exchange, record, shown } = this.#answered;
    exchange.status = this.#status;
    const date = fieldValue(record.fields, 'date') ?? exchange.date;
    const { requestId, id2 } = exchange;
    const { policy, target } = shown?.by ?? read;
    const report = withShownKey(exchange.report, policy, target.key);
    const reply = { report, requestId, id2, date, fault: (error: unknown) => exchange.fault(error) };
    return this.#headers.begin(exchange.response, this.#status, reply, this.#ageS);
  }

  onStoreWait(): void {
    this.#parts.observer.waitsForStore(this.#answered.exchange);
  }

  onBodyStart(): void {
    this.#parts.observer.firstByte(this.#answered.exchange);
  }

  onEnd(): void {
    const { read, exchange, record, source } = this.#answered;
    if (exchange.failure) source.failed(read, record, exchange.failure);
    this.#parts.observer.sent(exchange);
  }

  failedBeforeHead(error: unknown): void {
    const { read, record, source } = this.#answered;
    source.answerAnew(read, record, error);
  }

  onCoverage(held: Coverage): void {
    const { read, exchange, record, outcome, isMade, shown } = this.#answered;
    const coverage = isMade ? 'all' : held;
    if (shown && coverage === 'all') exchange.report = shown.report;
    else {
      const { reports, observer } = this.#parts;
      // it may have come long after the request
      const { nowMs } = observer;
      exchange.report = reports.ofRecord(record, outcome, coverage, read.policy, nowMs);
      // what is shown says itself how old it is
      if (!shown) this.#ageS = shownAgeS(record, outcome, nowMs);
    }
  }
}

/** RFC 9111 §5.1: what the origin has just said itself has no Age of ours, unless a 304 of a cache there told one. */
export function shownAgeS(
  record: ReadableRecord,
  { how, isCollapsed }: LookupOutcome,
  nowMs: number,
): number | undefined {
  if (how === 'hit' || how === 'stale' || isCollapsed) return ageS(record, nowMs);
  return how === 'revalidated' ? ageS(record, nowMs) || undefined : undefined;
}
