import type { Clock, Timer } from '../../base/clock.ts';
import type { BackgroundTurns, Outcome } from '../read/background-turns.ts';
import type { WebFetch } from './web-fetch.ts';
import { hasHung, type Landing, outcomeOf, WebFlight } from './web-flight.ts';
import type { WebFlights } from './web-flights.ts';
import type { WebRead } from './web-read.ts';

/** Questions beside one that hangs. */
const BESIDE_LIMIT = 4;

/** A body of which less comes while somebody waits with patience is as good as none. */
const LEAST_BYTES = 1024;

interface BesideParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly background: BackgroundTurns;
  readonly flights: Pick<WebFlights, 'patienceMs' | 'learnLate' | 'learnTook'>;
  /** Asks for all of an answer, or for its range, for nobody who waits. @throws TooManyRequestsError */
  readonly send: (by: WebRead, beside: WebFlight) => WebFetch;
  /** `read` as nobody in particular would ask for its variant. */
  readonly asNobody: (read: WebRead) => WebRead;
  /** Whether each of those who send alike credentials is known to get an answer of its own. */
  readonly isOfEach: (read: WebRead) => boolean;
}

/** A question that has no place in the background yet. */
interface Waiting {
  readonly isOfNobody: boolean;
  /** Sends it nevertheless. */
  readonly send: () => void;
}

/** A question that is to be asked. */
interface AskedBeside {
  /** Who waits for it. */
  readonly by: WebRead;
  /** What is asked: as `by` does, or as nobody in particular. */
  readonly read: WebRead;
  readonly isOfNobody: boolean;
}

/** A question that is under way. */
interface Open extends Pick<AskedBeside, 'by'> {
  readonly giveUp: () => void;
}

/** What was asked beside a flight. */
class Beside {
  readonly patienceMs: number;
  /** Until the next is asked. */
  patience: Timer | undefined;
  /** Whether one of them was answered for its reader alone. */
  hasOwn = false;
  /** In whose names: somebody may come in whose name it can be. */
  asked: readonly WebRead[] = [];
  hasAskedNobody = false;
  readonly open = new Map<WebFlight, Open>();
  readonly waiting = new Set<Waiting>();
  /** How the flight would have ended, had nothing begun beside it. */
  held: Landing | undefined;
  /** Whether one of a client is under way without a place. */
  hasPlaceless = false;
  /** Whether the origin has said anything to others: it may hang for all. */
  isHeard = false;
  readonly #flight: WebFlight;
  #seenBytes = new Map<WebFlight, number>();

  constructor(flight: WebFlight, patienceMs: number) {
    this.#flight = flight;
    this.patienceMs = patienceMs;
  }

  get mayAsk(): boolean {
    return this.asked.length < BESIDE_LIMIT && !this.isComing;
  }

  /** Whether an answer that will be for all has begun since the last look, or goes on. */
  get isComing(): boolean {
    return this.#all.some(flight => {
      const seenBytes = this.#seenBytes.get(flight);
      return flight.isAnswered && (seenBytes === undefined || flight.cameBytes >= seenBytes + LEAST_BYTES);
    });
  }

  /** What is sent without a place: nobody's, which what clients have sent does not make hang, or the latest. */
  get due(): Waiting | undefined {
    const waiting = [...this.waiting];
    const ofNobody = waiting.find(({ isOfNobody }) => isOfNobody);
    return ofNobody ?? (this.hasPlaceless ? undefined : waiting.at(-1));
  }

  look(): void {
    const answered = this.#all.filter(({ isAnswered }) => isAnswered);
    this.#seenBytes = new Map(answered.map(flight => [flight, flight.cameBytes]));
  }

  /** Whether an answer is coming that was asked for beside. */
  get hasBegun(): boolean {
    return [...this.open.keys()].some(({ isAnswered }) => isAnswered);
  }

  /** How the flight ends where its first has got `landing`; undefined where it is held for what has begun. */
  endOf(landing: Landing): Landing | undefined {
    if (landing.kind !== 'alone' && landing.kind !== 'failed') return landing;
    const end = landing.kind === 'failed' ? { ...landing, hasOwnBeside: this.hasOwn } : landing;
    if (!this.hasBegun) return end;
    // the origin is there, and may answer the next
    this.held = end.kind === 'failed' ? { ...end, isBegun: true } : end;
    return undefined;
  }

  /** Something beside is over: nothing may be left that the flight is held for. */
  endHeld(): void {
    if (this.held) this.#flight.land(this.held);
  }

  get #all(): readonly WebFlight[] {
    return [this.#flight, ...this.open.keys()];
  }

  /** Nobody waits: answers that had begun by the last look are given up, which could go on for ever. */
  giveUpBegun(): void {
    if (this.#seenBytes.has(this.#flight)) this.#flight.deserted?.();
    for (const [flight, { by, giveUp }] of [...this.open])
      if (this.#seenBytes.has(flight)) {
        this.asked = this.asked.filter(asked => asked !== by);
        giveUp();
      }
  }

  /** Whether others have been answered, but none for all. */
  get isInVain(): boolean {
    const isHeard = this.isHeard || this.#flight.isAnswered;
    return isHeard && this.asked.length > 0 && !this.isComing;
  }

  /** Whether all that is under way has got no answer for as long as there is patience. */
  isHanging(nowMs: number): boolean {
    return [...this.open.keys()].every(
      ({ isAnswered, sinceMs }) => !isAnswered && nowMs - sinceMs >= this.patienceMs,
    );
  }
}

/**
 * A question may hang because of what its client has sent: a session that is locked, say. Those who wait for it and have sent
 * something else have the same asked in the name of one of them, each time that patience is over, and the second time in nobody's.
 * What has found no place in the background by the next time is sent nevertheless, nobody's and one of a client at a time. So it
 * goes with a body that gets stuck, and with a range, which is asked for as the first has asked. The first answer that is for all
 * ends the wait; where several were not, each asks for itself. For nobody, no answer goes on for long.
 */
export class QuestionsBeside {
  readonly #parts: BesideParts;

  constructor(parts: BesideParts) {
    this.#parts = parts;
  }

  /** Somebody waits for `flight`. */
  watch(flight: WebFlight): void {
    if (flight.beside || flight.isOver) return;
    const { clock, flights } = this.#parts;
    const beside = new Beside(flight, flights.patienceMs(flight.first));
    flight.beside = {
      endOf: landing => beside.endOf(landing),
      over: () => {
        beside.patience?.cancel();
        this.#giveUpLater(beside);
      },
    };
    this.#wait(flight, beside, flight.sinceMs + beside.patienceMs - clock.monotonicMs());
  }

  #wait(flight: WebFlight, beside: Beside, delayMs: number): void {
    const { clock } = this.#parts;
    beside.patience = clock.after(delayMs, () => {
      if (!flight.isAwaited) beside.giveUpBegun();
      const { isComing } = beside;
      if (!isComing) flight.dismiss(flight.first, this.#parts.isOfEach);
      if (flight.isOver) return;
      // the places may be taken by what hangs otherwise, and this is waited for
      if (!isComing && flight.isAwaited) beside.due?.send();
      const by = beside.mayAsk ? flight.other(beside.asked) : undefined;
      // since the last look
      const isInVain = beside.isInVain && beside.isHanging(clock.monotonicMs());
      beside.look();
      this.#wait(flight, beside, beside.patienceMs);
      if (!by) {
        if (isInVain) flight.dismiss(flight.first);
        return;
      }
      const isOfNobody = beside.asked.length > 0 && !beside.hasAskedNobody;
      beside.asked = [...beside.asked, by];
      beside.hasAskedNobody ||= isOfNobody;
      const asked = isOfNobody ? this.#parts.asNobody(by) : by.asGet();
      const read = flight.isOfRange ? asked.withRangeOf(flight.first) : asked;
      this.#ask(flight, beside, { by, read, isOfNobody });
    });
  }

  /** What is still under way beside a flight that is over. */
  #giveUpLater(beside: Beside): void {
    if (beside.open.size === 0) return;
    beside.look();
    this.#parts.clock.after(beside.patienceMs, () => {
      beside.giveUpBegun();
      this.#giveUpLater(beside);
    });
  }

  #ask(flight: WebFlight, beside: Beside, { by, read, isOfNobody }: AskedBeside): void {
    const { background, clock } = this.#parts;
    const begin = (ended: (outcome: Outcome) => void) => {
      let fetch: WebFetch | undefined;
      let isDeserted = false;
      const land = (landing: Landing) => {
        beside.open.delete(question);
        // what is stored ends the flight, for those who wait for the next as well
        if (landing.kind !== 'stored' || !fetch) flight.brokeOff(read);
        // what was not sent, or was given up, has no answer
        if (fetch) this.#landed(flight, beside, question, landing, isOfNobody);
        beside.endHeld();
        ended(isDeserted ? 'failed' : outcomeOf(landing));
      };
      const question = new WebFlight(read, clock.monotonicMs(), land, flight.isOfRange);
      question.begins = begun => flight.answered(begun);
      const giveUp = () => {
        const sent = fetch;
        fetch = undefined;
        sent?.left();
      };
      const desert = () => {
        isDeserted = true;
        giveUp();
      };
      beside.open.set(question, { by, giveUp: desert });
      beside.waiting.delete(waiting);
      try {
        fetch = this.#parts.send(read, question);
      } catch {
        // it has landed
      }
      return giveUp;
    };
    const send = () => {
      if (isOfNobody) return void begin(() => {});
      beside.hasPlaceless = true;
      begin(() => {
        beside.hasPlaceless = false;
      });
    };
    const waiting = { isOfNobody, send };
    beside.waiting.add(waiting);
    const isStillDue = () => !flight.isOver && !beside.isComing && beside.waiting.has(waiting);
    background.ask(read.bucket.store.name, {
      ...{ client: read.client.quota, name: read.target.key.text, isStillDue, begin },
    });
  }

  /** What one client gets for itself ends no question that may be for all, nor does what nobody in particular gets. */
  #landed(
    flight: WebFlight,
    beside: Beside,
    { first, sinceMs }: WebFlight,
    landing: Landing,
    isOfNobody: boolean,
  ): void {
    const { flights } = this.#parts;
    if (hasHung(landing)) flights.learnLate(first);
    else beside.isHeard = true;
    if (isOwn(landing)) beside.hasOwn = true;
    if (flight.isOver) return;
    const isOfEach = isOfNobody && isOwn(landing);
    if (landing.kind === 'stored' || (flight.isOfRange && isPartForNobodyElse(landing))) {
      flights.learnLate(flight.first);
      if (!flight.isOfRange) flights.learnTook(first, sinceMs);
      flight.land(landing, first);
    } else if (beside.isInVain && beside.open.size === 0 && (isOfEach || !flight.other(beside.asked)))
      flight.dismiss(first);
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
