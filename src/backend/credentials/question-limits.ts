import type { Clock, Timer } from '../../base/clock.ts';

/** When a question to a source of credentials is given up, whatever it waits for. */
export interface QuestionLimits {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Gives the question up before its time. */
  readonly signal: AbortSignal;
}

/** Calls `end` once when the question is given up, with the reason in words; `cancel` when it is over. */
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
