import type { Coverage } from '../../cache/coverage.ts';
import { ageS } from '../../cache/freshness.ts';
import type { Part } from '../../cache/part-map.ts';
import type { ObjectRecord, ReadableRecord, RefusedRecord } from '../../cache/record.ts';
import type { ContentCoding } from '../../http/content-coding.ts';
import { evaluatePreconditions } from '../../http/preconditions.ts';
import { invalidPartNumber, invalidRange, preconditionFailed } from '../../s3/read-errors.ts';
import { tellsMissing } from '../../s3/store-refusal.ts';
import type { Answer } from '../../transport/answer.ts';
import { ObjectChangedError, OwnerLostError, RefusedByStoreError } from '../fill/fill-error.ts';
import type { BodyRate } from '../reply/body-rates.ts';
import { isFault } from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { headersOf, notModifiedHeaders, type PartOfObject } from '../reply/object-headers.ts';
import type { PendingSends } from '../reply/pending-sends.ts';
import { PreparedHeaders } from '../reply/prepared-headers.ts';
import { replyRemembered } from '../reply/refusal-reply.ts';
import type { Representations } from '../reply/representations.ts';
import { type SendCallbacks, sendContent } from '../reply/send-content.ts';
import { untoldAbsence } from '../request/access.ts';
import {
  asRead,
  type CacheReports,
  cacheHit,
  type LookupOutcome,
  wasForwarded,
} from '../request/cache-status.ts';
import type { ClientRead } from '../request/client-read.ts';
import { demandAsIs, readsMade } from '../request/made-tags.ts';
import type { ObjectSource } from './object-source.ts';
import { passRead } from './pass-read.ts';
import { noteRefusal, replyNoted, replyToFailure } from './reply-to-failure.ts';
import { selectionFor } from './selection.ts';
import type { Website } from './website.ts';

const undecided = PreparedHeaders.of([], 'x-store-');

/** What the answers of a worker share. */
export interface AnswerParts {
  readonly observer: ExchangeObserver;
  readonly representations: Representations;
  readonly reports: CacheReports;
  readonly website: Pick<Website, 'answerInstead'>;
  /** Repeats the look-up for an object that changed before the first byte; `left` look-ups may still follow. */
  lookUpAgain(client: ClientRead, source: ObjectSource, left: number, failed: FailedRead | undefined): void;
  /** Reads from the bucket's fallback store; false if there is none, or the failure does not allow it. */
  fallBack(client: ClientRead, failure: unknown): boolean;
}

/** A read whose own store has failed, and that failure. */
export interface FailedRead {
  readonly client: ClientRead;
  readonly failure: unknown;
}

/** The answer to one read, from the record to the last byte. */
export class ObjectAnswer implements SendCallbacks {
  readonly #client: ClientRead;
  readonly #source: ObjectSource;
  readonly #parts: AnswerParts;
  readonly #lookUpsLeft: number;
  readonly #failed: FailedRead | undefined;
  #record: ObjectRecord | undefined;
  #outcome = cacheHit;
  #status = 200;
  #headers = undecided;
  /** The record that bytes are sent of, and which of them; undefined: all. */
  #sent: ReadableRecord | undefined;
  #part: PartOfObject | Part | undefined;
  #ageS: number | undefined;
  /** In which coding the content goes out. */
  #coding: ContentCoding | undefined;
  #isUndated = false;
  /** Whether a coding that was chosen could not be read. */
  #isAsIs = false;

  /**
   * @param lookUpsLeft how often the look-up may be repeated if the object changes before the first byte
   * @param failed set when this answers from the fallback store
   */
  constructor(
    client: ClientRead,
    source: ObjectSource,
    parts: AnswerParts,
    lookUpsLeft: number,
    failed?: FailedRead,
  ) {
    this.#failed = failed;
    this.#client = client;
    this.#source = source;
    this.#parts = parts;
    this.#lookUpsLeft = lookUpsLeft;
  }

  /** Answers from the record that was found. */
  answer(record: ObjectRecord, outcome: LookupOutcome): void {
    this.#record = record;
    this.#outcome = outcome;
    this.#client.exchange.isCharged ||= outcome.isCharged;
    try {
      // a replica may lack the object, so its refusal is not shown; an object that cannot be cached is passed through
      if (this.#failed && record.kind === 'refused') this.fail(undefined);
      else if (this.#failed && record.kind === 'uncacheable')
        passRead(this.#failed.client, this.#parts.observer, 'unkeepable');
      else if (record.kind === 'refused') this.#refuse(record);
      else if (record.kind === 'uncacheable') passRead(this.#client, this.#parts.observer, 'unkeepable');
      else this.#checkPreconditions(this.#represented(record));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Handles any error before the first byte. Never throws. */
  fail(error: unknown): void {
    const { exchange } = this.#client;
    if (exchange.response.headersSent || (error !== undefined && isFault(error))) {
      exchange.refuse(error);
      return;
    }
    try {
      // the record is the fallback's, and the failure that of the primary
      if (this.#failed) this.#replyToFailure(undefined, this.#failed.failure);
      else if (!this.#parts.fallBack(this.#client, error)) this.#replyToFailure(this.#record, error);
    } catch (fault) {
      exchange.fault(fault);
    }
  }

  /** A document that takes the place of an error and is not to be had leaves the error as it was. */
  #replyToFailure(record: ObjectRecord | undefined, error: unknown): void {
    const client = this.#client;
    const { page } = client;
    const { observer, website } = this.#parts;
    if (page?.otherwise) page.otherwise();
    else if (page && error instanceof RefusedByStoreError) {
      const { reply } = error;
      noteRefusal(client, this.#source, record, reply);
      website.answerInstead(client, page, reply.status, () => replyNoted(client, reply, observer));
    } else replyToFailure(client, this.#source, record, error, observer);
  }

  /** docs/semantics.md, Authentication 4: callers without ListBucket are not told that a key is missing. */
  #refuse(record: RefusedRecord): void {
    const { exchange, read, mayKnowMissing, page } = this.#client;
    if (page?.otherwise) {
      page.otherwise();
      return;
    }
    this.onCoverage('all');
    exchange.refusedBy = 'store';
    if (!mayKnowMissing && tellsMissing(record)) throw untoldAbsence();
    const reply = () => {
      replyRemembered(exchange, read.bucket, record, this.#ageS);
      this.#parts.observer.sent(exchange);
    };
    if (page) this.#parts.website.answerInstead(this.#client, page, record.status, reply);
    else reply();
  }

  #represented(record: ReadableRecord): ReadableRecord {
    const { compress } = this.#client.rules;
    const { representations } = this.#parts;
    if (compress === undefined || compress === 'off') return record;
    if (this.#isAsIs) return representations.asIs(record, compress);
    const mayMake = this.#outcome.how !== 'fetched';
    const chosen = representations.ofObject(record, compress, this.#client, mayMake);
    this.#coding = chosen.coding;
    this.#isUndated = chosen.isUndated ?? false;
    return chosen.record;
  }

  #checkPreconditions(record: ReadableRecord): void {
    const { fields, exchange, nowMs } = this.#client;
    const conditions = readsMade(this.#client) ? demandAsIs(fields) : fields;
    const verdict = fields.isConditional ? evaluatePreconditions(conditions, record, nowMs) : undefined;
    if (!verdict || verdict.kind === 'proceed') return void this.#select(record);
    this.onCoverage('all');
    if (verdict.kind === 'failed') throw preconditionFailed(verdict.condition);
    this.#status = 304;
    this.#headers = notModifiedHeaders(record, exchange);
    this.begin().end();
    this.#parts.observer.sent(exchange);
  }

  #select(record: ReadableRecord): void {
    const { fields, read } = this.#client;
    // an empty object has part 1 only, which is the object itself (docs/semantics.md 40, 47)
    if (read.partNumber !== undefined && (record.sizeBytes > 0 || read.partNumber > 1)) {
      this.#sendPart(record, read.partNumber);
      return;
    }
    const selection = selectionFor(this.#client, record, this.#isUndated);
    if (selection.kind === 'unsatisfiable') {
      this.onCoverage('all');
      throw invalidRange(fields.range ?? '', record.sizeBytes);
    }
    this.#send(record, selection.kind === 'whole' ? undefined : selection);
  }

  /** docs/semantics.md, partNumber; docs/semantics.md 36 to 41. */
  #sendPart(record: ReadableRecord, number: number): void {
    const { parts } = record.content;
    const part = parts.get(number);
    if (!part) {
      this.onCoverage('all');
      throw invalidPartNumber(number, parts.count ?? 1);
    }
    this.#send(record, part);
  }

  #send(record: ReadableRecord, part: PartOfObject | Part | undefined): void {
    const from = part?.first ?? 0;
    const to = part ? part.last + 1 : record.sizeBytes;
    this.#status = part ? 206 : (this.#client.status ?? 200);
    this.#sent = record;
    this.#part = part;
    sendContent(this.#client.exchange, record.content, from, to, this);
  }

  get sends(): PendingSends {
    return this.#parts.observer.sends;
  }

  get rate(): BodyRate | undefined {
    return this.#parts.observer.rates.of(this.#client.exchange);
  }

  begin(): Answer {
    const { exchange } = this.#client;
    exchange.status = this.#status;
    // made when the coverage is known: they tell whether the store charges
    const headers = this.#sent ? headersOf(this.#sent, this.#client, this.#part) : this.#headers;
    return headers.begin(exchange.response, this.#status, exchange, this.#ageS);
  }

  onStoreWait(): void {
    this.#parts.observer.waitsForStore(this.#client.exchange);
  }

  onBodyStart(): void {
    this.#parts.observer.firstByte(this.#client.exchange);
  }

  onEnd(): void {
    const { exchange, read } = this.#client;
    const { failure } = exchange;
    if (failure instanceof ObjectChangedError && this.#record) this.#source.invalidate(read, this.#record);
    if (failure instanceof RefusedByStoreError && this.#record)
      this.#source.refusedByStore(read, this.#record, failure.reply);
    this.#parts.observer.sent(exchange);
  }

  failedBeforeHead(error: unknown): void {
    const record = this.#record;
    if (this.#coding && record?.kind === 'readable') return void this.#answerAsIs(record, this.#coding);
    const isChanged = error instanceof ObjectChangedError;
    if (isChanged && this.#record) this.#source.invalidate(this.#client.read, this.#record);
    const mayComeElsewhere = isChanged || error instanceof OwnerLostError;
    if (mayComeElsewhere && this.#lookUpsLeft > 0)
      this.#parts.lookUpAgain(this.#client, this.#source, this.#lookUpsLeft - 1, this.#failed);
    else this.fail(error);
  }

  #answerAsIs(record: ReadableRecord, lost: ContentCoding): void {
    record.content.encodings?.forget(lost);
    this.#coding = undefined;
    this.#isAsIs = true;
    this.#sent = undefined;
    this.answer(record, this.#outcome);
  }

  /**
   * Sets the cache report. RFC 9111 §5.1: an answer straight from the store has no Age. A document for an error that the store
   * has just told of has the report of that. The head goes out before the store is asked for all bytes that are missing, so whether
   * it charges for them is known from its earlier answer.
   */
  onCoverage(held: Coverage): void {
    // nobody is asked for what was made here
    const coverage = this.#coding ? 'all' : held;
    const { exchange, read } = this.#client;
    const record = this.#record;
    if (coverage !== 'all' && record?.kind === 'readable') exchange.isCharged ||= record.isCharged;
    if (!record || (this.#status >= 400 && wasForwarded(exchange.report))) return;
    const { how } = this.#outcome;
    const { reports, observer } = this.#parts;
    // it may have waited since it was asked for
    const { nowMs } = observer;
    const report = reports.ofRecord(record, this.#outcome, coverage, read.policy, nowMs);
    exchange.report = asRead(report, read, this.#failed !== undefined);
    this.#ageS = how === 'hit' || how === 'stale' ? ageS(record, nowMs) : undefined;
  }
}
