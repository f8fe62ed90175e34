import type { Clock } from '../../base/clock.ts';

/**
 * Has the pages of all listings of a worker read one after the other, with at least as much time in between as the last one
 * took: reading a page of a thousand names takes the event loop for milliseconds, and clients may ask for any number of
 * them at once. Other requests keep half of the thread.
 */
export class PageTurns {
  readonly #clock: Clock;
  #free: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does `read` in its turn. Rejects with what it throws. */
  async take<Page>(read: () => Page): Promise<Page> {
    const before = this.#free;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#free = promise;
    await before;
    const startMs = this.#clock.monotonicMs();
    try {
      return read();
    } finally {
      const tookMs = this.#clock.monotonicMs() - startMs;
      if (tookMs > 0) this.#clock.after(tookMs, resolve);
      else resolve();
    }
  }
}
