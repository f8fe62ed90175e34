import type { Clock, Timer } from '../base/clock.ts';
import { afterReading } from '../base/patient-timer.ts';

/** Minimum speed of an answer. */
export interface TransferLimits {
  /** Time limit for the final head of the answer; undefined: none. Informational (1xx) heads do not extend it. */
  readonly headMs: number | undefined;
  /** Minimum rate of the body in bytes per second, measured over `windowMs`; 0: no minimum. */
  readonly minRateBytes: number;
  readonly windowMs: number;
}

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
    if (limits.headMs !== undefined) this.#timer = afterReading(clock, limits.headMs, tooSlow);
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
    this.#timer = afterReading(this.#clock, windowMs, () => {
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
}
