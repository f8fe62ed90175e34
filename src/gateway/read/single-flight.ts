import type { Asked } from '../../cache/record.ts';
import { DesertedError } from '../fill/fill-error.ts';

/** Those who wait for the answer to a request in progress, as seen by who makes it. */
export interface Audience {
  /** Whether all who waited have left: the request goes on for whoever comes next. */
  readonly isGone: boolean;
  /** Aborted with a DesertedError when the answer is not wanted any more. */
  readonly signal: AbortSignal;
  /** Aborted when another client than the first waits as well. */
  readonly shared: AbortSignal;
}

/** Who waits. */
interface Waiting {
  readonly gone: AbortSignal;
  readonly client: string;
}

/** What is requested once for all who want it. */
interface Question<Answer> {
  /** Whether a request that was sent then may be joined. */
  isStillAsked(asked: Asked): boolean;
  /** Sends the request. */
  ask(audience: Audience): Promise<Answer>;
  /**
   * All who waited have left, for the first time: whether the request goes on nevertheless.
   *
   * @param giveUp may be called later, and has no effect while somebody waits
   * @param isWanted see `SingleFlight.want`
   */
  goesOn(answer: Promise<Answer>, giveUp: () => void, isWanted: boolean): boolean;
}

/** A store request in progress that others may join. */
class Flight<Answer> implements Audience {
  /** Whether it is wanted by somebody who does not wait for it. */
  isWanted = false;
  readonly asked: Asked;
  readonly answer: Promise<Answer>;
  readonly #abandoning = new AbortController();
  readonly #sharing = new AbortController();
  readonly #client: string | undefined;
  readonly #deserted: () => void;
  #waiting = 0;

  /** @param deserted called each time that the last who waited has left */
  constructor(asked: Asked, { ask }: Question<Answer>, first: Waiting | undefined, deserted: () => void) {
    this.asked = asked;
    this.#client = first?.client;
    this.#deserted = deserted;
    this.wait(first);
    this.answer = ask(this);
  }

  get isGone(): boolean {
    return this.#waiting === 0;
  }

  get signal(): AbortSignal {
    return this.#abandoning.signal;
  }

  get shared(): AbortSignal {
    return this.#sharing.signal;
  }

  /** @param who undefined for somebody who waits for the answer in any case */
  wait(who: Waiting | undefined): void {
    this.#waiting++;
    if (who?.client !== this.#client) this.#sharing.abort();
    who?.gone.addEventListener('abort', () => {
      if (--this.#waiting === 0) this.#deserted();
    });
  }

  abandon(): void {
    this.#abandoning.abort(new DesertedError());
  }
}

/**
 * Requests in progress, by name: concurrent equal requests share one answer. A request that a write or a purge has
 * overtaken is not joined. When all who wait for one have left, it goes on or is aborted, as `Question` says.
 */
export class SingleFlight<Answer> {
  readonly #joinable = new Map<string, Flight<Answer>>();
  readonly #running = new Set<Flight<Answer>>();
  /** The requests in progress; several may be for one object. */
  readonly running: ReadonlySet<unknown> = this.#running;

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

  /**
   * Joins the request `name`, or starts it.
   *
   * @param who see `Flight.wait`
   */
  join(
    name: string,
    asked: Asked,
    question: Question<Answer>,
    who?: Waiting,
  ): { readonly answer: Promise<Answer>; readonly isJoined: boolean } {
    const known = this.#joinable.get(name);
    const isJoined = known !== undefined && question.isStillAsked(known.asked);
    if (isJoined) known.wait(who);
    const { answer } = isJoined ? known : this.#begin(name, asked, question, who);
    return { answer, isJoined };
  }

  #begin(name: string, asked: Asked, question: Question<Answer>, who: Waiting | undefined): Flight<Answer> {
    let isKept = false;
    const giveUp = () => {
      // once those who wait now have left as well, it takes a place anew
      isKept = false;
      if (!flight.isGone) return;
      forget();
      flight.abandon();
    };
    const flight = new Flight(asked, question, who, () => {
      isKept ||= !this.#running.has(flight) || question.goesOn(flight.answer, giveUp, flight.isWanted);
      if (!isKept) giveUp();
    });
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
