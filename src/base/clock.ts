import { performance } from 'node:perf_hooks';

/** Time, injected so that tests can control it. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  nowMs(): number;
  /** Milliseconds since an arbitrary fixed moment, the same for all threads of the process; never goes back. */
  monotonicMs(): number;
  /** Calls `callback` once after `delayMs` milliseconds, at once for what is past, unless cancelled before. */
  after(delayMs: number, callback: () => void): Timer;
}

/** A scheduled call. */
export interface Timer {
  cancel(): void;
}

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timeout = setTimeout(callback, Math.max(0, delayMs));
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};
