import type { ObjectKey } from '../../cache/object-key.ts';

/** A store request in progress that others may join. */
interface Flight<Answer> {
  readonly objectKey: ObjectKey;
  readonly epoch: number;
  readonly answer: Promise<Answer>;
}

/**
 * Requests in progress, by name: concurrent equal requests share one answer. A request from before the last epoch
 * change is not joined.
 */
export class SingleFlight<Answer> {
  readonly #joinable = new Map<string, Flight<Answer>>();
  readonly #running = new Set<Flight<Answer>>();
  /** The requests in progress; several may be for one object. */
  readonly running: ReadonlySet<Flight<Answer>> = this.#running;

  /** Joins the request `name` of this `epoch`, or starts it with `ask`. */
  join(
    name: string,
    objectKey: ObjectKey,
    epoch: number,
    ask: () => Promise<Answer>,
  ): { readonly answer: Promise<Answer>; readonly isJoined: boolean } {
    const known = this.#joinable.get(name);
    if (known?.epoch === epoch) return { answer: known.answer, isJoined: true };
    const flight = { objectKey, epoch, answer: ask() };
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
