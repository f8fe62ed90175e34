import type { Clock } from '../../src/base/clock.ts';

/** Waits of less than this are for other threads and processes, which know nothing of the hurry. */
const SHORT_MS = 1_000;

/** How much faster the time of `fixtures/hurried-supervisor.ts` is. */
export const HURRY = 5;

/**
 * A clock that goes `times` as fast as `clock`, from a moment on that all processes agree on: for what happens in
 * another process, where no test can move a clock by hand.
 */
export function hurried(clock: Clock, times: number): Clock {
  return {
    nowMs: () => clock.nowMs() * times - startMs * (times - 1),
    monotonicMs: () => clock.monotonicMs() * times,
    after: (delayMs, callback) => clock.after(delayMs < SHORT_MS ? delayMs : delayMs / times, callback),
  };
}

/** Earlier than any run, late enough for the dates of cards. */
const startMs = Date.UTC(2026, 0, 1);
