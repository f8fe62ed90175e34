/** Answers count for one to two windows. */
const WINDOW_MS = 30_000;

/** Lower bound of the silence limit. */
const SILENCE_FLOOR_MS = 1_500;

interface AnswersOfWindow {
  readonly index: number;
  slowestMs: number;
}

/** Recent times to first byte of a store. */
export class FirstByteTimes {
  #before: AnswersOfWindow = { index: -2, slowestMs: 0 };
  #current: AnswersOfWindow = { index: -1, slowestMs: 0 };

  #lastAskedMs = -Infinity;

  /** Records an answer that began at `nowMs`, `durationMs` after its request. */
  add(durationMs: number, nowMs: number): void {
    this.#moveTo(nowMs);
    this.#lastAskedMs = Math.max(this.#lastAskedMs, nowMs - durationMs);
    this.#current.slowestMs = Math.max(this.#current.slowestMs, durationMs);
  }

  /**
   * How long a call may be silent before it is suspected to hang: twice the slowest recent answer. The slowest rather
   * than an average, because a store may answer some objects much later than others.
   */
  silenceLimitMs(nowMs: number): number {
    this.#moveTo(nowMs);
    return Math.max(SILENCE_FLOOR_MS, 2 * this.#before.slowestMs, 2 * this.#current.slowestMs);
  }

  /** Whether a request sent after `askedMs` has been answered. */
  hasAnsweredSince(askedMs: number): boolean {
    return this.#lastAskedMs > askedMs;
  }

  #moveTo(nowMs: number): void {
    const index = Math.floor(nowMs / WINDOW_MS);
    if (index === this.#current.index) return;
    this.#before = index === this.#current.index + 1 ? this.#current : { index: index - 1, slowestMs: 0 };
    this.#current = { index, slowestMs: 0 };
  }
}
