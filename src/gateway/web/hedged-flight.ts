import type { Timer } from '../../base/clock.ts';
import type { Hedge } from './hedge.ts';
import type { FlightHedges, Landing, WebFlight } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/** Hedges of one flight. */
const HEDGE_LIMIT = 4;

/** A body of which less comes while somebody waits with patience is as good as none. */
const LEAST_BYTES = 1024;

/** A hedge that has no place in the background yet. */
interface Waiting {
  readonly isOfNobody: boolean;
  /** Sends it nevertheless. */
  readonly send: () => void;
}

/** What is known of a flight that is waited for, and of its hedges, see `Hedging`. */
export class HedgedFlight implements FlightHedges {
  readonly flight: WebFlight;
  readonly patienceMs: number;
  /** Until the next is asked. */
  patience: Timer | undefined;
  /** Whether one of them was answered for its reader alone. */
  hasOwn = false;
  /** In whose names: somebody may come in whose name it can be. */
  asked: readonly WebRead[] = [];
  hasAskedNobody = false;
  /** What is under way. */
  readonly open = new Set<Hedge>();
  readonly waiting = new Set<Waiting>();
  /** Whether one of a client is under way without a place. */
  hasPlaceless = false;
  /** Whether the origin has said anything to others: it may hang for all. */
  isHeard = false;
  readonly #over: () => void;
  /** How the flight would have ended, had no hedge begun to be answered. */
  #held: Landing | undefined;
  #seenBytes = new Map<WebFlight, number>();

  /** @param over called when the flight is over */
  constructor(flight: WebFlight, patienceMs: number, over: () => void) {
    this.flight = flight;
    this.patienceMs = patienceMs;
    this.#over = over;
  }

  get mayAsk(): boolean {
    return this.asked.length < HEDGE_LIMIT && !this.isComing;
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

  /** It is held where a hedge has begun to be answered, which may be for all. */
  endOf(landing: Landing): Landing | undefined {
    if (landing.kind !== 'alone' && landing.kind !== 'failed') return landing;
    const end = landing.kind === 'failed' ? { ...landing, hasOwnHedge: this.hasOwn } : landing;
    if (![...this.open].some(({ flight }) => flight.isAnswered)) return end;
    // the origin is there, and may answer the next
    this.#held = end.kind === 'failed' ? { ...end, isBegun: true } : end;
    return undefined;
  }

  over(): void {
    this.patience?.cancel();
    this.#over();
  }

  /** A hedge is over: nothing may be left that the flight is held for. */
  endHeld(): void {
    if (this.#held) this.flight.land(this.#held);
  }

  get #all(): readonly WebFlight[] {
    return [this.flight, ...[...this.open].map(({ flight }) => flight)];
  }

  /** Nobody waits: answers that had begun by the last look are given up, which could go on for ever. */
  giveUpBegun(): void {
    if (this.#seenBytes.has(this.flight)) this.flight.deserted?.();
    for (const hedge of [...this.open])
      if (this.#seenBytes.has(hedge.flight)) {
        this.asked = this.asked.filter(asked => asked !== hedge.question.by);
        hedge.desert();
      }
  }

  /** Whether others have been answered, but none for all. */
  get isInVain(): boolean {
    const isHeard = this.isHeard || this.flight.isAnswered;
    return isHeard && this.asked.length > 0 && !this.isComing;
  }

  /** Whether all hedges under way have got no answer for as long as there is patience. */
  isHanging(nowMs: number): boolean {
    return [...this.open].every(
      ({ flight: { isAnswered, sinceMs } }) => !isAnswered && nowMs - sinceMs >= this.patienceMs,
    );
  }
}
