import type { Clock } from '../base/clock.ts';
import type { Kept } from './aged-runs.ts';
import type { EvictionQueue } from './eviction-queue.ts';
import type { RunTable } from './run-table.ts';

/**
 * Share of the memory that contents which were read again keep, the smallest first, as long as there is anything else to evict or
 * something is being filled. It is better to wait for that, and then evict what was fetched once, than to fetch again what is read
 * again and again. Answers are lent half of the pages at most, so a quarter is left for what is being fetched.
 */
const KEPT_SHARE = 1 / 4;

/**
 * They stay for this long, at least, after they were found read again, however much is allocated meanwhile: a few hundred clients
 * that fetch large objects allocate a small memory many times in a second.
 */
const KEPT_MS = 60_000;

interface EvictableSlots {
  readonly runs: Pick<RunTable, 'pages' | 'granulesPerPage'>;
  readonly queue: Pick<EvictionQueue, 'mainClock'>;
}

/** What stays of the contents that were read again. */
export class KeptShare {
  readonly #slots: EvictableSlots;
  readonly #granules: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** When the clock of the main queue was read, and what it showed then and the time before. */
  #readMs = Number.NEGATIVE_INFINITY;
  #shown = 0;
  #shownBefore = 0;

  constructor(slots: EvictableSlots, clock: Pick<Clock, 'monotonicMs'>) {
    this.#slots = slots;
    this.#clock = clock;
    this.#granules = slots.runs.pages * slots.runs.granulesPerPage * KEPT_SHARE;
  }

  /** What stays at the moment; has to be asked at each eviction, since it also reads the clocks. */
  current(): Kept {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readMs > KEPT_MS) {
      this.#readMs = nowMs;
      this.#shownBefore = this.#shown;
      this.#shown = this.#slots.queue.mainClock;
    }
    return { granules: this.#granules, since: this.#shownBefore };
  }
}
