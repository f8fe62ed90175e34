import type { EvictionQueue } from './eviction-queue.ts';
import type { PageTable } from './page-table.ts';

/**
 * Pages with reused slots are not given to a class whose own next victim is still in the small queue, until the whole
 * memory has been allocated this many times without another read. Long enough for contents that are read occasionally;
 * contents that are no longer read do not stay for ever.
 */
const SPARED_FOR_TURNS = 8;

/** Decides which size class gives up a slot or a page. The eviction queues know only their own class. */
export class SizeClassBalancer {
  readonly #queues: readonly EvictionQueue[];
  readonly #pages: PageTable;
  readonly #inMain: Uint8Array;

  /**
   * @param queues one per size class
   * @param inMain see `EvictionQueue`
   */
  constructor(queues: readonly EvictionQueue[], pages: PageTable, inMain: Uint8Array) {
    this.#queues = queues;
    this.#pages = pages;
    this.#inMain = inMain;
  }

  /** The class with the oldest next victim, by the time it was filled or last found reused; `wanted` needs the room. */
  classFor(wanted: number): number {
    const own = this.#queues[wanted]?.peek();
    const sparesReadAgain = own === undefined || this.#inMain[own] === 0;
    const stamp = own === undefined ? Number.POSITIVE_INFINITY : this.#pages.takenAt(own);
    return this.#other(wanted, sparesReadAgain, stamp) ?? wanted;
  }

  /** The class other than `wanted` with the oldest next victim, if that is older than `stamp`. */
  #other(wanted: number, sparesReadAgain: boolean, stamp: number): number | undefined {
    let oldest: number | undefined;
    let oldestStamp = stamp;
    for (const [sizeClass, queue] of this.#queues.entries()) {
      const victim = sizeClass === wanted ? undefined : queue.peek();
      if (victim === undefined || this.#pages.takenAt(victim) >= oldestStamp) continue;
      if (sparesReadAgain && this.#holdsReadAgain(victim)) continue;
      oldest = sizeClass;
      oldestStamp = this.#pages.takenAt(victim);
    }
    return oldest;
  }

  /** Whether the page of `slot`, all of which would be evicted, contains a slot that was reused recently enough. */
  #holdsReadAgain(slot: number): boolean {
    return this.#pages.takenIn(slot).some(local => {
      const since = this.#pages.takenPages - this.#pages.takenAt(local);
      return this.#inMain[local] === 1 && since < SPARED_FOR_TURNS * this.#pages.count;
    });
  }
}
