import type { Clock } from '../../base/clock.ts';

/** One moment on both clocks. */
export interface ClockMark {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/**
 * Time for the windows, which never steps: within a process it follows elapsed time only, and over a restart it goes
 * on from the latest mark by what the machine's clock says has passed since, which counts as nothing when that clock
 * was set back meanwhile. So neither a step back nor one forward gives out a slot too early; only a step forward
 * while nothing ran looks like time that has passed.
 */
export class SteadyClock {
  readonly #clock: Clock;
  readonly #offsetMs: number;

  constructor(clock: Clock, latest: ClockMark | undefined) {
    this.#clock = clock;
    const startMs = latest ? latest.steadyMs + Math.max(0, clock.nowMs() - latest.wallMs) : clock.nowMs();
    this.#offsetMs = startMs - clock.monotonicMs();
  }

  /** Whole milliseconds, rounded down: the moment before which nothing is asked for. */
  nowMs(): number {
    return Math.floor(this.#offsetMs + this.#clock.monotonicMs());
  }

  /** Whole milliseconds, rounded up: the moment by which something had happened. */
  passedMs(): number {
    return Math.ceil(this.#offsetMs + this.#clock.monotonicMs());
  }

  /** Now, for whoever goes on from here after a restart. */
  mark(): ClockMark {
    return { steadyMs: this.passedMs(), wallMs: Math.floor(this.#clock.nowMs()) };
  }
}
