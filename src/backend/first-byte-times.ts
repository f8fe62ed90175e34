/** Answers are remembered for one to two of these. */
const WINDOW_MS = 30_000;

/** No call is silent for too long before this. */
const SILENCE_FLOOR_MS = 1_500;

interface AnswersOfWindow {
  readonly index: number;
  slowestMs: number;
}

/** How long the first bytes of a store's answers took of late. */
export class FirstByteTimes {
  #before: AnswersOfWindow = { index: -2, slowestMs: 0 };
  #current: AnswersOfWindow = { index: -1, slowestMs: 0 };

  #lastAskedMs = -Infinity;

  /** An answer has begun at `nowMs`, `durationMs` after it was asked for. */
  add(durationMs: number, nowMs: number): void {
    this.#moveTo(nowMs);
    this.#lastAskedMs = Math.max(this.#lastAskedMs, nowMs - durationMs);
    this.#current.slowestMs = Math.max(this.#current.slowestMs, durationMs);
  }

  /**
   * A call that has brought nothing for longer than this may be one that hangs: twice as long as the slowest answer. The
   * slowest and not an average, since stores answer some objects much later than others.
   */
  silenceLimitMs(nowMs: number): number {
    this.#moveTo(nowMs);
    return Math.max(SILENCE_FLOOR_MS, 2 * this.#before.slowestMs, 2 * this.#current.slowestMs);
  }

  /** Whether something was answered that was asked after `askedMs`. */
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
