import { ageS, freshUntilMs } from '../cache/freshness.ts';
import type { ObjectRecord, ReadableRecord, RefusedRecord } from '../cache/record.ts';
import { evaluatePreconditions, ifRangeHolds } from '../http/preconditions.ts';
import { type Selection, selectRange } from '../http/range.ts';
import { s3Error } from '../s3/error.ts';
import type { ClientRead } from './client-read.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import { ObjectChangedError, RefusedByStoreError } from './fill/fill-error.ts';
import type { Found } from './lookup/found.ts';
import type { ObjectSource } from './object-source.ts';
import { type CacheReport, hitStatus, reportOf } from './reply/cache-status.ts';
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
  type View,
  wholeHeaders,
} from './reply/prepared-headers.ts';
import { sendContent } from './reply/send-content.ts';

/** How often an object that changes under a read is looked up anew before its first byte. */
const lookups = 4;

/**
 * Answers a GetObject or HeadObject: record, verdict, selection, body.
 *
 * A record that is known and fresh is answered in this turn of the event loop; anything else when the store has spoken.
 */
export function serveObject(client: ClientRead, source: ObjectSource, observer: ExchangeObserver): void {
  const record = source.known(client.read, client.nowMs);
  const isComplete = record && !lacksChecksums(client, record);
  if (isComplete) new Answer(client, source, observer, 1).give({ ...known, record });
  else lookUp(client, source, observer, 1);
}

const known = {
  how: 'hit',
  forwarded: undefined,
  forwardStatus: undefined,
  isCollapsed: false,
  isStored: false,
} as const;

function lookUp(client: ClientRead, source: ObjectSource, observer: ExchangeObserver, attempt: number): void {
  const answer = new Answer(client, source, observer, attempt);
  source
    .find(client.read)
    .then(found => (lacksChecksums(client, found.record) ? source.findWithChecksums(client.read) : found))
    .then(found => answer.give(found))
    .catch(error => answer.fail(error));
}

/** Checksums are shown with whole objects only; one that the store may have and the record lacks is asked for. */
function lacksChecksums({ visibility, range }: ClientRead, record: ObjectRecord): boolean {
  return (
    visibility.checksums &&
    record.kind === 'readable' &&
    record.checksums === 'unknown' &&
    range.kind === 'absent'
  );
}

/** A delete marker says that it is one, to whoever may read (object-retrieval.md, States). */
function isDeleteMarker({ fields }: RefusedRecord): boolean {
  return fields.some(field => field.store && field.name === 'delete-marker' && field.value === 'true');
}

class Answer {
  readonly #client: ClientRead;
  readonly #source: ObjectSource;
  readonly #observer: ExchangeObserver;
  readonly #attempt: number;

  constructor(client: ClientRead, source: ObjectSource, observer: ExchangeObserver, attempt: number) {
    this.#client = client;
    this.#source = source;
    this.#observer = observer;
    this.#attempt = attempt;
  }

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

  #refuse(found: Found, record: RefusedRecord): void {
    const { exchange, mayKnowMissing } = this.#client;
    exchange.report = this.#report(found, 'all');
    if (record.status === 404 && !mayKnowMissing && !isDeleteMarker(record)) throw s3Error('AccessDenied');
    replyRemembered(exchange, record, this.#ageS(found));
    this.#observer.sent(exchange);
  }

  #judge(found: Found, record: ReadableRecord): void {
    const { fields, exchange, nowMs } = this.#client;
    const verdict = evaluatePreconditions(fields, record, nowMs);
    if (verdict.kind === 'proceed') {
      this.#select(found, record);
      return;
    }
    exchange.report = this.#report(found, 'all');
    if (verdict.kind === 'failed') throw preconditionFailed(verdict.condition);
    this.#writeHead(304, notModifiedHeaders(record, exchange.prefix), this.#ageS(found));
    exchange.response.end();
    this.#observer.sent(exchange);
  }

  #select(found: Found, record: ReadableRecord): void {
    const { fields, range, exchange, read } = this.#client;
    if (read.partNumber !== undefined && record.sizeBytes > 0) {
      this.#sendPart(found, record, read.partNumber);
      return;
    }
    const selection: Selection = ifRangeHolds(fields.ifRange, record)
      ? selectRange(range, record.sizeBytes)
      : { kind: 'whole' };
    if (selection.kind === 'unsatisfiable') {
      exchange.report = this.#report(found, 'all');
      throw invalidRange(fields.range ?? '', record.sizeBytes);
    }
    const part = selection.kind === 'part' ? selection : undefined;
    this.#send(found, record, part, () =>
      part ? partHeaders(record, this.#view, part) : wholeHeaders(record, this.#view),
    );
  }

  /** object-retrieval.md, partNumber; behaviours.md 36 to 41. */
  #sendPart(found: Found, record: ReadableRecord, number: number): void {
    const { parts } = record.content;
    const part = parts.get(number);
    if (part) {
      this.#send(found, record, part, () => multipartHeaders(record, this.#view, part, parts.count));
      return;
    }
    this.#client.exchange.report = this.#report(found, 'all');
    throw invalidPartNumber(number, parts.count ?? 1);
  }

  get #view(): View {
    const { exchange, visibility, overrides } = this.#client;
    return { prefix: exchange.prefix, visibility, overrides };
  }

  #send(
    found: Found,
    record: ReadableRecord,
    part: PartOfObject | undefined,
    headersOf: () => PreparedHeaders,
  ): void {
    const { exchange } = this.#client;
    const from = part?.first ?? 0;
    const to = part ? part.last + 1 : record.sizeBytes;
    exchange.report = this.#report(
      found,
      exchange.isHead || from === to ? 'all' : record.content.coverage(from, to),
    );
    const headers = headersOf();
    const age = this.#ageS(found);
    sendContent(exchange, record.content, from, to, {
      writeHead: () => this.#writeHead(part ? 206 : 200, headers, age),
      sent: () => {
        if (exchange.failure instanceof ObjectChangedError) this.#source.outdated(this.#client.read, record);
        this.#observer.sent(exchange);
      },
      failedBeforeHead: error => this.#retry(error, record),
    });
  }

  /** The object changed before anything of it was sent: the client gets the one that is there now. */
  #retry(error: unknown, record: ReadableRecord): void {
    if (!(error instanceof ObjectChangedError)) {
      this.fail(error);
      return;
    }
    this.#source.outdated(this.#client.read, record);
    if (this.#attempt < lookups) lookUp(this.#client, this.#source, this.#observer, this.#attempt + 1);
    else this.fail(error);
  }

  #writeHead(status: number, headers: PreparedHeaders, age: number | undefined): void {
    const { exchange } = this.#client;
    exchange.status = status;
    exchange.firstByteMs = this.#observer.nowMs();
    const { requestId, id2, report } = exchange;
    exchange.response.writeHead(
      status,
      headers.fill({ cacheStatus: report.cacheStatus, result: report.result, ageS: age, requestId, id2 }),
    );
  }

  #report(found: Found, coverage: 'all' | 'some' | 'none'): CacheReport {
    const { read, nowMs } = this.#client;
    const ttlS = Math.max(0, Math.ceil((freshUntilMs(found.record, read.policy) - nowMs) / 1000));
    if (found.how === 'hit' && coverage === 'all') return { result: 'HIT', cacheStatus: hitStatus(ttlS) };
    return reportOf(found, coverage, ttlS);
  }

  /** RFC 9111 §5.1: an answer that the store has just given has no age. */
  #ageS(found: Found): number | undefined {
    return found.how === 'hit' ? ageS(found.record, this.#client.nowMs) : undefined;
  }
}
