import type { Clock, Timer } from '../base/clock.ts';

/** Minimum speed of an answer. */
export interface TransferLimits {
  /** Time limit for the final head of the answer; undefined: none. Informational (1xx) heads do not extend it. */
  readonly headMs: number | undefined;
  /** Minimum rate of the body in bytes per second, measured over `windowMs`; 0: no minimum. */
  readonly minRateBytes: number;
  readonly windowMs: number;
}

/** A timer that runs so much later than it was due shows that this thread was blocked. */
const LATE_MS = 20;

/** Time to read what arrived while the thread was blocked: timers run before sockets are read. */
const GRACE_MS = 500;

/** Detects answers that arrive too slowly. Time in which the reader has paused the answer does not count. */
export class TransferWatch {
  readonly #limits: TransferLimits;
  readonly #clock: Clock;
  readonly #tooSlow: () => void;
  #timer: Timer | undefined;
  #hasHead = false;
  #isTimed = true;
  #windowBytes = 0;

  constructor(limits: TransferLimits, clock: Clock, tooSlow: () => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tooSlow = tooSlow;
    if (limits.headMs !== undefined) this.#after(limits.headMs, tooSlow);
  }

  /**
   * @param isTimed whether the minimum rate applies to this answer: a store that needs long for a write sends white space
   *   until it knows the result
   */
  answered(isTimed = true): void {
    this.#hasHead = true;
    this.#isTimed = isTimed;
    this.wanted();
  }

  arrived(lengthBytes: number): void {
    this.#windowBytes += lengthBytes;
  }

  /** The reader wants bytes: starts measuring. */
  wanted(): void {
    if (!this.#hasHead) return;
    this.end();
    const { minRateBytes, windowMs } = this.#limits;
    if (minRateBytes === 0 || !this.#isTimed) return;
    this.#windowBytes = 0;
    this.#after(windowMs, () => {
      if (this.#windowBytes * 1000 < minRateBytes * windowMs) this.#tooSlow();
      else this.wanted();
    });
  }

  /** The reader has paused: stops measuring. */
  unwanted(): void {
    if (this.#hasHead) this.end();
  }

  end(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Calls `due` after `delayMs`, and if this thread was blocked by then, after a grace period; nothing extends it twice. */
  #after(delayMs: number, due: () => void): void {
    const dueMs = this.#clock.monotonicMs() + delayMs;
    this.#timer = this.#clock.after(delayMs, () => {
      if (this.#clock.monotonicMs() <= dueMs + LATE_MS) due();
      else this.#timer = this.#clock.after(GRACE_MS, due);
    });
  }
}
