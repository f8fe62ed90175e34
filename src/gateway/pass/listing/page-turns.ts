import type { Clock } from '../../../base/clock.ts';
import { FairTurns } from './fair-turns.ts';

/** Time slice of one listing; a step that has begun is finished. */
const SLICE_MS = 2;

/**
 * Pages in work at a time. A page in work needs memory for its parsed elements, several times that of its text, and
 * with fewer at a time each ends earlier. With one, a large page would hold up all small ones.
 */
const limits = { turns: 2, waiting: 1_000, waitMs: 10_000 };

/** Work divided into steps of a millisecond or less. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Schedules the CPU work of a worker's listings in slices of a few milliseconds, with a pause after each that is at
 * least as long. Parsing a page of a thousand names takes tens of milliseconds, and clients may request any number of
 * pages at once. Other requests keep half of the thread and wait for one slice at most, and a long page does not block
 * a short one.
 */
export class PageTurns {
  readonly #clock: Clock;
  readonly #turns: FairTurns;
  #free: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turns = new FairTurns(limits, clock);
  }

  /** The pages in work and waiting. */
  get counts(): FairTurns['counts'] {
    return this.#turns.counts;
  }

  /**
   * Runs `work` for `client`, slice by slice. Rejects with what it throws, with the reason of `signal` when that
   * aborts, or with OverloadedError when its turn does not come.
   */
  async take<Result>(client: string, work: Steps<Result>, signal: AbortSignal): Promise<Result> {
    const turn = await this.#turns.take(client, signal);
    try {
      return await this.inSlices(work, signal);
    } finally {
      turn.end();
    }
  }

  /** The same at once, for short work that needs little memory. */
  async inSlices<Result>(work: Steps<Result>, signal: AbortSignal): Promise<Result> {
    for (;;) {
      const before = this.#free;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#free = promise;
      await before;
      const startMs = this.#clock.monotonicMs();
      try {
        signal.throwIfAborted();
        let step = work.next();
        while (!step.done && this.#clock.monotonicMs() - startMs < SLICE_MS) step = work.next();
        if (step.done) return step.value;
      } finally {
        const tookMs = this.#clock.monotonicMs() - startMs;
        if (tookMs > 0) this.#clock.after(tookMs, resolve);
        else resolve();
      }
    }
  }
}
