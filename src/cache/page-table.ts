import type { Clock } from '../base/clock.ts';
import { MAX_SLOTS_PER_PAGE, pageOf, sizeClassCount, slotsInPage } from './size-class.ts';
import { type SlotLinks, SlotQueue } from './slot-queue.ts';

const UNCARVED = 255;

/** How many free slots, and how many pages of other classes, one search looks at before it gives up. */
const FREE_LOOKS = 64;
const EMPTY_LOOKS = 4;

/**
 * Tracks which size class each page of a worker is carved into, and which slots are free. A page whose slots are all
 * free can be carved for another class. Slots are numbered `page * maxSlotsPerPage + position`.
 */
export class PageTable {
  readonly count: number;
  readonly #class: Uint8Array;
  readonly #takenInPage: Uint16Array;
  readonly #takenAt: Float64Array;
  /** When a slot of the page was last renewed. */
  readonly #renewedMs: Float64Array;
  readonly #taken: Uint8Array;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #carvedInto = new Uint32Array(sizeClassCount);
  readonly #uncarved: number[];
  #usedPages = 0;
  /** Carved pages in which no slot is taken. */
  readonly #empty = new Set<number>();
  readonly #free: readonly SlotQueue[];
  #takenPages = 0;

  constructor(pages: number, links: SlotLinks, clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.count = pages;
    this.#class = new Uint8Array(pages).fill(UNCARVED);
    this.#takenInPage = new Uint16Array(pages);
    this.#takenAt = new Float64Array(pages * MAX_SLOTS_PER_PAGE);
    this.#renewedMs = new Float64Array(pages).fill(Number.NEGATIVE_INFINITY);
    this.#taken = new Uint8Array(pages * MAX_SLOTS_PER_PAGE);
    this.#uncarved = Array.from({ length: pages }, (_, page) => pages - 1 - page);
    this.#free = Array.from({ length: sizeClassCount }, () => new SlotQueue(links));
  }

  /** How far pages have ever been carved, counted from the first. */
  get usedPages(): number {
    return this.#usedPages;
  }

  /** Whether the page that `slot` lies in is carved. */
  isCarved(slot: number): boolean {
    return this.#class[pageOf(slot)] !== UNCARVED;
  }

  /** The size class of the page that `slot` lies in. */
  classOf(slot: number): number {
    const sizeClass = this.#class[pageOf(slot)];
    if (sizeClass === undefined || sizeClass === UNCARVED)
      throw new RangeError(`slot ${slot} is in no carved page`);
    return sizeClass;
  }

  /** Pages that are carved into slots of `sizeClass`. */
  carvedInto(sizeClass: number): number {
    return this.#carvedInto[sizeClass] ?? 0;
  }

  /** Total allocation since the start, in pages. */
  get takenPages(): number {
    return this.#takenPages;
  }

  /** The value of `takenPages` when `slot` was taken or renewed. */
  takenAt(slot: number): number {
    return this.#takenAt[slot] ?? 0;
  }

  /** Treats `slot` as taken just now, since it was read again. */
  renew(slot: number): void {
    this.#takenAt[slot] = this.#takenPages;
    this.#renewedMs[pageOf(slot)] = this.#clock.monotonicMs();
  }

  /** Time since a slot of the page of `slot` was renewed; infinite if none was. */
  renewedAgoMs(slot: number): number {
    return this.#clock.monotonicMs() - (this.#renewedMs[pageOf(slot)] ?? Number.NEGATIVE_INFINITY);
  }

  /**
   * A free slot of `sizeClass` that is not `isBusy`; carves another page if there is none. Busy ones go to the end, so
   * the next search goes on behind them.
   */
  take(sizeClass: number, isBusy: (slot: number) => boolean): number | undefined {
    const queue = this.#queue(sizeClass);
    for (let looks = Math.min(queue.length, FREE_LOOKS); looks > 0; looks--) {
      const slot = queue.shift();
      if (slot === undefined) break;
      if (!isBusy(slot)) return this.#markTaken(slot);
      queue.push(slot);
    }
    return this.#carve(sizeClass, isBusy) ? this.take(sizeClass, isBusy) : undefined;
  }

  /** A free slot of `page` that is not `isBusy`; undefined also when the page is carved for another class. */
  takeIn(page: number, sizeClass: number, isBusy: (slot: number) => boolean): number | undefined {
    if (this.#class[page] !== sizeClass || this.#takenInPage[page] === slotsInPage(sizeClass))
      return undefined;
    const slot = slotsOf(page, sizeClass).find(other => !this.isTaken(other) && !isBusy(other));
    if (slot === undefined) return undefined;
    this.#queue(sizeClass).remove(slot);
    return this.#markTaken(slot);
  }

  /** Returns `slot`. A page without taken slots can be carved again once none of its slots is busy. */
  giveBack(slot: number): void {
    const page = pageOf(slot);
    this.#taken[slot] = 0;
    this.#queue(this.classOf(slot)).push(slot);
    const left = (this.#takenInPage[page] ?? 0) - 1;
    this.#takenInPage[page] = left;
    if (left === 0) this.#empty.add(page);
  }

  isTaken(slot: number): boolean {
    return this.#taken[slot] === 1;
  }

  /** The taken slots of the page that `slot` lies in. */
  takenIn(slot: number): number[] {
    return slotsOf(pageOf(slot), this.classOf(slot)).filter(other => this.isTaken(other));
  }

  #firstEmpty(): number | undefined {
    for (const page of this.#empty) return page;
    return undefined;
  }

  #queue(sizeClass: number): SlotQueue {
    const queue = this.#free[sizeClass];
    if (!queue) throw new RangeError(`no size class ${sizeClass}`);
    return queue;
  }

  #markTaken(slot: number): number {
    const page = pageOf(slot);
    this.#empty.delete(page);
    this.#taken[slot] = 1;
    this.#takenPages += 1 / slotsInPage(this.classOf(slot));
    this.#takenAt[slot] = this.#takenPages;
    this.#takenInPage[page] = (this.#takenInPage[page] ?? 0) + 1;
    return slot;
  }

  #carve(sizeClass: number, isBusy: (slot: number) => boolean): boolean {
    const page = this.#takeUncarved(isBusy) ?? this.#uncarveEmpty(sizeClass, isBusy);
    if (page === undefined) return false;
    this.#class[page] = sizeClass;
    this.#usedPages = Math.max(this.#usedPages, page + 1);
    this.#renewedMs[page] = Number.NEGATIVE_INFINITY;
    this.#carvedInto[sizeClass] = this.carvedInto(sizeClass) + 1;
    for (const slot of slotsOf(page, sizeClass)) this.#queue(sizeClass).push(slot);
    return true;
  }

  /**
   * A page that was never carved. Readers in other threads may still hold slots of it that a worker which has died, the
   * predecessor of this one, carved into another class: then it is left for later.
   */
  #takeUncarved(isBusy: (slot: number) => boolean): number | undefined {
    for (let looks = this.#uncarved.length; looks > 0; looks--) {
      const page = this.#uncarved.pop();
      if (page === undefined || !isBusyInAnyClass(page, isBusy)) return page;
      this.#uncarved.unshift(page);
    }
    return undefined;
  }

  /** A page of another class in which no slot is taken or busy. */
  #uncarveEmpty(wanted: number, isBusy: (slot: number) => boolean): number | undefined {
    for (let looks = Math.min(this.#empty.size, EMPTY_LOOKS); looks > 0; looks--) {
      const page = this.#firstEmpty();
      if (page === undefined) break;
      this.#empty.delete(page);
      const sizeClass = this.classOf(page * MAX_SLOTS_PER_PAGE);
      const slots = slotsOf(page, sizeClass);
      if (sizeClass !== wanted && !slots.some(isBusy)) {
        for (const slot of slots) this.#queue(sizeClass).remove(slot);
        this.#carvedInto[sizeClass] = this.carvedInto(sizeClass) - 1;
        return page;
      }
      this.#empty.add(page);
    }
    return undefined;
  }
}

function isBusyInAnyClass(page: number, isBusy: (slot: number) => boolean): boolean {
  const first = page * MAX_SLOTS_PER_PAGE;
  for (let slot = first; slot < first + MAX_SLOTS_PER_PAGE; slot++) if (isBusy(slot)) return true;
  return false;
}

function slotsOf(page: number, sizeClass: number): number[] {
  return Array.from(
    { length: slotsInPage(sizeClass) },
    (_, position) => page * MAX_SLOTS_PER_PAGE + position,
  );
}
