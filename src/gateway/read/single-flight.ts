/** A question to a store that others may wait for. */
interface Flight<Answer> {
  readonly epoch: number;
  readonly answer: Promise<Answer>;
}

/**
 * PeerCalls under way, by name: who asks the same meanwhile gets the same answer. A question asked before the epoch
 * was raised is not joined any more.
 */
export class SingleFlight<Answer> {
  readonly #flights = new Map<string, Flight<Answer>>();

  /** Joins the flight `name` of this `epoch`, or begins it with `ask`. */
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
