import type { Clock, Timer } from '../base/clock.ts';
import type { Rpc } from './rpc.ts';

const TICK_MS = 1_000;
/** So many ticks without an answer. Ticks are counted and not time, so that a process that slept kills nobody. */
const PATIENCE_TICKS = 10;

/**
 * Asks the thread behind `rpc` again and again whether its event loop turns, until the given timer is cancelled. Calls
 * `onHung` once, with how long it has been silent, when it does not.
 */
export function watchThread(rpc: Rpc, clock: Clock, onHung: (silentMs: number) => void): Timer {
  let silentTicks = 0;
  let isAsked = false;
  let timer: Timer;
  const tick = () => {
    silentTicks = isAsked ? silentTicks + 1 : 0;
    if (silentTicks >= PATIENCE_TICKS) {
      onHung(silentTicks * TICK_MS);
      return;
    }
    if (!isAsked) ask();
    timer = clock.after(TICK_MS, tick);
  };
  const ask = () => {
    isAsked = true;
    const answered = () => {
      isAsked = false;
    };
    // it fails when the thread has ended, and whoever watches it cancels the timer then
    rpc.call('ping', undefined).then(answered, answered);
  };
  timer = clock.after(TICK_MS, tick);
  return { cancel: () => timer.cancel() };
}
