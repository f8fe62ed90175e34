import type { Clock, Timer } from '../base/clock.ts';
import type { Rpc } from '../base/rpc.ts';

const TICK_MS = 500;
/**
 * Unanswered checks. Ticks are counted instead of time, so that suspending the process does not make threads look
 * blocked.
 */
const SILENT_TICKS = 2;
const HUNG_TICKS = 20;

interface WatchedThread {
  /** Called when the thread has not answered for a second, and again when it answers. */
  readonly onSilent: (isSilent: boolean) => void;
  /** Called once, when the thread has not answered for so long that it is considered dead; watching then ends. */
  readonly onHung: (silentMs: number) => void;
}

/**
 * Checks periodically that the event loop of the thread behind `rpc` is running, until the returned timer is cancelled.
 */
export function watchThread(rpc: Rpc, clock: Clock, { onSilent, onHung }: WatchedThread): Timer {
  let silentTicks = 0;
  let isAsked = false;
  let isCancelled = false;
  let timer: Timer;
  const tick = () => {
    silentTicks = isAsked ? silentTicks + 1 : 0;
    if (silentTicks >= HUNG_TICKS) {
      onHung(silentTicks * TICK_MS);
      return;
    }
    timer = clock.after(TICK_MS, tick);
    if (silentTicks === SILENT_TICKS) onSilent(true);
    if (!isAsked) ask();
  };
  const ask = () => {
    isAsked = true;
    const answered = () => {
      isAsked = false;
      if (silentTicks >= SILENT_TICKS && !isCancelled) onSilent(false);
    };
    // rejects when the thread has ended; the owner then cancels the timer
    rpc.call('ping', undefined).then(answered, answered);
  };
  timer = clock.after(TICK_MS, tick);
  return {
    cancel: () => {
      isCancelled = true;
      timer.cancel();
    },
  };
}
