import type { Clock } from '../../../base/clock.ts';

/** How long one listing works before others have their turn; a step that has begun is finished. */
const TURN_MS = 2;

/** Work that is done in steps of a millisecond or less. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Has the listings of a worker do their work in turns of a few milliseconds, with at least as much time in between as the
 * last one took: reading a page of a thousand names takes tens of milliseconds, and clients may ask for any number of them
 * at once. Other requests keep half of the thread and wait for one turn at most, and long pages do not hold up short ones.
 */
export class PageTurns {
  readonly #clock: Clock;
  #free: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does `work`, turn by turn. Rejects with what it throws, and with the reason of `signal` once that gives it up. */
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
