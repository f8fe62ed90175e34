import type { Asked } from '../../cache/record.ts';

/** A store request in progress that others may join. */
interface Flight<Answer> {
  readonly asked: Asked;
  readonly answer: Promise<Answer>;
}

/**
 * Requests in progress, by name: concurrent equal requests share one answer. A request that a write or a purge has
 * overtaken is not joined.
 */
export class SingleFlight<Answer> {
  readonly #joinable = new Map<string, Flight<Answer>>();
  readonly #running = new Set<Flight<Answer>>();
  /** The requests in progress; several may be for one object. */
  readonly running: ReadonlySet<Flight<Answer>> = this.#running;

  /**
   * Joins the request `name`, or starts it with `ask`.
   *
   * @param isStillAsked whether a request that was sent then may be joined
   */
  join(
    name: string,
    asked: Asked,
    isStillAsked: (asked: Asked) => boolean,
    ask: () => Promise<Answer>,
  ): { readonly answer: Promise<Answer>; readonly isJoined: boolean } {
    const known = this.#joinable.get(name);
    if (known && isStillAsked(known.asked)) return { answer: known.answer, isJoined: true };
    const flight = { asked, answer: ask() };
    this.#joinable.set(name, flight);
    this.#running.add(flight);
    const land = () => {
      this.#running.delete(flight);
      if (this.#joinable.get(name) === flight) this.#joinable.delete(name);
    };
    flight.answer.then(land, land);
    return { answer: flight.answer, isJoined: false };
  }
}
