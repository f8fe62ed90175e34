import type { Clock } from '../../base/clock.ts';
import type { BackgroundTurns } from '../read/background-turns.ts';
import type { WebFetch } from './web-fetch.ts';
import { type Landing, outcomeOf, WebFlight } from './web-flights.ts';
import type { WebRead } from './web-read.ts';

/**
 * Who waits has patience for twice as long as the last answer of that name took, within these bounds: a client could have one made
 * late. Before the first answer it is `UNKNOWN_MS`.
 */
const LEAST_MS = 1_000;
const MOST_MS = 5_000;
const UNKNOWN_MS = 2_000;

/** Questions beside one that hangs, each after the patience with the one before; the last is in nobody's name. */
const BESIDE_LIMIT = 2;

interface BesideParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly background: BackgroundTurns;
  /** Asks for all of an answer, for nobody who waits. @throws TooManyRequestsError */
  readonly send: (by: WebRead, beside: WebFlight) => WebFetch;
  /** `read` as nobody in particular would ask for its variant. */
  readonly asNobody: (read: WebRead) => WebRead;
  /** How long the last answer of that name took; undefined where that is not known. */
  readonly tookMs: (read: WebRead) => number | undefined;
  /** The second flight, which began later, has been answered first. */
  readonly overtaken: (flight: WebFlight, by: WebFlight) => void;
}

/**
 * A question may hang because of what its client has sent: a session that is locked, say. Those who wait for it and have sent
 * something else have the same asked in the name of one of them, and the first answer is for all.
 */
export class QuestionsBeside {
  readonly #parts: BesideParts;

  constructor(parts: BesideParts) {
    this.#parts = parts;
  }

  /** Somebody waits for `flight`, which is of the whole answer. */
  watch(flight: WebFlight): void {
    if (flight.patience || flight.isAnswered) return;
    const patienceMs = this.#patienceMs(flight);
    this.#wait(flight, flight.sinceMs + patienceMs - this.#parts.clock.monotonicMs(), patienceMs, []);
  }

  #patienceMs({ first }: WebFlight): number {
    const tookMs = this.#parts.tookMs(first);
    return tookMs === undefined ? UNKNOWN_MS : Math.min(MOST_MS, Math.max(LEAST_MS, 2 * tookMs));
  }

  /** @param asked in whose names it was asked beside: somebody may come in whose name it can be */
  #wait(flight: WebFlight, delayMs: number, patienceMs: number, asked: readonly WebRead[]): void {
    const { clock, asNobody } = this.#parts;
    flight.patience = clock.after(delayMs, () => {
      const by = flight.other(asked);
      const all = by ? [...asked, by] : asked;
      if (all.length < BESIDE_LIMIT) this.#wait(flight, patienceMs, patienceMs, all);
      const isLast = all.length === BESIDE_LIMIT;
      if (by) this.#ask(flight, isLast ? asNobody(by) : by.asGet(), isLast);
    });
  }

  #ask(flight: WebFlight, by: WebRead, isOfNobody: boolean): void {
    const { background, send } = this.#parts;
    background.ask(by.bucket.store.name, {
      ...{ client: by.client.quota, name: by.target.key.text, isStillDue: () => !flight.isOver },
      begin: ended => {
        let fetch: WebFetch | undefined;
        const beside = new WebFlight(by, this.#parts.clock.monotonicMs(), landing => {
          // what was not sent, or was given up, has no answer
          if (fetch) this.#landed(flight, landing, beside, isOfNobody);
          ended(outcomeOf(landing));
        });
        try {
          fetch = send(by, beside);
        } catch {
          // it has landed
        }
        return () => {
          const sent = fetch;
          fetch = undefined;
          sent?.left();
        };
      },
    });
  }

  /** What one client gets for itself ends no question that may be for all. What nobody in particular gets is so for all who wait. */
  #landed(flight: WebFlight, landing: Landing, beside: WebFlight, isOfNobody: boolean): void {
    const isForAll = landing.kind === 'stored' || (isOfNobody && landing.kind === 'alone');
    if (flight.isOver || !isForAll) return;
    this.#parts.overtaken(flight, beside);
    flight.land(landing, beside.first);
  }
}
