import type { ReadableRecord } from '../../cache/record.ts';
import { type StaleUse, staleUse } from '../../cache/reuse.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { NotCachedError, ObjectChangedError } from '../fill/fill-error.ts';
import type { ClientBody } from '../pass/write/client-body.ts';
import { BackgroundTurns, type Outcome } from '../read/background-turns.ts';
import { bypassed, CacheReports, cacheHit, type LookupOutcome, notAsked } from '../request/cache-status.ts';
import { mayConfirm, unconditionalFields, validatingFields } from './confirmation.ts';
import { mayBeRenewedFor } from './one-request.ts';
import { QuestionsBeside } from './questions-beside.ts';
import { kindOf, mayHaveOther, mayTakeWhole } from './shared-questions.ts';
import { answersNow, holdsAll, mayServeOnError, staleOutcome } from './stale-answers.ts';
import { toldTo, type WebHead } from './stored-answer.ts';
import { type FillingCache, WebArrivals } from './web-arrivals.ts';
import { isFailure, WebFetch, type WebQuestion } from './web-fetch.ts';
import { type FlightKind, type Landing, outcomeOf, type WebFlight, WebFlights } from './web-flights.ts';
import type { RecordSource, WebRead, WebSource } from './web-read.ts';
import { type AnswerName, WebRecords } from './web-records.ts';
import { groupSlotsOf, wholeTarget } from './web-target.ts';

/** Makes the body of a request. @param refused called once if that breaks off or is too long */
type BodyMaker = (refused: (error: unknown) => void) => ClientBody | undefined;

/** What a worker holds of web origins, and asks them: from the cache as RFC 9111 allows, otherwise as the client has asked. */
export class WebReads implements WebSource, RecordSource {
  readonly #reports = new CacheReports();
  readonly #cache: FillingCache;
  readonly #records: WebRecords;
  readonly #arrivals: WebArrivals;
  readonly #flights: WebFlights;
  readonly #beside: QuestionsBeside;
  /** Of questions that nobody waits for. */
  readonly #background: BackgroundTurns;
  /** What is asked about in the background. */
  readonly #renewing = new WeakSet<ReadableRecord>();
  /** What was asked about so in some client's name, and in vain: the next question is in nobody's. */
  readonly #unrenewed = new WeakSet<ReadableRecord>();

  constructor(cache: FillingCache) {
    this.#cache = cache;
    this.#background = new BackgroundTurns(cache.clock);
    this.#records = new WebRecords(cache);
    this.#flights = new WebFlights(cache.clock, this.#records);
    this.#beside = new QuestionsBeside({
      ...{ clock: cache.clock, background: this.#background },
      send: (by, beside) => this.#send(by, this.#records.find(by), beside, false),
      asNobody: read => read.asNobody(this.#records.varyOf(read)),
      tookMs: read => this.#flights.tookMs(read),
      overtaken: (flight, by) => this.#flights.learnLate(flight, by),
    });
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
    if (record && answersNow(record, read)) {
      read.client.answer(read, record, cacheHit, this);
      return;
    }
    const use =
      record && !record.isWithdrawn && holdsAll(record)
        ? staleUse(record, policy, directives, nowMs)
        : undefined;
    if (record && use) this.#giveHeld(read, record, use);
    else if (directives?.onlyIfCached) {
      read.client.report = notAsked;
      throw new NotCachedError();
    } else this.#ask(read, record);
  }

  /**
   * Notes that another worker is told of `record`.
   *
   * @returns whether that may give it to all whom it answers
   */
  tell(read: WebRead, record: ReadableRecord): boolean {
    this.#records.tell(record);
    return this.#records.isLatest(read, record);
  }

  /** @param told called with the `ObjectKey.text` of a record that another worker was told of, and that is not used any more */
  onOutdated(told: (text: string) => void): () => void {
    return this.#records.onOutdated(told);
  }

  /** The content of this number turned out to be of no use. */
  forgetContent(name: AnswerName, contentId: number): void {
    this.#records.forgetContent(name, contentId, this.#cache.nowMs());
  }

  /** Passes on a request that is neither GET nor HEAD. @throws TooManyRequestsError, S3Error EntityTooLarge */
  pass(read: WebRead, makeBody: BodyMaker): void {
    this.#start(read, { ...noQuestion, fields: read.sent }, true, makeBody);
  }

  forget(read: WebRead, record: ReadableRecord): void {
    this.#records.forgetUnfinished(read, record, this.#cache.nowMs());
  }

  answerAnew(read: WebRead, record: ReadableRecord, error: unknown): void {
    // that the origin fails to give the rest says nothing about what is held
    if (!isFailure(error) || error instanceof ObjectChangedError) this.forget(read, record);
    if (read.mayRepeat()) read.attempt(() => this.#ask(read, undefined));
    else read.client.refuse(error);
  }

  answerFrom(fetch: WebFetch, record: ReadableRecord, outcome: LookupOutcome, head?: WebHead): void {
    const { read, client } = fetch.question;
    if (!client?.release()) return;
    this.#give(read, record, outcome, head && toldTo(read, record, head));
  }

  report({ question }: WebFetch, outcome: LookupOutcome): void {
    const { client, read, method } = question;
    if (!client) return;
    const isBypassed = read.policy.mode === 'bypass';
    read.client.report = isBypassed ? bypassed(method, 'rule') : this.#reports.of(outcome, 'all', 0);
  }

  /** What is stale, but served without waiting for the origin (RFC 5861 §3; RFC 9111 §5.2.1.2). */
  #giveHeld(read: WebRead, record: ReadableRecord, use: StaleUse): void {
    if (use === 'stale-while-revalidate' && !this.#renewing.has(record) && mayBeRenewedFor(read, record))
      this.#renew(read.asGet(), record);
    read.client.answer(read, record, staleOutcome(use), this);
  }

  /** Asks the origin for whoever reads next, now or when it is the client's turn. */
  #renew(read: WebRead, record: ReadableRecord): void {
    const begin = (ended: (outcome: Outcome) => void) => {
      // what this client has sent may be why nothing came of it
      const by = this.#unrenewed.has(record) ? read.asNobody(record.answer?.vary ?? []) : read;
      this.#renewing.add(record);
      const flight = this.#begin(by, 'whole', landing => {
        this.#renewing.delete(record);
        if (landing.kind !== 'stored' && by === read) this.#unrenewed.add(record);
        else this.#unrenewed.delete(record);
        ended(outcomeOf(landing));
      });
      try {
        const fetch = this.#send(by, record, flight, false);
        return () => fetch.left();
      } catch {
        // the flight has landed
        return () => {};
      }
    };
    // somebody may have asked by then, or have changed what is asked about
    const isStillDue = () => !this.#renewing.has(record) && this.#records.find(read) === record;
    const { client, bucket, target } = read;
    this.#background.ask(bucket.store.name, {
      ...{ client: client.quota, name: target.key.text, begin, isStillDue },
    });
  }

  /** Waits for who asks already, or asks the origin. @param stale what it may confirm */
  #ask(read: WebRead, stale: ReadableRecord | undefined): void {
    if (read.policy.mode === 'bypass') {
      this.#send(read, stale, undefined);
      return;
    }
    const asked = kindOf(read, stale);
    const kind = asked === 'range' && !this.#flights.mayShareRange(read) ? undefined : asked;
    const flight = this.#flights.of(read, 'whole') ?? (kind && this.#flights.of(read, kind));
    if (flight) this.#wait(read, flight, kind);
    else this.#send(read, stale, kind && this.#begin(read, kind));
  }

  /** The same for who has waited for an answer that is for its first alone. */
  #askAgain(read: WebRead): void {
    const stale = this.#records.find(read);
    if (!mayTakeWhole(read) || this.#flights.of(read, 'whole')) {
      this.#ask(read, stale);
      return;
    }
    const whole = read.asGet();
    const flight = this.#begin(whole, 'whole');
    this.#wait(read, flight, 'whole');
    try {
      const fetch = this.#send(whole, stale, flight, false);
      flight.deserted = () => fetch.left();
    } catch {
      // the flight has landed
    }
  }

  #begin(read: WebRead, kind: FlightKind, landed?: (landing: Landing) => void): WebFlight {
    return this.#flights.begin(read, kind, this.#records.askedNow(read), landed);
  }

  #wait(read: WebRead, flight: WebFlight, kind: FlightKind | undefined): void {
    let leave = () => {};
    const client = read.client.wait(() => leave());
    const end = flight.wait(read, (landing, first) => {
      if (client.release()) read.attempt(() => this.#landed(read, landing, first));
    });
    leave = () => void end();
    this.#flights.coalesced++;
    if (kind !== 'range') this.#beside.watch(flight);
  }

  /** @param first whose answer it is */
  #landed(read: WebRead, landing: Landing, first: WebRead): void {
    if (this.#mayHaveOther(read, landing, first)) this.#askAgain(read);
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
    else if (landing.kind === 'stale' && this.#mayServe(read, landing.record))
      this.#giveOnError(read, landing.record);
    // what has landed is another variant, or was purged: the first of them asks for all
    else if (landing.kind === 'stored' && read.mayRepeat()) this.#ask(read, this.#records.find(read));
    else this.#send(read, this.#records.find(read), undefined);
  }

  #mayHaveOther(read: WebRead, landing: Landing, first: WebRead): boolean {
    if (!mayHaveOther(read, landing, first)) return false;
    if (landing.kind !== 'alone' || landing.because !== 'sender') return read.mayRepeat();
    if (this.#flights.isOfEach(read)) return false;
    if (read.mayRepeat()) return true;
    this.#flights.learnOfEach(read);
    return false;
  }

  #giveStale(read: WebRead, error: unknown): void {
    const stale = this.#records.find(read);
    if (!stale || !isFailure(error) || !this.#mayServe(read, stale)) throw error;
    this.#giveOnError(read, stale);
  }

  #mayServe(read: WebRead, stale: ReadableRecord): boolean {
    return this.#records.find(read) === stale && mayServeOnError(stale, read, this.#cache.nowMs());
  }

  #giveOnError(read: WebRead, stale: ReadableRecord): void {
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
  ): WebFetch {
    const { method } = read;
    const isGet = method === 'GET';
    const confirmed = isGet && stale && mayConfirm(stale, read.fields) ? stale : undefined;
    const own = isAwaited ? read.sent : unconditionalFields(read.sent);
    const fields = confirmed ? validatingFields(own, confirmed) : own;
    try {
      return this.#start(read, { stale, confirmed, flight, fields }, isAwaited);
    } catch (error) {
      flight?.land({ kind: 'alone', because: 'answer' });
      throw error;
    }
  }

  #start(
    read: WebRead,
    parts: Pick<WebQuestion, 'stale' | 'confirmed' | 'flight' | 'fields'>,
    isAwaited: boolean,
    makeBody?: BodyMaker,
  ): WebFetch {
    let fetch: WebFetch | undefined;
    const client = isAwaited ? read.client.wait(() => fetch?.left()) : undefined;
    const body = makeBody?.(error => fetch?.refuse(error));
    const { method } = read;
    const target = makeBody ? wholeTarget(read.address) : read.target.target;
    const isUnkept = read.policy.mode === 'bypass' || (read.directives?.noStore ?? false);
    const groupSlots = groupSlotsOf(read.address, read.request.scheme);
    const asked = { ...this.#records.askedNow(read), groupSlots, requestedMs: this.#cache.nowMs() };
    const question: WebQuestion = {
      ...{ ...parts, read, method, target, asked, client, body, isUnkept },
    };
    fetch = new WebFetch(question, this.#arrivals, () => this.#cache.nowMs());
    fetch.send();
    return fetch;
  }
}

const noQuestion = { stale: undefined, confirmed: undefined, flight: undefined };
