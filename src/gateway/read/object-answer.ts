import { StoreError } from '../../backend/store.ts';
import { ageS, freshUntilMs } from '../../cache/freshness.ts';
import type { ObjectRecord, ReadableRecord, RefusedRecord } from '../../cache/record.ts';
import { evaluatePreconditions, ifRangeHolds } from '../../http/preconditions.ts';
import { type Selection, selectRange } from '../../http/range.ts';
import { rawFromFields } from '../../s3/dialect.ts';
import { s3Error } from '../../s3/error.ts';
import type { Answer } from '../../transport/answer.ts';
import { InvalidReplyError, ObjectChangedError, RefusedByStoreError } from '../fill/fill-error.ts';
import {
  asS3Error,
  invalidPartNumber,
  invalidRange,
  isFault,
  preconditionFailed,
  replyError,
} from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { isCrossOrigin } from '../reply/passed-fields.ts';
import type { PendingSends } from '../reply/pending-sends.ts';
import {
  multipartHeaders,
  notModifiedHeaders,
  type PartOfObject,
  PreparedHeaders,
  partHeaders,
  wholeHeaders,
} from '../reply/prepared-headers.ts';
import { replyRefusal, replyRemembered, tellsMissing } from '../reply/refusal-reply.ts';
import { type SendingSteps, sendContent } from '../reply/send-content.ts';
import { failedAtStore, refusedByStore, reportOf } from '../request/cache-status.ts';
import type { ClientRead } from '../request/client-read.ts';
import type { LookupResult } from './lookup-result.ts';
import type { ObjectSource } from './object-source.ts';
import { OwnerLostError } from './owner-lost-error.ts';
import { passRead } from './pass-read.ts';

const undecided = PreparedHeaders.of([], 'x-store-');

/** The answer to one read, from the record to the last byte. */
export class ObjectAnswer implements SendingSteps {
  readonly #client: ClientRead;
  readonly #source: ObjectSource;
  readonly #observer: ExchangeObserver;
  readonly #lookUpAgain: (() => void) | undefined;
  #record: ObjectRecord | undefined;
  #status = 200;
  #headers = undecided;
  #ageS: number | undefined;

  /**
   * @param lookUpAgain repeats the look-up if the object changes before the first byte; undefined when it was repeated
   * often enough
   */
  constructor(
    client: ClientRead,
    source: ObjectSource,
    observer: ExchangeObserver,
    lookUpAgain: (() => void) | undefined,
  ) {
    this.#client = client;
    this.#source = source;
    this.#observer = observer;
    this.#lookUpAgain = lookUpAgain;
  }

  /** Answers with the result of the look-up. */
  give(found: LookupResult): void {
    const { record } = found;
    this.#record = record;
    this.#client.exchange.isCharged = found.isCharged;
    try {
      if (record.kind === 'refused') this.#refuse(found, record);
      else if (record.kind === 'passed') passRead(this.#client, this.#observer, 'unkeepable');
      else this.#checkPreconditions(found, record);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Handles any error before the first byte. Never throws. */
  fail(error: unknown): void {
    const { exchange } = this.#client;
    if (exchange.response.headersSent || isFault(error)) {
      exchange.refuse(error);
      return;
    }
    try {
      this.#replyToFailure(error);
    } catch (fault) {
      exchange.fault(fault);
    }
  }

  #replyToFailure(error: unknown): void {
    const { exchange, read, mayKnowMissing } = this.#client;
    if (error instanceof RefusedByStoreError) {
      this.#source.refusedByStore(read, error.reply);
      exchange.report = refusedByStore(error.reply.status);
      replyRefusal(exchange, read.bucket, error.reply, mayKnowMissing);
    } else {
      exchange.failure = error instanceof Error ? error : new Error(String(error));
      if (!this.#record && isStoreFailure(error)) exchange.report = failedAtStore(error.code);
      const crossOrigin = (this.#record?.fields ?? []).filter(isCrossOrigin);
      replyError(exchange, asS3Error(error), rawFromFields(crossOrigin, exchange.prefix));
    }
    this.#observer.sent(exchange);
  }

  /** docs/semantics.md, Authentication 4: callers without ListBucket are not told that a key is missing. */
  #refuse(found: LookupResult, record: RefusedRecord): void {
    const { exchange, read, mayKnowMissing } = this.#client;
    this.#report(found, 'all');
    if (!mayKnowMissing && tellsMissing(record)) throw s3Error('AccessDenied');
    replyRemembered(exchange, read.bucket, record, this.#ageS);
    this.#observer.sent(exchange);
  }

  #checkPreconditions(found: LookupResult, record: ReadableRecord): void {
    const { fields, exchange, nowMs } = this.#client;
    const verdict = fields.isConditional ? evaluatePreconditions(fields, record, nowMs) : undefined;
    if (!verdict || verdict.kind === 'proceed') {
      this.#select(found, record);
      return;
    }
    this.#report(found, 'all');
    if (verdict.kind === 'failed') throw preconditionFailed(verdict.condition);
    this.#status = 304;
    this.#headers = notModifiedHeaders(record, exchange.prefix);
    this.begin().end();
    this.#observer.sent(exchange);
  }

  #select(found: LookupResult, record: ReadableRecord): void {
    const { fields, read } = this.#client;
    // an empty object has part 1 only, which is the object itself (docs/semantics.md 40, 47)
    if (read.partNumber !== undefined && (record.sizeBytes > 0 || read.partNumber > 1)) {
      this.#sendPart(found, record, read.partNumber);
      return;
    }
    const selection = selectionFor(this.#client, record);
    if (selection.kind === 'unsatisfiable') {
      this.#report(found, 'all');
      throw invalidRange(fields.range ?? '', record.sizeBytes);
    }
    if (selection.kind === 'whole') this.#send(found, record, undefined, wholeHeaders(record, this.#client));
    else this.#send(found, record, selection, partHeaders(record, this.#client, selection));
  }

  /** docs/semantics.md, partNumber; docs/semantics.md 36 to 41. */
  #sendPart(found: LookupResult, record: ReadableRecord, number: number): void {
    const { parts } = record.content;
    const part = parts.get(number);
    if (!part) {
      this.#report(found, 'all');
      throw invalidPartNumber(number, parts.count ?? 1);
    }
    this.#send(found, record, part, multipartHeaders(record, this.#client, part, parts.count));
  }

  #send(
    found: LookupResult,
    record: ReadableRecord,
    part: PartOfObject | undefined,
    headers: PreparedHeaders,
  ): void {
    const { exchange } = this.#client;
    const from = part?.first ?? 0;
    const to = part ? part.last + 1 : record.sizeBytes;
    this.#report(found, exchange.isHead || from === to ? 'all' : record.content.coverage(from, to));
    this.#status = part ? 206 : 200;
    this.#headers = headers;
    sendContent(exchange, record.content, from, to, this);
  }

  get sends(): PendingSends {
    return this.#observer.sends;
  }

  begin(): Answer {
    const { exchange } = this.#client;
    exchange.status = this.#status;
    return this.#headers.begin(exchange.response, this.#status, exchange, this.#ageS);
  }

  waits(): void {
    this.#observer.waitsForStore(this.#client.exchange);
  }

  goesOn(): void {
    this.#client.exchange.firstByteMs = this.#observer.nowMs();
  }

  sent(): void {
    const { exchange, read } = this.#client;
    const { failure } = exchange;
    if (failure instanceof ObjectChangedError && this.#record) this.#source.invalidate(read, this.#record);
    if (failure instanceof RefusedByStoreError) this.#source.refusedByStore(read, failure.reply);
    this.#observer.sent(exchange);
  }

  failedBeforeHead(error: unknown): void {
    const isChanged = error instanceof ObjectChangedError;
    if (isChanged && this.#record) this.#source.invalidate(this.#client.read, this.#record);
    const mayComeElsewhere = isChanged || error instanceof OwnerLostError;
    if (mayComeElsewhere && this.#lookUpAgain) this.#lookUpAgain();
    else this.fail(error);
  }

  /** Sets the cache report. RFC 9111 §5.1: an answer straight from the store has no Age. */
  #report(found: LookupResult, coverage: 'all' | 'some' | 'none'): void {
    const { exchange, read, nowMs } = this.#client;
    const ttlMs = Math.max(0, freshUntilMs(found.record, read.policy, nowMs) - nowMs);
    exchange.report = reportOf(found, coverage, Math.ceil(ttlMs / 1000));
    this.#ageS = found.how === 'hit' ? ageS(found.record, nowMs) : undefined;
  }
}

/** Whether the store request itself failed. */
function isStoreFailure(error: unknown): error is StoreError | InvalidReplyError {
  return error instanceof StoreError || error instanceof InvalidReplyError;
}

const whole: Selection = { kind: 'whole' };

/** The bytes of `record` that a client gets, without part numbers (RFC 9110 §13.1.5, §14.2). */
export function selectionFor({ fields, range }: ClientRead, record: ReadableRecord): Selection {
  if (range.kind === 'absent' || !ifRangeHolds(fields.ifRange, record)) return whole;
  return selectRange(range, record.sizeBytes);
}
