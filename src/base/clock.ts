import { performance } from 'node:perf_hooks';

/** Time, injected wherever it matters so that tests can move it by hand. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  nowMs(): number;
  /** Milliseconds since some fixed moment; never steps back. */
  monotonicMs(): number;
  /** Calls `callback` once after `delayMs` milliseconds, unless cancelled before. */
  after(delayMs: number, callback: () => void): Timer;
}

/** A call that is going to happen. */
export interface Timer {
  cancel(): void;
}

/** The machine's own clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timeout = setTimeout(callback, delayMs);
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};
