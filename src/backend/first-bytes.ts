/** Answers are remembered for one to two of these. */
const windowMs = 30_000;

/** With fewer answers than this nothing is known of a store. */
const enoughAnswers = 3;

/** No call is silent for too long before this. */
const silenceFloorMs = 1_500;

interface AnswersOfWindow {
  readonly index: number;
  count: number;
  slowestMs: number;
}

/** How long the first bytes of a store's answers took of late. */
export class FirstBytes {
  #before: AnswersOfWindow = { index: -2, count: 0, slowestMs: 0 };
  #current: AnswersOfWindow = { index: -1, count: 0, slowestMs: 0 };

  /** An answer has begun at `nowMs`, `durationMs` after it was asked for. */
  add(durationMs: number, nowMs: number): void {
    this.#moveTo(nowMs);
    this.#current.count++;
    this.#current.slowestMs = Math.max(this.#current.slowestMs, durationMs);
  }

  /**
   * A call that has brought nothing for longer than this is most likely one that hangs: twice as long as the slowest
   * answer. The slowest and not an average, since stores answer some objects much later than others. Undefined while
   * too few answers are known.
   */
  silenceLimitMs(nowMs: number): number | undefined {
    this.#moveTo(nowMs);
    if (this.#before.count + this.#current.count < enoughAnswers) return undefined;
    return Math.max(silenceFloorMs, 2 * this.#before.slowestMs, 2 * this.#current.slowestMs);
  }

  #moveTo(nowMs: number): void {
    const index = Math.floor(nowMs / windowMs);
    if (index === this.#current.index) return;
    this.#before =
      index === this.#current.index + 1 ? this.#current : { index: index - 1, count: 0, slowestMs: 0 };
    this.#current = { index, count: 0, slowestMs: 0 };
  }
}
