const FIRST_STEP_MS = 100;
/** While other threads do the same work. */
const LONGEST_DELAY_MS = 5_000;
/** While no other thread does its work. */
const LONGEST_DELAY_ALONE_MS = 500;
/** A thread that ran for this long was healthy: its failure starts a new series. */
const GOOD_LIFE_MS = 10_000;

/**
 * How long to wait before replacing a dead thread: not at all after a single failure, increasingly long when failures
 * repeat.
 */
export class RestartBackoff {
  #failures = 0;

  /**
   * The delay in milliseconds after the thread ran for `livedMs`; `alone` when no other thread does the same work now.
   */
  nextDelayMs(livedMs: number, alone: boolean): number {
    this.#failures = livedMs >= GOOD_LIFE_MS ? 1 : this.#failures + 1;
    const delayMs = this.#failures === 1 ? 0 : FIRST_STEP_MS * 2 ** (this.#failures - 2);
    return Math.min(delayMs, longestDelayMs(alone));
  }
}

/** The maximum delay. */
export function longestDelayMs(alone: boolean): number {
  return alone ? LONGEST_DELAY_ALONE_MS : LONGEST_DELAY_MS;
}
