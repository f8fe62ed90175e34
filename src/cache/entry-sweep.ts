import type { Clock } from '../base/clock.ts';
import type { EntryTable } from './entry-table.ts';

/** How long one slice takes; the pause behind it is as long at least. */
const SLICE_MS = 2;
const MIN_PAUSE_MS = 1;

/** Steps of the walk between two looks at the clock. */
const STEPS = 32;

/**
 * Gives back the memory of what was purged, in the background. Purges take effect without it, so all that are raised during a
 * walk share the next one.
 */
export class EntrySweep {
  readonly #table: Pick<EntryTable, 'names' | 'reclaim'>;
  readonly #clock: Clock;
  /** What is left of the walk that runs. */
  #names: Iterator<string | undefined> | undefined;
  #isDue = false;

  constructor(table: Pick<EntryTable, 'names' | 'reclaim'>, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  /** Whether there may be something left to give back. */
  get isRunning(): boolean {
    return this.#names !== undefined;
  }

  /** There is something to give back. */
  start(): void {
    this.#isDue = true;
    if (!this.#names) this.#walk();
  }

  #walk(): void {
    this.#isDue = false;
    this.#names = this.#table.names();
    this.#clock.after(MIN_PAUSE_MS, this.#slice);
  }

  readonly #slice = (): void => {
    const startMs = this.#clock.monotonicMs();
    let tookMs = 0;
    while (tookMs < SLICE_MS && this.#go()) tookMs = this.#clock.monotonicMs() - startMs;
    if (this.#names) this.#clock.after(Math.max(MIN_PAUSE_MS, tookMs), this.#slice);
    else if (this.#isDue) this.#walk();
  };

  /** Whether there is more to walk. */
  #go(): boolean {
    for (let left = STEPS; left > 0; left--) {
      const next = this.#names?.next();
      if (!next || next.done) {
        this.#names = undefined;
        return false;
      }
      if (next.value !== undefined) this.#table.reclaim(next.value);
    }
    return true;
  }
}
