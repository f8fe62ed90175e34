/** What an answer gives back: while a store answers, one call in ten may be sent again. */
const EARNED_BY_ANSWER = 0.1;

/**
 * Bounds how many calls to a store are sent again, those of fills and of clients together, so that a store in trouble does not get several times its load. There
 * may be one for each connection at once, since all idle connections may have been closed; then as many as answers allow.
 */
export class RetryBudget {
  readonly #limit: number;
  #left: number;

  /** @param connections of the store */
  constructor(connections: number) {
    this.#limit = connections;
    this.#left = connections;
  }

  /** The store has answered a call. */
  answered(): void {
    this.#left = Math.min(this.#limit, this.#left + EARNED_BY_ANSWER);
  }

  /** Whether one more call may be sent again. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
