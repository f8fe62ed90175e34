/** A store request in progress that others may join. */
interface Flight<Answer> {
  readonly epoch: number;
  readonly answer: Promise<Answer>;
}

/**
 * Requests in progress, by name: concurrent equal requests share one answer. A request from before the last epoch
 * change is not joined.
 */
export class SingleFlight<Answer> {
  readonly #flights = new Map<string, Flight<Answer>>();

  /** Joins the request `name` of this `epoch`, or starts it with `ask`. */
  join(
    name: string,
    epoch: number,
    ask: () => Promise<Answer>,
  ): { readonly answer: Promise<Answer>; readonly isJoined: boolean } {
    const running = this.#flights.get(name);
    if (running?.epoch === epoch) return { answer: running.answer, isJoined: true };
    const flight = { epoch, answer: ask() };
    this.#flights.set(name, flight);
    const land = () => {
      if (this.#flights.get(name) === flight) this.#flights.delete(name);
    };
    flight.answer.then(land, land);
    return { answer: flight.answer, isJoined: false };
  }
}
