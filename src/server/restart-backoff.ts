const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A thread that lived this long is not failing again but anew. */
const GOOD_LIFE_MS = 60_000;

/** How long to wait before a dead thread is replaced: at once for an accident, ever longer for a loop. */
export class RestartBackoff {
  #failures = 0;

  /** The delay in milliseconds after a life of `livedMs`. */
  nextDelayMs(livedMs: number): number {
    this.#failures = livedMs >= GOOD_LIFE_MS ? 1 : this.#failures + 1;
    return Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), LONGEST_DELAY_MS);
  }
}
