import type { Clock } from '../../base/clock.ts';
import type { Asked } from '../../cache/record.ts';
import { Flight, type Sending, type Waiting } from './flight.ts';

/** What is requested once for all who want it. */
interface Question<Answer> extends Sending<Answer> {
  /** Whether a request that was sent then may be joined. */
  isStillAsked(asked: Asked): boolean;
  /**
   * All who waited have left, for the first time: whether the request goes on nevertheless.
   *
   * @param giveUp may be called later, and has no effect while somebody waits
   * @param isWanted see `SingleFlight.want`
   */
  goesOn(answer: Promise<Answer>, giveUp: () => void, isWanted: boolean): boolean;
}

/**
 * Requests in progress, by name: concurrent equal requests share one answer. A request that a write or a purge has
 * overtaken is not joined. When all who wait for one have left, it goes on or is aborted, as `Question` says.
 */
export class SingleFlight<Answer> {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly #joinable = new Map<string, Flight<Answer>>();
  readonly #running = new Set<Flight<Answer>>();
  /** The requests in progress; several may be for one object. */
  readonly running: ReadonlySet<unknown> = this.#running;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>) {
    this.#clock = clock;
  }

  /**
   * Whether a request `name` may be joined. It is wanted from now on by somebody who does not wait for it: that counts when all
   * who do have left.
   */
  want(name: string, isStillAsked: (asked: Asked) => boolean): boolean {
    const known = this.#joinable.get(name);
    if (!known || !isStillAsked(known.asked)) return false;
    known.isWanted = true;
    return true;
  }

  /** Joins the request `name`, or starts it. */
  join(
    name: string,
    asked: Asked,
    question: Question<Answer>,
    waiting: Waiting = {},
  ): { readonly answer: Promise<Answer>; readonly isJoined: boolean } {
    const known = this.#joinable.get(name);
    const isJoined = known !== undefined && question.isStillAsked(known.asked);
    if (isJoined) known.join(waiting);
    const { answer } = isJoined ? known : this.#begin(name, asked, question, waiting);
    return { answer, isJoined };
  }

  #begin(name: string, asked: Asked, question: Question<Answer>, waiting: Waiting): Flight<Answer> {
    let isKept = false;
    const giveUp = () => {
      // once those who wait now have left as well, it takes a place anew
      isKept = false;
      if (!flight.isGone) return;
      forget();
      flight.abandon();
    };
    const deserted = () => {
      isKept ||= !this.#running.has(flight) || question.goesOn(flight.answer, giveUp, flight.isWanted);
      if (!isKept) giveUp();
    };
    const flight = new Flight(asked, question, waiting, deserted, this.#clock);
    const forget = () => {
      if (this.#joinable.get(name) === flight) this.#joinable.delete(name);
    };
    const land = () => {
      this.#running.delete(flight);
      forget();
    };
    this.#joinable.set(name, flight);
    this.#running.add(flight);
    flight.answer.then(land, land);
    return flight;
  }
}
