import { ageS, freshUntilMs } from '../cache/freshness.ts';
import type { ReadableRecord, RefusedRecord } from '../cache/record.ts';
import { evaluatePreconditions, ifRangeHolds } from '../http/preconditions.ts';
import { selectRange } from '../http/range.ts';
import { s3Error } from '../s3/error.ts';
import type { ClientRead } from './client-read.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import { ObjectChangedError, RefusedByStoreError } from './fill/fill-error.ts';
import type { Found } from './lookup/found.ts';
import type { ObjectSource } from './object-source.ts';
import { reportOf } from './reply/cache-status.ts';
import {
  asS3Error,
  invalidPartNumber,
  invalidRange,
  preconditionFailed,
  replyError,
  replyRefusal,
  replyRemembered,
} from './reply/error-reply.ts';
import {
  multipartHeaders,
  notModifiedHeaders,
  type PartOfObject,
  type PreparedHeaders,
  partHeaders,
  wholeHeaders,
} from './reply/prepared-headers.ts';
import { type SendingSteps, sendContent } from './reply/send-content.ts';

/** The answer to one read: from a record to the last byte. */
export class ObjectAnswer implements SendingSteps {
  readonly #client: ClientRead;
  readonly #source: ObjectSource;
  readonly #observer: ExchangeObserver;
  readonly #lookUpAgain: (() => void) | undefined;
  #record: ReadableRecord | undefined;
  #status = 200;
  #headers: PreparedHeaders | undefined;
  #ageS: number | undefined;

  /** @param lookUpAgain for an object that changed before its first byte; undefined when that has been tried enough. */
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

  /** Answers with what was found. */
  give(found: Found): void {
    const { record } = found;
    try {
      if (record.kind === 'refused') this.#refuse(found, record);
      else this.#judge(found, record);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Whatever went wrong before the first byte. */
  fail(error: unknown): void {
    const { exchange, read } = this.#client;
    if (exchange.response.headersSent) {
      exchange.response.destroy();
      return;
    }
    if (error instanceof RefusedByStoreError) {
      this.#source.refused(read, error.reply);
      replyRefusal(exchange, error.reply);
    } else {
      exchange.failure = error instanceof Error ? error : new Error(String(error));
      replyError(exchange, asS3Error(error));
    }
    this.#observer.sent(exchange);
  }

  /** object-retrieval.md, Authentication 4: whoever may not list learns of no missing key. */
  #refuse(found: Found, record: RefusedRecord): void {
    const { exchange, mayKnowMissing } = this.#client;
    this.#report(found, 'all');
    if (record.status === 404 && !mayKnowMissing && !isDeleteMarker(record)) throw s3Error('AccessDenied');
    replyRemembered(exchange, record, this.#ageS);
    this.#observer.sent(exchange);
  }

  #judge(found: Found, record: ReadableRecord): void {
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
    this.writeHead();
    exchange.response.end();
    this.#observer.sent(exchange);
  }

  #select(found: Found, record: ReadableRecord): void {
    const { fields, range, read } = this.#client;
    if (read.partNumber !== undefined && record.sizeBytes > 0) {
      this.#sendPart(found, record, read.partNumber);
      return;
    }
    if (range.kind === 'absent' || !ifRangeHolds(fields.ifRange, record)) {
      this.#send(found, record, undefined, wholeHeaders(record, this.#client));
      return;
    }
    const selection = selectRange(range, record.sizeBytes);
    if (selection.kind === 'unsatisfiable') {
      this.#report(found, 'all');
      throw invalidRange(fields.range ?? '', record.sizeBytes);
    }
    if (selection.kind === 'whole') this.#send(found, record, undefined, wholeHeaders(record, this.#client));
    else this.#send(found, record, selection, partHeaders(record, this.#client, selection));
  }

  /** object-retrieval.md, partNumber; behaviours.md 36 to 41. */
  #sendPart(found: Found, record: ReadableRecord, number: number): void {
    const { parts } = record.content;
    const part = parts.get(number);
    if (!part) {
      this.#report(found, 'all');
      throw invalidPartNumber(number, parts.count ?? 1);
    }
    this.#send(found, record, part, multipartHeaders(record, this.#client, part, parts.count));
  }

  #send(
    found: Found,
    record: ReadableRecord,
    part: PartOfObject | undefined,
    headers: PreparedHeaders,
  ): void {
    const { exchange } = this.#client;
    const from = part?.first ?? 0;
    const to = part ? part.last + 1 : record.sizeBytes;
    this.#report(found, exchange.isHead || from === to ? 'all' : record.content.coverage(from, to));
    this.#record = record;
    this.#status = part ? 206 : 200;
    this.#headers = headers;
    sendContent(exchange, record.content, from, to, this);
  }

  writeHead(): void {
    const { exchange } = this.#client;
    exchange.status = this.#status;
    exchange.firstByteMs = this.#observer.nowMs();
    exchange.response.writeHead(this.#status, this.#headers?.fill(exchange, this.#ageS));
  }

  sent(): void {
    const { exchange, read } = this.#client;
    if (exchange.failure instanceof ObjectChangedError && this.#record)
      this.#source.outdated(read, this.#record);
    this.#observer.sent(exchange);
  }

  failedBeforeHead(error: unknown): void {
    const isChanged = error instanceof ObjectChangedError;
    if (isChanged && this.#record) this.#source.outdated(this.#client.read, this.#record);
    if (isChanged && this.#lookUpAgain) this.#lookUpAgain();
    else this.fail(error);
  }

  /** Notes what the cache did. RFC 9111 §5.1: an answer that the store has just given has no age. */
  #report(found: Found, coverage: 'all' | 'some' | 'none'): void {
    const { exchange, read, nowMs } = this.#client;
    const ttlMs = Math.max(0, freshUntilMs(found.record, read.policy) - nowMs);
    exchange.report = reportOf(found, coverage, Math.ceil(ttlMs / 1000));
    this.#ageS = found.how === 'hit' ? ageS(found.record, nowMs) : undefined;
  }
}

/** A delete marker says that it is one, to whoever may read (object-retrieval.md, States). */
function isDeleteMarker({ fields }: RefusedRecord): boolean {
  return fields.some(field => field.store && field.name === 'delete-marker' && field.value === 'true');
}
