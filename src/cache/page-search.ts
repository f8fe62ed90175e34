import type { EvictionQueue } from './eviction-queue.ts';
import type { PageTable } from './page-table.ts';
import { MAX_SLOTS_PER_PAGE, sizeClassCount, slotsInPage } from './size-class.ts';

/**
 * What would be lost if a page were cleared; a page may contain several. In the order of their numbers: the sum tells
 * which of two pages to clear first.
 */
export const pageLoss = {
  nothing: 0,
  /** Contents that were read again recently, of a class that has many pages. */
  readAgain: 1,
  /** Blocks that are spared until their first read. */
  unread: 2,
  /** Contents that were read again recently, of a class that has no more pages than it keeps. */
  kept: 4,
  /** A slot is being filled or read: the page cannot be cleared. */
  inUse: 8,
} as const;

/**
 * Contents that were read again protect their page from a class whose own next victim is still in the small queue,
 * until the whole memory has been allocated this many times without another read. Long enough for contents that are
 * read occasionally; contents that are no longer read do not stay for ever.
 */
const SPARED_FOR_TURNS = 8;

/**
 * Share of the pages, at least one, that a class keeps for contents that were read again as recently: a burst of large
 * objects would otherwise evict hundreds of small ones for the room of one block.
 */
const KEPT_SHARE = 1 / 16;

/**
 * Share of the pages, at least one, that all classes together keep. Answers are lent half of the pages at most, so a
 * quarter is left for what is being fetched, whatever sizes the contents have that are read again.
 */
const KEPT_IN_ALL_SHARE = 1 / 4;

/**
 * What a class keeps stays for this long after it was found read again, however much is allocated meanwhile: a few hundred
 * clients that fetch large objects allocate a small memory many times in a second.
 */
const KEPT_MS = 60_000;

/**
 * How many slots one search looks at, whatever the size of the memory; it ends with a page. It looks at more only to
 * lose less than by the page that it has found.
 */
const LOOKS = 128;
const LOOKS_FOR_BETTER = 1_024;

/** Finds pages that can be cleared. */
export class PageSearch {
  readonly #queues: readonly EvictionQueue[];
  readonly #pages: PageTable;
  readonly #inMain: Uint8Array;
  readonly #isInUse: (slot: number) => boolean;
  /** Pages that one class keeps at most, and all classes together. */
  readonly #keptPages: number;
  readonly #keptInAll: number;
  /** The page where the next search begins. */
  #nextPage = 0;
  #looks = 0;

  /**
   * @param queues one per size class
   * @param inMain see `EvictionQueue`
   * @param isInUse whether a slot is being filled or read
   */
  constructor(
    queues: readonly EvictionQueue[],
    pages: PageTable,
    inMain: Uint8Array,
    isInUse: (slot: number) => boolean,
  ) {
    this.#queues = queues;
    this.#pages = pages;
    this.#inMain = inMain;
    this.#isInUse = isInUse;
    this.#keptPages = Math.max(1, Math.floor(pages.count * KEPT_SHARE));
    this.#keptInAll = Math.max(1, Math.floor(pages.count * KEPT_IN_ALL_SHARE));
  }

  /**
   * A slot of the page to clear: with the smallest loss, at most `mostLoss`, among those that this search looks at; of
   * equals the one whose slots have all been there for longest. The next search begins where this one ends.
   */
  find(mostLoss: number): number | undefined {
    let found: number | undefined;
    let foundLoss = mostLoss;
    let foundStamp = Number.POSITIVE_INFINITY;
    this.#looks = 0;
    for (let pages = this.#pages.usedPages; pages > 0; pages--) {
      const limit = found === undefined || foundLoss === pageLoss.nothing ? LOOKS : LOOKS_FOR_BETTER;
      if (this.#looks >= limit) break;
      const slot = this.#takeNextPage();
      const loss = this.lossOf(slot);
      if (loss > foundLoss) continue;
      const stamp = this.#stampOf(slot);
      if (loss === foundLoss && stamp >= foundStamp) continue;
      found = slot;
      foundLoss = loss;
      foundStamp = stamp;
    }
    return found;
  }

  /**
   * What is lost when the page of `slot` is cleared: a sum of `pageLoss`. All its slots get the second chance that a
   * next victim gets.
   */
  lossOf(slot: number): number {
    if (!this.#pages.isCarved(slot)) return pageLoss.inUse;
    const sizeClass = this.#pages.classOf(slot);
    const queue = this.#queues[sizeClass];
    const first = slot - (slot % MAX_SLOTS_PER_PAGE);
    let loss: number = pageLoss.nothing;
    const isKept = this.#isKept(sizeClass);
    let isEmpty = true;
    for (let other = first; other < first + slotsInPage(sizeClass); other++) {
      this.#looks++;
      if (!this.#pages.isTaken(other)) continue;
      if (this.#isInUse(other)) return pageLoss.inUse;
      isEmpty = false;
      queue?.promote(other);
      loss |= queue?.spares(other) ? pageLoss.unread : this.#lossOfRead(other, isKept);
    }
    // a page without contents was not recarved because readers still hold slots of it
    return isEmpty ? pageLoss.inUse : loss;
  }

  #takeNextPage(): number {
    const page = this.#nextPage < this.#pages.usedPages ? this.#nextPage : 0;
    this.#nextPage = page + 1;
    return page * MAX_SLOTS_PER_PAGE;
  }

  /** When the last of the slots of a page was taken or renewed. */
  #stampOf(slot: number): number {
    const sizeClass = this.#pages.classOf(slot);
    let newest = Number.NEGATIVE_INFINITY;
    for (let other = slot; other < slot + slotsInPage(sizeClass); other++)
      if (this.#pages.isTaken(other)) newest = Math.max(newest, this.#pages.takenAt(other));
    return newest;
  }

  #lossOfRead(slot: number, isKept: boolean): number {
    const turns = (this.#pages.takenPages - this.#pages.takenAt(slot)) / this.#pages.count;
    if (this.#inMain[slot] === 0) return pageLoss.nothing;
    if (turns < SPARED_FOR_TURNS) return isKept ? pageLoss.kept : pageLoss.readAgain;
    return isKept && this.#pages.renewedAgoMs(slot) < KEPT_MS ? pageLoss.kept : pageLoss.nothing;
  }

  /** Whether a class keeps what was read again. Of classes that would keep too much together, the smaller slots do. */
  #isKept(wanted: number): boolean {
    if (!this.#isSmall(wanted)) return false;
    let keptPages = 0;
    for (let sizeClass = sizeClassCount - 1; sizeClass > wanted; sizeClass--) {
      const pages = this.#isSmall(sizeClass) ? this.#pages.carvedInto(sizeClass) : 0;
      if (keptPages + pages <= this.#keptInAll) keptPages += pages;
    }
    return keptPages + this.#pages.carvedInto(wanted) <= this.#keptInAll;
  }

  /** Whether the blocks of a class fit the pages that one class keeps. */
  #isSmall(sizeClass: number): boolean {
    return (this.#queues[sizeClass]?.length ?? 0) <= slotsInPage(sizeClass) * this.#keptPages;
  }
}
