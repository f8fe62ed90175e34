import { Oldest } from './oldest.ts';

/** Share of all granules that texts without blocks have at most, and how many there are at most: each costs some heap. */
const GRANULE_SHARE = 1 / 8;
const MOST_RUNS = 65_536;

/** How many are spared at most while one is looked for that goes. */
const LOOKS = 64;

/** What can be done with a run. */
interface Runs {
  lengthOf(run: number): number;
  /** Whether it was read again; it has its second chance by this. */
  spares(run: number): boolean;
  /** Frees it, and calls `removed`; false while somebody reads it. */
  evict(run: number): boolean;
}

/**
 * The runs of texts without blocks, in the order in which they came. They are many, small and made by names that clients make up:
 * beside blocks in one queue they would take all of the memory, so they make room for one another beyond their share.
 */
export class BareRuns {
  readonly #runs: Runs;
  readonly #mostGranules: number;
  readonly #order = new Set<number>();
  readonly #oldest = new Oldest(this.#order);
  #granules = 0;

  /** @param granules in all */
  constructor(runs: Runs, granules: number) {
    this.#runs = runs;
    this.#mostGranules = granules * GRANULE_SHARE;
  }

  add(run: number): void {
    this.#order.add(run);
    this.#granules += this.#runs.lengthOf(run);
  }

  removed(run: number): void {
    if (!this.#order.delete(run)) return;
    this.#granules -= this.#runs.lengthOf(run);
    this.#oldest.removed(run);
  }

  /** Whether there is room in their share for one of `length` granules, for which others may have gone. */
  makeRoom(length: number): boolean {
    for (let looks = LOOKS; looks > 0 && !this.#hasRoom(length); looks--) {
      const run = this.#oldest.key;
      if (run === undefined) return false;
      const isSpared = looks > 1 && this.#runs.spares(run);
      if (isSpared || !this.#runs.evict(run)) this.#putLast(run);
    }
    return this.#hasRoom(length);
  }

  #putLast(run: number): void {
    this.#order.delete(run);
    this.#oldest.removed(run);
    this.#order.add(run);
  }

  #hasRoom(length: number): boolean {
    return this.#granules + length <= this.#mostGranules && this.#order.size < MOST_RUNS;
  }
}
