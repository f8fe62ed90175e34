import type { Clock, Timer } from './clock.ts';

/** A timer that runs so much later than it was due shows that this thread was blocked. */
const LATE_MS = 20;

/** Time to read what arrived while the thread was blocked: timers run before sockets are read. */
const GRACE_MS = 500;

/** Calls `due` after `delayMs`, and if this thread was blocked by then, after a grace period; nothing extends it twice. */
export function afterReading(clock: Clock, delayMs: number, due: () => void): Timer {
  const dueMs = clock.monotonicMs() + delayMs;
  let timer = clock.after(delayMs, () => {
    if (clock.monotonicMs() <= dueMs + LATE_MS) due();
    else timer = clock.after(GRACE_MS, due);
  });
  return { cancel: () => timer.cancel() };
}
