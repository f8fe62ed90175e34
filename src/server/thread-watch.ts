import type { Clock, Timer } from '../base/clock.ts';
import type { Rpc } from '../base/rpc.ts';

const TICK_MS = 500;
/** Ticks without an answer. They are counted and not time, so that a process that slept blames nobody. */
const SILENT_TICKS = 2;
const HUNG_TICKS = 20;

export interface WatchedThread {
  /** It has not answered for a second; and later, that it has. */
  readonly onSilent: (isSilent: boolean) => void;
  /** It has not answered for so long that it is not going to. Called once; nothing is watched after it. */
  readonly onHung: (silentMs: number) => void;
}

/** Asks the thread behind `rpc` again and again whether its event loop turns, until the given timer is cancelled. */
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
    // it fails when the thread has ended, and whoever watches it cancels the timer then
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
