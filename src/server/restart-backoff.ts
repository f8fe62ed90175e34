const FIRST_STEP_MS = 100;
/** While other threads do the same work. */
const LONGEST_DELAY_MS = 5_000;
/** While there is no other thread: what it does is not done at all meanwhile. */
const LONGEST_DELAY_ALONE_MS = 500;
/** A thread that lived this long is not failing again but anew. */
const GOOD_LIFE_MS = 10_000;

/** How long to wait before a dead thread is replaced: not at all after an accident, ever longer in a loop. */
export class RestartBackoff {
  #failures = 0;

  /** The delay in milliseconds after a life of `livedMs`; `alone` when no other thread does the same work now. */
  nextDelayMs(livedMs: number, alone: boolean): number {
    this.#failures = livedMs >= GOOD_LIFE_MS ? 1 : this.#failures + 1;
    const delayMs = this.#failures === 1 ? 0 : FIRST_STEP_MS * 2 ** (this.#failures - 2);
    return Math.min(delayMs, longestDelayMs(alone));
  }
}

/** No delay is longer than this. */
export function longestDelayMs(alone: boolean): number {
  return alone ? LONGEST_DELAY_ALONE_MS : LONGEST_DELAY_MS;
}
