import type { EvictionQueue } from './eviction-queue.ts';
import type { PageTable } from './page-table.ts';

/**
 * What has been read again is not given up for a slot of another class whose own contents are on trial, until so many
 * times the memory has been given out without another reader: long enough for what is read now and then, while no class
 * keeps for ever what nobody needs any more.
 */
const SPARED_FOR_TURNS = 8;

/** Which size class gives up a slot, or a page: the eviction queue of each knows its own slots alone. */
export class SizeClassBalancer {
  readonly #queues: readonly EvictionQueue[];
  readonly #pages: PageTable;
  readonly #inMain: Uint8Array;

  /**
   * @param queues one for each size class.
   * @param inMain of the queues, see `EvictionQueue`.
   */
  constructor(queues: readonly EvictionQueue[], pages: PageTable, inMain: Uint8Array) {
    this.#queues = queues;
    this.#pages = pages;
    this.#inMain = inMain;
  }

  /** The class whose next victim was filled, or looked at and found read again, longest ago; `wanted` is to have the room. */
  classFor(wanted: number): number {
    const own = this.#queues[wanted]?.peek();
    const sparesReadAgain = own === undefined || this.#inMain[own] === 0;
    const stamp = own === undefined ? Number.POSITIVE_INFINITY : this.#pages.takenAt(own);
    return this.#other(wanted, sparesReadAgain, stamp) ?? wanted;
  }

  /** The class but for `wanted` whose next victim is the oldest, if that is older than `stamp`. */
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

  /** Whether something in the page of `slot`, all of which would go, has been read again, and not too long ago. */
  #holdsReadAgain(slot: number): boolean {
    return this.#pages.takenIn(slot).some(local => {
      const since = this.#pages.takenPages - this.#pages.takenAt(local);
      return this.#inMain[local] === 1 && since < SPARED_FOR_TURNS * this.#pages.count;
    });
  }
}
