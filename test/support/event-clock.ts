import type { Timer } from '../../src/base/clock.ts';
import { ManualClock } from './manual-clock.ts';

/** A manual clock that can be moved from timer to timer, with everything they begin done in between. */
export class EventClock extends ManualClock {
  readonly #dueMs = new Set<{ readonly atMs: number }>();

  override after(delayMs: number, callback: () => void): Timer {
    const due = { atMs: this.monotonicMs() + Math.max(0, delayMs) };
    this.#dueMs.add(due);
    const timer = super.after(Math.max(0, delayMs), () => {
      this.#dueMs.delete(due);
      callback();
    });
    return {
      cancel: () => {
        this.#dueMs.delete(due);
        timer.cancel();
      },
    };
  }

  /** How long until the next timer is due; nothing when there is none. */
  untilNextMs(): number | undefined {
    const next = Math.min(...[...this.#dueMs].map(due => due.atMs));
    return Number.isFinite(next) ? next - this.monotonicMs() : undefined;
  }

  /** Moves on by `milliseconds`, timer by timer; `afterEach` sees every state in between. */
  async run(milliseconds: number, afterEach: () => void = () => undefined): Promise<void> {
    const endMs = this.monotonicMs() + milliseconds;
    await settle();
    for (let next = this.untilNextMs(); next !== undefined; next = this.untilNextMs()) {
      if (this.monotonicMs() + next > endMs) break;
      this.advance(next);
      await settle();
      afterEach();
    }
    this.advance(endMs - this.monotonicMs());
    await settle();
    afterEach();
  }
}

/** Until all promises that can settle without time passing have done so. */
function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
