import type { Clock } from '../../base/clock.ts';

/** The same time on both clocks. */
export interface ClockMark {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/**
 * A clock for rate windows that never jumps. Within a process it follows the monotonic clock. After a restart it
 * continues from the stored mark, adding the wall-clock time that has passed since (none, if that clock was set back).
 * So no slot is given out too early, except when the wall clock is set forward while the process is not running.
 */
export class SteadyClock {
  readonly #clock: Clock;
  readonly #offsetMs: number;

  constructor(clock: Clock, latest: ClockMark | undefined) {
    this.#clock = clock;
    const startMs = latest ? latest.steadyMs + Math.max(0, clock.nowMs() - latest.wallMs) : clock.nowMs();
    this.#offsetMs = startMs - clock.monotonicMs();
  }

  /** Whole milliseconds, rounded down, for the start of an operation. */
  nowMs(): number {
    return Math.floor(this.#offsetMs + this.#clock.monotonicMs());
  }

  /** Whole milliseconds, rounded up, for the end of an operation. */
  passedMs(): number {
    return Math.ceil(this.#offsetMs + this.#clock.monotonicMs());
  }

  /** The current time, to be stored for a restart. */
  mark(): ClockMark {
    return { steadyMs: this.passedMs(), wallMs: Math.floor(this.#clock.nowMs()) };
  }
}
