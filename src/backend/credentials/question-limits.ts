import type { Clock, Timer } from '../../base/clock.ts';

/** The time limit of one request to a source of credentials. */
export interface QuestionLimits {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Aborts the request before its time limit. */
  readonly signal: AbortSignal;
}

/** Calls `end` once when the request is aborted, with the reason in words. Call `cancel` when the request has ended. */
export function onLimit({ timeoutMs, clock, signal }: QuestionLimits, end: (why: string) => void): Timer {
  const timer = clock.after(timeoutMs, () => stop(`did not end within ${timeoutMs / 1_000} s`));
  const aborted = () => stop('was given up');
  const cancel = () => {
    timer.cancel();
    signal.removeEventListener('abort', aborted);
  };
  const stop = (why: string) => {
    cancel();
    end(why);
  };
  signal.addEventListener('abort', aborted);
  if (signal.aborted) aborted();
  return { cancel };
}
