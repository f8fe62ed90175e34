import { StoreError } from '../../backend/store.ts';
import { servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isReusable, type StaleUse, staleUse } from '../../cache/reuse.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { NotCachedError } from '../fill/fill-error.ts';
import type { ClientBody } from '../pass/write/client-body.ts';
import { bypassed, CacheReports, cacheHit, type LookupOutcome, notAsked } from '../request/cache-status.ts';
import type { WebHead } from './stored-answer.ts';
import { type FillingCache, WebArrivals } from './web-arrivals.ts';
import { isFailure, staleOutcome, WebFetch, type WebQuestion } from './web-fetch.ts';
import { type Landing, type WebFlight, WebFlights } from './web-flights.ts';
import type { RecordSource, WebRead, WebSource } from './web-read.ts';
import { type AnswerName, WebRecords } from './web-records.ts';
import { wholeTarget } from './web-target.ts';

/** Makes the body of a request. @param refused called once if that breaks off or is too long */
type BodyMaker = (refused: (error: unknown) => void) => ClientBody | undefined;

/** What a worker holds of web origins, and asks them: from the cache as RFC 9111 allows, otherwise as the client has asked. */
export class WebReads implements WebSource, RecordSource {
  readonly #reports = new CacheReports();
  readonly #cache: FillingCache;
  readonly #records: WebRecords;
  readonly #arrivals: WebArrivals;
  readonly #flights: WebFlights;

  constructor(cache: FillingCache) {
    this.#cache = cache;
    this.#records = new WebRecords(cache);
    this.#flights = new WebFlights((read, asked) => this.#records.isStillAsked(read, asked));
    this.#arrivals = new WebArrivals(cache, this.#records, this);
  }

  /** Requests that waited for another's answer. */
  get coalesced(): number {
    return this.#flights.coalesced;
  }

  /** A fresh stored answer is given in this turn of the event loop. */
  serve(read: WebRead): void {
    const { policy, directives, nowMs } = read;
    const record = policy.mode === 'bypass' ? undefined : this.#records.find(read);
    if (record && isReusable(record, policy, directives, nowMs)) {
      read.client.answer(read, record, cacheHit, this);
      return;
    }
    const use = record && holdsAll(record) ? staleUse(record, policy, directives, nowMs) : undefined;
    if (record && use) this.#giveHeld(read, record, use);
    else if (directives?.onlyIfCached) {
      read.client.report = notAsked;
      throw new NotCachedError();
    } else this.#ask(read, record);
  }

  /** Notes that another worker is told of `record`. */
  tell(record: ReadableRecord): void {
    this.#records.tell(record);
  }

  /** @param told called with the `ObjectKey.text` of a record that another worker was told of, and that is not used any more */
  onOutdated(told: (text: string) => void): () => void {
    return this.#records.onOutdated(told);
  }

  /** The content of this number turned out to be of no use. */
  forgetContent(name: AnswerName, contentId: number): void {
    this.#records.forgetContent(name, contentId);
  }

  /** Passes on a request that is neither GET nor HEAD. @throws TooManyRequestsError, S3Error EntityTooLarge */
  pass(read: WebRead, makeBody: BodyMaker): void {
    this.#start(read, { stale: undefined, flight: undefined, fields: read.sent }, true, makeBody);
  }

  forget(read: WebRead, record: ReadableRecord): void {
    this.#records.forget(read, record);
  }

  answerAnew(read: WebRead, record: ReadableRecord, error: unknown): void {
    this.#records.forget(read, record);
    if (read.mayRepeat()) read.attempt(() => this.#ask(read, undefined));
    else read.client.refuse(error);
  }

  answerFrom(fetch: WebFetch, record: ReadableRecord, outcome: LookupOutcome, head?: WebHead): void {
    const { read, client } = fetch.question;
    if (!client?.release()) return;
    const isPart = head?.status === 206;
    const told = head?.fields.filter(({ name }) => !(isPart && name === 'content-range'));
    this.#give(read, record, outcome, told);
  }

  report({ question }: WebFetch, outcome: LookupOutcome): void {
    const { client, read, method } = question;
    if (!client) return;
    const isBypassed = read.policy.mode === 'bypass';
    read.client.report = isBypassed ? bypassed(method, 'rule') : this.#reports.of(outcome, 'all', 0);
  }

  /** What is stale, but served without waiting for the origin (RFC 5861 §3; RFC 9111 §5.2.1.2). */
  #giveHeld(read: WebRead, record: ReadableRecord, use: StaleUse): void {
    const isGet = read.method === 'GET';
    if (use === 'stale-while-revalidate' && isGet && !this.#flights.of(read))
      this.#send(read, record, this.#begin(read), false);
    read.client.answer(read, record, staleOutcome(use), this);
  }

  /** Waits for who asks already, or asks the origin. @param stale what it may confirm */
  #ask(read: WebRead, stale: ReadableRecord | undefined): void {
    const isGet = read.method === 'GET' && read.policy.mode !== 'bypass';
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
    const client = read.client.wait(() => leave());
    const end = flight.wait(landing => {
      if (client.release()) read.attempt(() => this.#landed(read, landing));
    });
    leave = () => void end();
    this.#flights.coalesced++;
  }

  #landed(read: WebRead, landing: Landing): void {
    if (landing.kind === 'failed' && mayBeOfOneRequest(landing.error) && read.mayRepeat())
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
    read.attempt(() => read.client.answer(read, record, outcome, this, told));
  }

  /** @param isAwaited whether the client waits for the answer */
  #send(
    read: WebRead,
    stale: ReadableRecord | undefined,
    flight: WebFlight | undefined,
    isAwaited = true,
  ): void {
    const { method } = read;
    const confirmed = method === 'GET' && stale && hasValidator(stale) ? stale : undefined;
    const fields = confirmed ? validatingFields(read.sent, confirmed) : read.sent;
    try {
      this.#start(read, { stale: method === 'GET' ? stale : undefined, flight, fields }, isAwaited);
    } catch (error) {
      flight?.land({ kind: 'alone' });
      throw error;
    }
  }

  #start(
    read: WebRead,
    parts: Pick<WebQuestion, 'stale' | 'flight' | 'fields'>,
    isAwaited: boolean,
    makeBody?: BodyMaker,
  ): void {
    let fetch: WebFetch | undefined;
    const client = isAwaited ? read.client.wait(() => fetch?.left()) : undefined;
    const body = makeBody?.(error => fetch?.refuse(error));
    const { method } = read;
    const target = makeBody ? wholeTarget(read.address) : read.target.target;
    const isUnkept = read.policy.mode === 'bypass' || (read.directives?.noStore ?? false);
    const asked = { ...this.#records.askedNow(read), requestedMs: this.#cache.nowMs() };
    const question: WebQuestion = {
      ...{ ...parts, read, method, target, asked, client, body, isUnkept },
    };
    fetch = new WebFetch(question, this.#arrivals, () => this.#cache.nowMs());
    fetch.send();
  }
}

/** Whether an origin may have failed because of what the first has sent: those who wait have sent something else. */
function mayBeOfOneRequest(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'BROKEN';
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
