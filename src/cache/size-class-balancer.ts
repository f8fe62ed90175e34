import type { EvictionQueue } from './eviction-queue.ts';
import { type PageSearch, pageLoss } from './page-search.ts';
import type { PageTable } from './page-table.ts';

/** Decides which size class gives up a slot or a page. The eviction queues know only their own class. */
export class SizeClassBalancer {
  readonly #queues: readonly EvictionQueue[];
  readonly #pages: PageTable;
  readonly #inMain: Uint8Array;
  readonly #search: PageSearch;
  readonly #isFilling: () => boolean;

  /**
   * @param queues one per size class
   * @param inMain see `EvictionQueue`
   * @param isFilling whether any slot is being filled
   */
  constructor(
    queues: readonly EvictionQueue[],
    pages: PageTable,
    inMain: Uint8Array,
    search: PageSearch,
    isFilling: () => boolean,
  ) {
    this.#queues = queues;
    this.#pages = pages;
    this.#inMain = inMain;
    this.#search = search;
    this.#isFilling = isFilling;
  }

  /**
   * A slot of the page to clear for class `wanted`; undefined when that should evict a slot of its own. The page is
   * that of the oldest next victim of the other classes, by the time it was filled or last found reused. A class whose
   * own slots are all still to be read takes from others, even contents that were read again.
   */
  pageFor(wanted: number): number | undefined {
    const queue = this.#queues[wanted];
    const own = queue?.peek();
    if (own !== undefined && !queue?.spares(own))
      return this.#other(wanted, this.#inMain[own] === 0, this.#pages.takenAt(own));
    const victim = this.#other(wanted, true) ?? this.#other(wanted, false);
    // next victims may all lie in pages that are spared or in use, others not
    return victim ?? (own === undefined ? this.anyPage() : this.#search.find(pageLoss.readAgain));
  }

  /**
   * A slot of a page that can be cleared, as long as nobody uses it. While others are being filled, what classes keep
   * stays: it is better to wait for those fills, and then evict what was fetched once, than to fetch again what is read
   * again and again.
   */
  anyPage(): number | undefined {
    return this.#search.find((this.#isFilling() ? pageLoss.kept : pageLoss.inUse) - 1);
  }

  /** The next victim of the class with the most slots that are not being filled. */
  victimOfMost(): number | undefined {
    let most = this.#queues[0];
    for (const queue of this.#queues) if (queue.length > (most?.length ?? 0)) most = queue;
    return most?.peek();
  }

  /** The oldest next victim of other classes than `wanted`, if it is older than `stamp` and its page can be cleared. */
  #other(wanted: number, sparesReadAgain: boolean, stamp = Number.POSITIVE_INFINITY): number | undefined {
    const mostLoss = sparesReadAgain ? pageLoss.nothing : pageLoss.readAgain;
    let oldest: number | undefined;
    let oldestStamp = stamp;
    for (const [sizeClass, queue] of this.#queues.entries()) {
      const victim = sizeClass === wanted ? undefined : queue.peek();
      if (victim === undefined || this.#pages.takenAt(victim) >= oldestStamp) continue;
      if (this.#search.lossOf(victim) > mostLoss) continue;
      oldest = victim;
      oldestStamp = this.#pages.takenAt(victim);
    }
    return oldest;
  }
}
