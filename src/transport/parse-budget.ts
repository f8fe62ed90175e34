/** How long the connections of one thread may parse before other work has its turn. */
const BUDGET_MS = 8;

/**
 * Limits how long the thread parses answers of stores without a turn for other work. libuv reads a socket that is
 * always full 32 times in a row, and a body in tiny chunks takes a hundred times as long to parse as others.
 */
export class ParseBudget {
  readonly #nowMs: () => number;
  #spentMs = 0;
  #startedMs: number | undefined;
  #isSpent = false;
  #waiting: (() => void)[] = [];

  /** @param nowMs a monotonic clock, in milliseconds */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Parsing starts. */
  start(): void {
    this.#startedMs = this.#nowMs();
  }

  /** Parsing has stopped. */
  stop(): void {
    if (this.#startedMs === undefined) return;
    this.#spentMs += this.#nowMs() - this.#startedMs;
    this.#startedMs = undefined;
    if (this.#isSpent || this.#spentMs < BUDGET_MS) return;
    this.#isSpent = true;
    setImmediate(() => this.#renew());
  }

  /** Whether parsing has to wait, see `whenRenewed`. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Calls `goOn` in a later turn of the event loop, in the order of the calls. */
  whenRenewed(goOn: () => void): void {
    this.#waiting.push(goOn);
  }

  #renew(): void {
    this.#spentMs = 0;
    this.#isSpent = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) {
      if (this.#isSpent) this.#waiting.push(goOn);
      else goOn();
    }
  }
}
