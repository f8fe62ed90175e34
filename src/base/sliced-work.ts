import type { Clock } from './clock.ts';
import type { FairTurns } from './fair-turns.ts';

/** The time slice of one job; a step that has begun is finished. */
const SLICE_MS = 2;

/** Work divided into steps of a millisecond or less. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Schedules CPU work in slices of a few milliseconds, with a pause after each that is at least as long. So what else
 * the thread does keeps half of it and waits for one slice at most, and long work does not block short work.
 */
export class SlicedWork {
  readonly #turns: FairTurns;
  readonly #clock: Clock;
  #free: Promise<void> = Promise.resolve();

  /** @param turns how many jobs are in work at a time, and whose is next */
  constructor(turns: FairTurns, clock: Clock) {
    this.#turns = turns;
    this.#clock = clock;
  }

  /** The jobs in work and waiting. */
  get counts(): FairTurns['counts'] {
    return this.#turns.counts;
  }

  /**
   * Runs `work` for `client`, slice by slice. Rejects with what it throws, with the reason of `signal` when that
   * aborts, or with the error for overload when its turn does not come.
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
