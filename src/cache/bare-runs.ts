/** Share of all granules that texts without blocks have at most, and how many there are at most: each costs some heap. */
const GRANULE_SHARE = 1 / 8;
const MOST_RUNS = 65_536;

/** An iterator is given up after so many changes, and as many more as there are runs: V8 keeps what has gone since it was moved. */
const CHANGES_KEPT = 1_024;

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
  /** At the oldest of them: all before it have gone, or are at the end. A new one would pass over the gaps that they have left. */
  #next = this.#order.values();
  /** Since it was moved on. */
  #changes = 0;
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
    this.#changes++;
    if (this.#changes > this.#order.size + CHANGES_KEPT) this.#begin();
  }

  /** Whether there is room in their share for one of `length` granules, for which others may have gone. */
  makeRoom(length: number): boolean {
    for (let looks = LOOKS; looks > 0 && !this.#hasRoom(length); looks--) {
      const run = this.#oldest();
      if (run === undefined) return false;
      const isSpared = looks > 1 && this.#runs.spares(run);
      if (isSpared || !this.#runs.evict(run)) {
        this.#order.delete(run);
        this.#order.add(run);
      }
    }
    return this.#hasRoom(length);
  }

  /** Whoever asks for it removes it, or puts it at the end. */
  #oldest(): number | undefined {
    this.#changes = 0;
    const step = this.#next.next();
    if (!step.done) return step.value;
    this.#begin();
    return this.#next.next().value;
  }

  #begin(): void {
    this.#next = this.#order.values();
    this.#changes = 0;
  }

  #hasRoom(length: number): boolean {
    return this.#granules + length <= this.#mostGranules && this.#order.size < MOST_RUNS;
  }
}
