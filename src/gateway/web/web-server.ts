import type { IncomingMessage } from 'node:http';
import { StoreError } from '../../backend/store.ts';
import { servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isReusable, type StaleUse, staleUse } from '../../cache/reuse.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { s3Error } from '../../s3/error.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import { letContinue } from '../../transport/request-bodies.ts';
import { NotCachedError } from '../fill/fill-error.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { CacheReports, cacheHit, type LookupOutcome, notAsked } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import { schemeOf } from './outgoing-fields.ts';
import { PassedAnswer } from './passed-answer.ts';
import { passedBodyOf } from './passed-request-body.ts';
import type { WebHead } from './stored-answer.ts';
import { WebAnswer, type WebAnswerParts } from './web-answer.ts';
import { type FillingCache, WebArrivals } from './web-arrivals.ts';
import { isFailure, staleOutcome, WebFetch, type WebQuestion } from './web-fetch.ts';
import { type Landing, type WebFlight, WebFlights } from './web-flights.ts';
import { prepare, WebHeaders } from './web-headers.ts';
import { WebRead } from './web-read.ts';
import { WebRecords } from './web-records.ts';
import { targetProblem, type WebAddress, webTarget, wholeTarget } from './web-target.ts';

/** Methods that are told apart in metrics; clients choose others. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

/** Answers that are read again after they have changed before their first byte. */
const REPEATED_LOOKUPS = 2;

/** Serves what web origins have: from the cache as RFC 9111 allows, otherwise as the client has asked. */
export class WebServer implements WebAnswerParts {
  readonly observer: ExchangeObserver;
  readonly headers = new WebHeaders();
  readonly reports = new CacheReports();
  readonly #cache: FillingCache;
  readonly #records: WebRecords;
  readonly #arrivals: WebArrivals;
  readonly #flights: WebFlights;
  readonly #repeats = new WeakMap<WebRead, number>();

  constructor(observer: ExchangeObserver, cache: FillingCache) {
    this.observer = observer;
    this.#cache = cache;
    this.#records = new WebRecords(cache);
    this.#flights = new WebFlights((read, asked) => this.#records.isStillAsked(read, asked));
    this.#arrivals = new WebArrivals(cache, this.#records, this);
  }

  /**
   * A fresh stored answer is given in this turn of the event loop.
   *
   * @throws S3Error for what is not passed to any origin
   */
  serve(
    exchange: Exchange,
    request: IncomingMessage,
    fields: RequestFields,
    address: WebAddress,
    nowMs: number,
  ): void {
    const { bucket, path } = address;
    exchange.isPlain = true;
    exchange.bucket = bucket.label;
    exchange.backend = bucket.store.name;
    exchange.key = path;
    exchange.operation = knownMethods.has(exchange.method) ? exchange.method : 'OTHER';
    const problem = targetProblem(address);
    if (problem !== undefined) throw s3Error('InvalidURI', { reason: problem });
    // neither means anything to who is behind a cache (RFC 9110 §9.3.6, §9.3.8)
    if (exchange.method === 'CONNECT' || exchange.method === 'TRACE')
      throw s3Error('MethodNotAllowed', {
        headers: [['Allow', 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS']],
      });
    const target = webTarget(address, schemeOf(request));
    const read = new WebRead(exchange, request, fields, address, target, nowMs);
    if (exchange.method === 'GET' || exchange.method === 'HEAD') this.#serveRead(read);
    else this.#pass(read);
  }

  forget(read: WebRead, record: ReadableRecord): void {
    this.#records.forget(read, record);
  }

  answerAnew(read: WebRead, record: ReadableRecord, error: unknown): void {
    this.#records.forget(read, record);
    if (this.#mayRepeat(read)) attempt(read, () => this.#ask(read, undefined));
    else read.exchange.refuse(error);
  }

  #mayRepeat(read: WebRead): boolean {
    const repeats = (this.#repeats.get(read) ?? 0) + 1;
    this.#repeats.set(read, repeats);
    return repeats <= REPEATED_LOOKUPS;
  }

  answerFrom(fetch: WebFetch, record: ReadableRecord, outcome: LookupOutcome, head?: WebHead): void {
    const { read, client } = fetch.question;
    if (!client?.release()) return;
    const isPart = head?.status === 206;
    const told = head?.fields.filter(({ name }) => !(isPart && name === 'content-range'));
    this.#give(read, record, outcome, told);
  }

  report({ question }: WebFetch, outcome: LookupOutcome): void {
    if (question.client) question.read.exchange.report = this.reports.of(outcome, 'all', 0);
  }

  #serveRead(read: WebRead): void {
    const { policy, directives, nowMs } = read;
    const record = this.#records.find(read);
    if (record && isReusable(record, policy, directives, nowMs)) {
      new WebAnswer(read, record, cacheHit, this).give();
      return;
    }
    const use = record && holdsAll(record) ? staleUse(record, policy, directives, nowMs) : undefined;
    if (record && use) this.#giveHeld(read, record, use);
    else if (directives?.onlyIfCached) {
      read.exchange.report = notAsked;
      throw new NotCachedError();
    } else this.#ask(read, record);
  }

  /** What is stale, but served without waiting for the origin (RFC 5861 §3; RFC 9111 §5.2.1.2). */
  #giveHeld(read: WebRead, record: ReadableRecord, use: StaleUse): void {
    const isGet = read.exchange.method === 'GET';
    if (use === 'stale-while-revalidate' && isGet && !this.#flights.of(read))
      this.#send(read, record, this.#begin(read), false);
    new WebAnswer(read, record, staleOutcome(use), this).give();
  }

  /** Waits for who asks already, or asks the origin. @param stale what it may confirm */
  #ask(read: WebRead, stale: ReadableRecord | undefined): void {
    const isGet = read.exchange.method === 'GET';
    const flight = isGet ? this.#flights.of(read) : undefined;
    if (flight) {
      this.#wait(read, flight);
      return;
    }
    const isForAll = isGet && !read.fields.isConditional && read.fields.range === undefined;
    this.#send(read, stale, isForAll ? this.#begin(read) : undefined);
  }

  #begin(read: WebRead): WebFlight {
    return this.#flights.begin(read, this.#records.askedNow(read));
  }

  #wait(read: WebRead, flight: WebFlight): void {
    let leave = () => {};
    const client = new PassedAnswer(read.exchange, this.observer, () => leave());
    const end = flight.wait(landing => {
      if (client.release()) attempt(read, () => this.#landed(read, landing));
    });
    leave = () => void end();
    this.#flights.coalesced++;
  }

  #landed(read: WebRead, landing: Landing): void {
    if (landing.kind === 'failed' && mayBeOfOneRequest(landing.error) && this.#mayRepeat(read))
      this.#ask(read, this.#records.find(read));
    else if (landing.kind === 'failed') this.#giveStale(read, landing.error);
    else if (landing.kind === 'stored' && this.#records.find(read) === landing.record)
      this.#give(read, landing.record, {
        ...{ how: landing.how, forwarded: landing.how === 'fetched' ? 'uri-miss' : 'stale' },
        ...{
          forwardStatus: landing.record.answer?.status,
          isCollapsed: true,
          isStored: true,
          isCharged: false,
        },
      });
    else this.#send(read, this.#records.find(read), undefined);
  }

  #giveStale(read: WebRead, error: unknown): void {
    const stale = this.#records.find(read);
    const nowMs = this.#cache.nowMs();
    if (!stale || !isFailure(error) || servedOnErrorUntilMs(stale, read.policy, nowMs) <= nowMs) throw error;
    this.#give(read, stale, { ...staleOutcome('stale-if-error'), forwarded: 'stale', isCollapsed: true });
  }

  #give(read: WebRead, record: ReadableRecord, outcome: LookupOutcome, told?: readonly HeaderField[]): void {
    attempt(read, () =>
      new WebAnswer(read, record, outcome, this, told && prepare(record, told, read.policy)).give(),
    );
  }

  /** @param isAwaited whether the client waits for the answer */
  #send(
    read: WebRead,
    stale: ReadableRecord | undefined,
    flight: WebFlight | undefined,
    isAwaited = true,
  ): void {
    const { method } = read.exchange;
    const confirmed = method === 'GET' && stale && hasValidator(stale) ? stale : undefined;
    const fields = confirmed ? validatingFields(read.sent, confirmed) : read.sent;
    try {
      this.#start(read, { stale: method === 'GET' ? stale : undefined, flight, fields }, isAwaited);
    } catch (error) {
      flight?.land({ kind: 'alone' });
      throw error;
    }
  }

  /** A request that is not GET or HEAD. */
  #pass(read: WebRead): void {
    this.#start(read, { stale: undefined, flight: undefined, fields: read.sent }, true);
  }

  #start(read: WebRead, parts: Pick<WebQuestion, 'stale' | 'flight' | 'fields'>, isAwaited: boolean): void {
    const { exchange, request } = read;
    let fetch: WebFetch | undefined;
    const client = isAwaited ? new PassedAnswer(exchange, this.observer, () => fetch?.left()) : undefined;
    const { method } = exchange;
    const refused = (error: unknown) => fetch?.refuse(error);
    const isRead = method === 'GET' || method === 'HEAD';
    const body = isRead ? undefined : passedBodyOf(read, this.observer, refused);
    const target = isRead ? read.target.target : wholeTarget(read.address);
    const isUnkept = read.directives?.noStore ?? false;
    const asked = { ...this.#records.askedNow(read), requestedMs: this.#cache.nowMs() };
    const question: WebQuestion = {
      ...{ ...parts, read, method, target, asked, client, body, isUnkept },
    };
    fetch = new WebFetch(question, this.#arrivals, () => this.#cache.nowMs());
    fetch.send();
    if (body) letContinue(request, exchange.response);
  }
}

/** Whether an origin may have failed because of what the first has sent: those who wait have sent something else. */
function mayBeOfOneRequest(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'BROKEN';
}

/** Ends the request with what `step` throws. */
function attempt({ exchange }: WebRead, step: () => void): void {
  try {
    step();
  } catch (error) {
    exchange.refuse(error);
  }
}

/** Whether all bytes are at hand: what is not waited for must not be cut off. */
function holdsAll({ content, sizeBytes }: ReadableRecord): boolean {
  return sizeBytes === 0 || content.coverage(0, sizeBytes) === 'all';
}

function hasValidator({ entityTag, lastModifiedMs }: ReadableRecord): boolean {
  return entityTag !== undefined || lastModifiedMs !== undefined;
}

const replaced = new Set([
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'],
]);

/** Asks for the whole answer unless the origin still has that of `stale` (RFC 9111 §4.3.1). */
function validatingFields(sent: readonly HeaderField[], stale: ReadableRecord): HeaderField[] {
  const fields = sent.filter(({ name }) => !replaced.has(name));
  const modified = stale.fields.find(({ name }) => name === 'last-modified');
  if (stale.entityTag !== undefined)
    fields.push({ name: 'if-none-match', value: stale.entityTag, store: false });
  if (modified) fields.push({ name: 'if-modified-since', value: modified.value, store: false });
  return fields;
}
