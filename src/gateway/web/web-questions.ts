import { StoreError } from '../../backend/store.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import type { BackgroundTurns } from '../read/background-turns.ts';
import { CacheReports, failedAtStore, type LookupOutcome } from '../request/cache-status.ts';
import { isForReader, mayShareBegun, shareOf } from './begun-answer.ts';
import { meetsDemands } from './demands.ts';
import type { FillingCache } from './filling-cache.ts';
import { Hedging } from './hedging.ts';
import { madeOf, overtakes } from './made-answer.ts';
import { hasGotOwn, type OwnAnswers } from './own-answers.ts';
import { OwnTurns } from './own-turns.ts';
import type { QuestionSender } from './question-sender.ts';
import { collapsed, collapsedHead, isSelected, kindOf, verdictOf } from './shared-questions.ts';
import { answersNow, isComplete, mayServeOnError, staleOutcome, wantsUnfinished } from './stale-answers.ts';
import type { ArrivedHead } from './stored-answer.ts';
import type { WaitingClient } from './waiting-client.ts';
import { isFailure } from './web-fetch.ts';
import type { AloneLanding, BegunAnswer, Landing, StoredLanding, WebFlight } from './web-flight.ts';
import { type FlightKind, WebFlights } from './web-flights.ts';
import type { WebRead } from './web-read.ts';
import type { WebRecords } from './web-records.ts';

interface QuestionParts {
  readonly cache: FillingCache;
  readonly records: WebRecords;
  readonly own: OwnAnswers;
  /** Of questions that nobody waits for. */
  readonly background: BackgroundTurns;
  readonly sender: QuestionSender;
  /** Answers the client of `read`. */
  readonly give: (read: WebRead, record: ReadableRecord, outcome: LookupOutcome) => void;
}

/** What a worker asks web origins, and who waits for the answers of whom. */
export class WebQuestions {
  readonly #parts: QuestionParts;
  readonly #flights: WebFlights;
  readonly #hedging: Hedging;
  readonly #turns: OwnTurns;
  readonly #reports = new CacheReports();

  constructor(parts: QuestionParts) {
    const { cache, records, background } = parts;
    const { clock } = cache;
    this.#parts = parts;
    this.#flights = new WebFlights(clock, {
      isStillAsked: (read, asked, arrived) => records.isStillAsked(read, asked, arrived),
      variantOf: read => read.variantName(records.varyOf(read)),
      mayShareBegun: (read, begun) =>
        this.#isCurrent(read, begun) && mayShareBegun(read, begun, cache.nowMs()),
    });
    this.#turns = new OwnTurns(clock);
    this.#hedging = new Hedging({
      ...{ clock, background, flights: this.#flights },
      send: (by, flight) => parts.sender.send(by, records.find(by), flight, false),
      asNobody: read => read.asNobody(records.varyOf(read)),
      isOfEach: read => parts.own.isOfEach(read),
    });
  }

  /** Requests that waited for another's answer. */
  get coalesced(): number {
    return this.#flights.coalesced;
  }

  /**
   * Asks for all of the answer in the name of `by`, for nobody who waits yet.
   *
   * @param record what is held and may be confirmed
   * @param landed called once
   * @returns gives it up
   */
  renew(by: WebRead, record: ReadableRecord | undefined, landed: (landing: Landing) => void): () => void {
    const flight = this.#begin(by, 'whole', landed);
    try {
      const fetch = this.#parts.sender.send(by, record, flight, false);
      return () => fetch.left();
    } catch {
      // the flight has landed
      return () => {};
    }
  }

  /** Has `told` what comes of a question for all of the answer that is under way. @returns ends the wait; undefined where none is */
  join(read: WebRead, told: (landing: Landing, first: WebRead) => void): (() => void) | undefined {
    const flight = this.#flights.of(read, 'whole');
    const leave = flight?.wait(read, told, () => false);
    if (flight) this.#hedging.watch(flight);
    return leave;
  }

  /** Waits for who asks already, or asks the origin. @param stale what it may confirm */
  ask(read: WebRead, stale: ReadableRecord | undefined): void {
    if (read.policy.mode === 'bypass') {
      this.#parts.sender.send(read, stale, undefined);
      return;
    }
    const asked = kindOf(read, stale);
    const kind = asked === 'range' && !this.#flights.mayShareRange(read) ? undefined : asked;
    const flight = this.#flights.of(read, 'whole') ?? (kind && this.#flights.of(read, kind));
    if (!flight) this.#parts.sender.send(read, stale, kind && this.#begin(read, kind));
    else if (!stale && this.#parts.own.isOfBoth(read, flight.first))
      this.#parts.sender.send(read, stale, undefined);
    else this.#wait(read, flight, stale);
  }

  /** Asks for the whole answer, and has `read` wait for it, which wants less. */
  #askForWhole(read: WebRead): void {
    const stale = this.#parts.records.find(read);
    // beside a body that has begun, and is no hit for `read`, each HEAD would begin another
    if (this.#flights.of(read, 'whole') || this.#flights.hasBegun(read)) {
      this.ask(read, stale);
      return;
    }
    const whole = read.asGet();
    const flight = this.#begin(whole, 'whole');
    this.#wait(read, flight, stale);
    try {
      const fetch = this.#parts.sender.send(whole, stale, flight, false);
      flight.deserted = () => fetch.left();
    } catch {
      // the flight has landed
    }
  }

  #begin(read: WebRead, kind: FlightKind, landed?: (landing: Landing) => void): WebFlight {
    return this.#flights.begin(read, kind, this.#parts.records.askedNow(read), landed);
  }

  #wait(read: WebRead, flight: WebFlight, stale: ReadableRecord | undefined): void {
    let leave = () => {};
    const client = read.client.wait(() => leave());
    read.waitsSinceMs ??= this.#nowMs();
    read.waitsBecause ??= this.#parts.records.whyForwarded(read, stale, this.#parts.cache.nowMs());
    this.#flights.coalesced++;
    const end = flight.wait(
      read,
      (landing, first) => {
        if (client.release()) read.attempt(() => this.#landed(read, landing, first));
      },
      begun => this.#giveHead(read, client, begun),
    );
    leave = () => void end();
    this.#hedging.watch(flight);
  }

  #nowMs(): number {
    return this.#parts.cache.clock.monotonicMs();
  }

  /** Whether nothing has come between the question and what has come of it: a change, a purge, or what is later. */
  #isCurrent(read: WebRead, arrived: ArrivedHead): boolean {
    const { records } = this.#parts;
    const held = records.find(read);
    if (held && overtakes(held, madeOf(arrived.head, arrived.times))) return false;
    return records.isStillAsked(read, arrived.times, arrived);
  }

  #giveHead(read: WebRead, client: WaitingClient, begun: BegunAnswer): boolean {
    const { cache, records, sender } = this.#parts;
    if (!this.#isCurrent(read, begun)) return false;
    const ofBegun = this.#flights.variesBy(read);
    const selectors = [...(ofBegun ?? []), ...records.selectorsOf(read)];
    if (!isForReader(read, begun, selectors, ofBegun !== undefined)) return false;
    const share = shareOf(read, begun, cache.nowMs());
    if (share === 'body' || share === 'other variant') return false;
    if (share === 'other demand') {
      // its demands are for the origin to judge (RFC 9111 §4.3.2)
      if (client.release()) read.attempt(() => sender.send(read, records.find(read), undefined));
      return true;
    }
    read.client.report = this.#reports.of(collapsedHead(begun, read), 'all', 0);
    client.begin(share, read);
    client.end();
    return true;
  }

  /** @param first whose answer it is */
  #landed(read: WebRead, landing: Landing, first: WebRead): void {
    const { own, records } = this.#parts;
    const isPatient = this.#nowMs() - (read.waitsSinceMs ?? 0) < this.#flights.patienceMs(read);
    const verdict = verdictOf(read, { landing, first, isPatient }, own);
    const held = records.find(read);
    const isStored = landing.kind === 'stored';
    // somebody else may have got what answers it meanwhile
    if (!isStored && held && this.#answersNow(held, read))
      this.#parts.give(read, held, collapsed(held, 'fetched', read));
    else if (verdict === 'anew') this.ask(read, held);
    else if (verdict === 'whole') this.#askForWhole(read);
    else if (verdict === 'itself') this.#parts.sender.send(read, held, undefined);
    else if (verdict === 'in turn') this.#askInTurn(read);
    else if (landing.kind === 'alone') this.#giveUnkept(read, landing, held);
    else if (landing.kind === 'failed') this.#giveFailed(read, landing.error, held);
    else if (landing.kind === 'stored') this.#giveStored(read, landing, first, held);
    else if (held && held === landing.record && this.#mayServe(read, held)) this.#giveOnError(read, held);
    else this.#askInTurn(read);
  }

  /** That there is nothing may be from before a change by now. */
  #giveUnkept(read: WebRead, { arrived, record }: AloneLanding, held: ReadableRecord | undefined): void {
    const { give } = this.#parts;
    if (!record || !arrived) this.#askInTurn(read);
    // where changes come faster than answers, the last of these questions answers it: that was asked after it came
    else if (!this.#isCurrent(read, arrived) && read.mayRepeat()) this.ask(read, held);
    else give(read, record, { ...collapsed(record, 'fetched', read), isStored: false });
  }

  /** What has landed may be another variant, or purged, or older than what has landed meanwhile. */
  #giveStored(
    read: WebRead,
    { record, how, status }: StoredLanding,
    first: WebRead,
    held: ReadableRecord | undefined,
  ): void {
    const { give } = this.#parts;
    const isWanted = meetsDemands(record, read);
    if (held === record && !isWanted) this.#parts.sender.send(read, held, undefined);
    else if (held === record && !this.#wantsUnfinished(record, read))
      give(read, record, collapsed(record, how, read, status));
    else if (held && this.#answersNow(held, read)) give(read, held, collapsed(held, 'fetched', read));
    else if (read.mayRepeat()) this.ask(read, held);
    // changes may come faster than answers: what was asked for after it came, and before the change had been answered, answers it
    else if (isWanted && isSelected(read, record, first) && isComplete(record))
      give(read, record, { ...collapsed(record, how, read, status), isStored: false });
    else this.#askInTurn(read);
  }

  /** Whether `held`, which may have come after `read`, answers it. */
  #answersNow(held: ReadableRecord, read: WebRead): boolean {
    return answersNow(held, read, this.#parts.cache.nowMs()) && !this.#wantsUnfinished(held, read);
  }

  #wantsUnfinished(held: ReadableRecord, read: WebRead): boolean {
    const { cache, records } = this.#parts;
    return wantsUnfinished(held, read, records.unfinished, cache.nowMs());
  }

  #giveFailed(read: WebRead, error: unknown, held: ReadableRecord | undefined): void {
    if (held && isFailure(error) && this.#mayServe(read, held)) {
      this.#giveOnError(read, held);
      return;
    }
    if (error instanceof StoreError) read.client.report = failedAtStore(error.code, true);
    throw error;
  }

  #mayServe(read: WebRead, stale: ReadableRecord): boolean {
    return mayServeOnError(stale, read, this.#parts.cache.nowMs());
  }

  #giveOnError(read: WebRead, stale: ReadableRecord): void {
    const outcome = { ...staleOutcome('stale-if-error'), forwarded: 'stale', isCollapsed: true } as const;
    this.#parts.give(read, stale, outcome);
  }

  /** Asks in the name of `read` alone, though what comes may be for others in line. */
  #askInTurn(read: WebRead): void {
    let leave = () => {};
    const client = read.client.wait(() => leave());
    leave = this.#turns.take(read.target.key.text, this.#flights.patienceMs(read), over => {
      if (client.release()) read.attempt(() => this.#askForItself(read, over));
      else over(false);
    });
  }

  #askForItself(read: WebRead, over: (isOwn: boolean) => void): void {
    const { records, give } = this.#parts;
    const held = records.find(read);
    if (held && this.#answersNow(held, read)) {
      over(false);
      give(read, held, collapsed(held, 'fetched', read));
    } else
      this.#parts.sender.send(
        read,
        held,
        this.#flights.beginAlone(read, landing => over(hasGotOwn(read, landing))),
      );
  }
}
