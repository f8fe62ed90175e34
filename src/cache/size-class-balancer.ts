import type { EvictionQueue } from './eviction-queue.ts';
import type { PageTable } from './page-table.ts';
import { slotsInPage } from './size-class.ts';

/**
 * Pages with reused slots are not given to a class whose own next victim is still in the small queue, until the whole
 * memory has been allocated this many times without another read. Long enough for contents that are read occasionally;
 * contents that are no longer read do not stay for ever.
 */
const SPARED_FOR_TURNS = 8;

/**
 * Share of the pages, at least one, that a class keeps for contents that were read again as recently: a burst of large
 * objects would otherwise evict hundreds of small ones for the room of one block.
 */
const KEPT_SHARE = 1 / 16;

/** Decides which size class gives up a slot or a page. The eviction queues know only their own class. */
export class SizeClassBalancer {
  readonly #queues: readonly EvictionQueue[];
  readonly #pages: PageTable;
  readonly #inMain: Uint8Array;
  readonly #isInUse: (slots: readonly number[]) => boolean;

  /**
   * @param queues one per size class
   * @param inMain see `EvictionQueue`
   * @param isInUse whether one of the slots is being filled or read
   */
  constructor(
    queues: readonly EvictionQueue[],
    pages: PageTable,
    inMain: Uint8Array,
    isInUse: (slots: readonly number[]) => boolean,
  ) {
    this.#isInUse = isInUse;
    this.#queues = queues;
    this.#pages = pages;
    this.#inMain = inMain;
  }

  /**
   * The class with the oldest next victim, by the time it was filled or last found reused; `wanted` needs the room. A
   * class whose own slots are all still to be read takes from others, even contents that were read again.
   */
  classFor(wanted: number): number {
    const own = this.#queues[wanted]?.peek();
    if (own === undefined || this.#queues[wanted]?.spares(own))
      return this.#other(wanted, true) ?? this.#other(wanted, false) ?? wanted;
    return this.#other(wanted, this.#inMain[own] === 0, this.#pages.takenAt(own)) ?? wanted;
  }

  /** The class other than `wanted` with the oldest next victim, if that is older than `stamp`. */
  #other(wanted: number, sparesReadAgain: boolean, stamp = Number.POSITIVE_INFINITY): number | undefined {
    let oldest: number | undefined;
    let oldestStamp = stamp;
    for (const [sizeClass, queue] of this.#queues.entries()) {
      const victim = sizeClass === wanted ? undefined : queue.peek();
      if (victim === undefined || this.#pages.takenAt(victim) >= oldestStamp) continue;
      if (!this.#mayGive(sizeClass, queue, victim, sparesReadAgain)) continue;
      oldest = sizeClass;
      oldestStamp = this.#pages.takenAt(victim);
    }
    return oldest;
  }

  /** Whether the page of `victim` can be cleared. */
  #mayGive(sizeClass: number, queue: EvictionQueue, victim: number, sparesReadAgain: boolean): boolean {
    const slots = this.#pages.takenIn(victim);
    if (this.#isInUse(slots) || slots.some(slot => queue.spares(slot))) return false;
    const isSpared = sparesReadAgain || this.#isSmall(sizeClass, queue);
    return !(isSpared && this.#holdsReadAgain(victim));
  }

  /** Whether a class has no more pages than it keeps. */
  #isSmall(sizeClass: number, queue: EvictionQueue): boolean {
    return queue.length <= slotsInPage(sizeClass) * Math.max(1, Math.floor(this.#pages.count * KEPT_SHARE));
  }

  /** Whether the page of `slot`, all of which would be evicted, contains a slot that was reused recently enough. */
  #holdsReadAgain(slot: number): boolean {
    return this.#pages.takenIn(slot).some(local => {
      const since = this.#pages.takenPages - this.#pages.takenAt(local);
      return this.#inMain[local] === 1 && since < SPARED_FOR_TURNS * this.#pages.count;
    });
  }
}
