import type { Clock } from '../../base/clock.ts';
import type { BackgroundTurns, Outcome } from '../read/background-turns.ts';
import { Hedge, type HedgeQuestion } from './hedge.ts';
import { HedgedFlight } from './hedged-flight.ts';
import type { WebFetch } from './web-fetch.ts';
import { hasHung, type Landing, type WebFlight } from './web-flight.ts';
import type { WebFlights } from './web-flights.ts';
import type { WebRead } from './web-read.ts';

interface HedgingParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly background: BackgroundTurns;
  readonly flights: Pick<WebFlights, 'patienceMs' | 'learnLate' | 'learnTook'>;
  /** Asks for all of an answer, or for its range, for nobody who waits. @throws TooManyRequestsError */
  readonly send: (by: WebRead, flight: WebFlight) => WebFetch;
  /** `read` as nobody in particular would ask for its variant. */
  readonly asNobody: (read: WebRead) => WebRead;
  /** Whether each of those who send alike credentials is known to get an answer of its own. */
  readonly isOfEach: (read: WebRead) => boolean;
}

/**
 * Hedged requests: a question may hang because of what its client has sent: a session that is locked, say. Those who wait for it and
 * have sent something else have the same asked in the name of one of them, each time that patience is over, and the second time in
 * nobody's. What has found no place in the background by the next time is sent nevertheless, nobody's and one of a client at a time.
 * So it goes with a body that gets stuck, and with a range, which is asked for as the first has asked. The first answer that is for
 * all ends the wait; where several were not, each asks for itself. For nobody, no answer goes on for long.
 */
export class Hedging {
  readonly #parts: HedgingParts;

  constructor(parts: HedgingParts) {
    this.#parts = parts;
  }

  /** Somebody waits for `flight`. */
  watch(flight: WebFlight): void {
    if (flight.hedges || flight.isOver) return;
    const { clock, flights } = this.#parts;
    const hedged = new HedgedFlight(flight, flights.patienceMs(flight.first), () =>
      this.#giveUpLater(hedged),
    );
    flight.hedges = hedged;
    this.#wait(hedged, flight.sinceMs + hedged.patienceMs - clock.monotonicMs());
  }

  #wait(hedged: HedgedFlight, delayMs: number): void {
    hedged.patience = this.#parts.clock.after(delayMs, () => this.#lookAfter(hedged));
  }

  /** Patience is over. */
  #lookAfter(hedged: HedgedFlight): void {
    const { clock, isOfEach } = this.#parts;
    const { flight } = hedged;
    if (!flight.isAwaited) hedged.giveUpBegun();
    const { isComing } = hedged;
    if (!isComing) flight.dismiss(flight.first, isOfEach);
    if (flight.isOver) return;
    // the places may be taken by what hangs otherwise, and this is waited for
    if (!isComing && flight.isAwaited) hedged.due?.send();
    const by = hedged.mayAsk ? flight.other(hedged.asked) : undefined;
    // since the last look
    const isInVain = hedged.isInVain && hedged.isHanging(clock.monotonicMs());
    hedged.look();
    this.#wait(hedged, hedged.patienceMs);
    if (by) this.#ask(hedged, this.#questionOf(hedged, by));
    else if (isInVain) flight.dismiss(flight.first);
  }

  #questionOf(hedged: HedgedFlight, by: WebRead): HedgeQuestion {
    const { flight } = hedged;
    const isOfNobody = hedged.asked.length > 0 && !hedged.hasAskedNobody;
    hedged.asked = [...hedged.asked, by];
    hedged.hasAskedNobody ||= isOfNobody;
    const asked = isOfNobody ? this.#parts.asNobody(by) : by.asGet();
    return { by, read: flight.isOfRange ? asked.withRangeOf(flight.first) : asked, isOfNobody };
  }

  /** What is still under way when the flight is over. */
  #giveUpLater(hedged: HedgedFlight): void {
    if (hedged.open.size === 0) return;
    hedged.look();
    this.#parts.clock.after(hedged.patienceMs, () => {
      hedged.giveUpBegun();
      this.#giveUpLater(hedged);
    });
  }

  /** Asks `question` when there is a place for it in the background, or without one when it is due. */
  #ask(hedged: HedgedFlight, question: HedgeQuestion): void {
    const { read, isOfNobody } = question;
    const begin = (ended: (outcome: Outcome) => void) => {
      hedged.waiting.delete(waiting);
      return this.#begin(hedged, question, ended);
    };
    const send = () => {
      hedged.hasPlaceless ||= !isOfNobody;
      begin(() => {
        if (!isOfNobody) hedged.hasPlaceless = false;
      });
    };
    const waiting = { isOfNobody, send };
    hedged.waiting.add(waiting);
    const isStillDue = () => !hedged.flight.isOver && !hedged.isComing && hedged.waiting.has(waiting);
    this.#parts.background.ask(read.bucket.store.name, {
      ...{ client: read.client.quota, name: read.target.key.text, isStillDue, begin },
    });
  }

  /** @returns gives it up */
  #begin(hedged: HedgedFlight, question: HedgeQuestion, ended: (outcome: Outcome) => void): () => void {
    const { clock, send } = this.#parts;
    const hedge: Hedge = new Hedge(question, hedged.flight, clock.monotonicMs(), landing => {
      this.#landed(hedged, hedge, landing);
      ended(hedge.outcomeOf(landing));
    });
    hedged.open.add(hedge);
    hedge.send(send);
    return () => hedge.giveUp();
  }

  #landed(hedged: HedgedFlight, hedge: Hedge, landing: Landing): void {
    hedged.open.delete(hedge);
    // what is stored ends the flight, for those who wait for the next as well
    if (landing.kind !== 'stored' || !hedge.isSent) hedged.flight.brokeOff(hedge.question.read);
    if (hedge.isSent) this.#answered(hedged, hedge, landing);
    hedged.endHeld();
  }

  /** What one client gets for itself ends no question that may be for all, nor does what nobody in particular gets. */
  #answered(hedged: HedgedFlight, { question, flight: own }: Hedge, landing: Landing): void {
    const { flights } = this.#parts;
    const { flight } = hedged;
    const { read, isOfNobody } = question;
    if (hasHung(landing)) flights.learnLate(read);
    else hedged.isHeard = true;
    if (isOwn(landing)) hedged.hasOwn = true;
    if (flight.isOver) return;
    const isOfEach = isOfNobody && isOwn(landing);
    if (landing.kind === 'stored' || (flight.isOfRange && isPartForNobodyElse(landing))) {
      flights.learnLate(flight.first);
      if (!flight.isOfRange) flights.learnTook(read, own.sinceMs);
      flight.land(landing, read);
    } else if (hedged.isInVain && hedged.open.size === 0 && (isOfEach || !flight.other(hedged.asked)))
      flight.dismiss(read);
  }
}

/** Whether it is a range of what cannot be kept in parts, whoever asks. */
function isPartForNobodyElse(landing: Landing): boolean {
  return landing.kind === 'alone' && landing.because === 'answer' && landing.arrived?.head.status === 206;
}

/** Whether it tells that others may get an answer of their own, too. */
function isOwn(landing: Landing): boolean {
  return landing.kind === 'alone' && !teachesNothing.has(landing.because);
}

const teachesNothing: ReadonlySet<string> = new Set(['error', 'lost']);
