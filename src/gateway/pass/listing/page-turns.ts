import type { Clock } from '../../../base/clock.ts';

/** Time slice of one listing; a step that has begun is finished. */
const TURN_MS = 2;

/** Work divided into steps of a millisecond or less. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Schedules the CPU work of a worker's listings in slices of a few milliseconds, with a pause after each that is at
 * least as long. Parsing a page of a thousand names takes tens of milliseconds, and clients may request any number of
 * pages at once. Other requests keep half of the thread and wait for one slice at most, and long pages do not block
 * short ones.
 */
export class PageTurns {
  readonly #clock: Clock;
  #free: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `work` slice by slice. Rejects with what it throws, or with the reason of `signal` when that aborts. */
  async take<Result>(work: Steps<Result>, signal?: AbortSignal): Promise<Result> {
    for (;;) {
      const before = this.#free;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#free = promise;
      await before;
      const startMs = this.#clock.monotonicMs();
      try {
        signal?.throwIfAborted();
        let step = work.next();
        while (!step.done && this.#clock.monotonicMs() - startMs < TURN_MS) step = work.next();
        if (step.done) return step.value;
      } finally {
        const tookMs = this.#clock.monotonicMs() - startMs;
        if (tookMs > 0) this.#clock.after(tookMs, resolve);
        else resolve();
      }
    }
  }
}
