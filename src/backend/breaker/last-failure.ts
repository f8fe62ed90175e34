import type { Clock, Timer } from '../../base/clock.ts';

/** A store that is called more often than this shows by itself how it is. */
export const IDLE_MS = 30_000;

interface LastFailureOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  /** Asks the store; `judged` is called at most once. */
  ask(judged: (isAlive: boolean) => void): void;
}

/**
 * Sees to it that a store whose last call has failed, and which nobody calls any more, is asked now and then until it answers: else
 * nothing would ever tell the metrics and alerts that it is well again.
 */
export class LastFailure {
  readonly #options: LastFailureOptions;
  /** The last call failed, and no question has been answered since. */
  #isDoubted = false;
  #isStopped = false;
  #failedMs = -Infinity;
  #timer: Timer | undefined;

  constructor(options: LastFailureOptions) {
    this.#options = options;
  }

  failed(): void {
    this.#isDoubted = true;
    this.#failedMs = this.#options.clock.monotonicMs();
    if (!this.#timer && !this.#isStopped) this.#schedule(IDLE_MS);
  }

  succeeded(): void {
    this.#isDoubted = false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #schedule(delayMs: number): void {
    this.#timer = this.#options.clock.after(delayMs, () => {
      this.#timer = undefined;
      if (this.#isDoubted) this.#whenIdle();
    });
  }

  #whenIdle(): void {
    const leftMs = this.#failedMs + IDLE_MS - this.#options.clock.monotonicMs();
    this.#schedule(leftMs > 0 ? leftMs : IDLE_MS);
    if (leftMs > 0) return;
    this.#options.ask(isAlive => {
      if (isAlive) this.#isDoubted = false;
    });
  }
}
