import type { Clock } from '../../base/clock.ts';

/**
 * Wall-clock time that never steps. It begins at the machine's time, or at `floorMs` (the latest moment written
 * down before a restart) when the machine's clock was set back meanwhile, and from then on it follows elapsed
 * time only: neither a step back nor a step forward gives out a slot too early.
 */
export class SteadyClock {
  readonly #clock: Clock;
  readonly #offsetMs: number;

  constructor(clock: Clock, floorMs: number) {
    this.#clock = clock;
    this.#offsetMs = Math.max(clock.nowMs(), floorMs) - clock.monotonicMs();
  }

  /** Whole milliseconds, rounded down: the moment before which nothing is asked for. */
  nowMs(): number {
    return Math.floor(this.#offsetMs + this.#clock.monotonicMs());
  }

  /** Whole milliseconds, rounded up: the moment by which something had happened. */
  passedMs(): number {
    return Math.ceil(this.#offsetMs + this.#clock.monotonicMs());
  }
}
