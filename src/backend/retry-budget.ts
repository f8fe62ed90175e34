/** What an answer gives back: while a store answers, one call in ten may be sent again. */
const EARNED_BY_ANSWER = 0.1;

/**
 * Limits how many calls to one store are repeated, those of fills and of clients together, so that retries do not
 * multiply the load of a failing store. At first there is one per connection, since all idle connections may have been
 * closed at once; answers earn further ones.
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
