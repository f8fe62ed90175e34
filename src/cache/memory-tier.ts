import { type Clock, systemClock } from '../base/clock.ts';
import { EvictionQueue } from './eviction-queue.ts';
import { FillingSlots } from './filling-slots.ts';
import { PageSearch } from './page-search.ts';
import { PageTable } from './page-table.ts';
import type { SharedMemory } from './shared-memory.ts';
import { MAX_SLOTS_PER_PAGE, sizeClassCount, sizeClassFor, slotBytes, slotsInPage } from './size-class.ts';
import { SizeClassBalancer } from './size-class-balancer.ts';
import type { SlotOwner } from './slot-owner.ts';
import { SlotPins } from './slot-pins.ts';
import { SlotLinks } from './slot-queue.ts';
import { UnreadShare } from './unread-share.ts';
import { WaitingFills } from './waiting-fills.ts';
import { WrittenBytes } from './written-bytes.ts';

/** Limit for the ghosts of a size class, of 40 bytes of heap each: else as many as the slots that it could have at most. */
const REMEMBERED_LIMIT = 4_096;

/**
 * The memory tier of one worker: allocates slots in its pages of the arena and evicts them. A slot is *filling* until
 * `complete` and is not evicted until then.
 */
export class MemoryTier {
  readonly pins: SlotPins;
  /** Tracks written bytes; only where blocks are checked. */
  readonly written: WrittenBytes | undefined;
  readonly #pageBytes: number;
  readonly #firstSlot: number;
  readonly #pages: PageTable;
  readonly #usedPages: Int32Array;
  readonly #owners: (SlotOwner | undefined)[] = [];
  readonly #filling: FillingSlots;
  readonly #unread: Uint8Array;
  readonly #queues: readonly EvictionQueue[];
  readonly #leastRead: SizeClassBalancer;
  readonly #waiting: WaitingFills;
  #usedBytes = 0;
  #slots = 0;
  #evictions = 0;
  /** Whether a reader has pinned a slot of this worker. */
  readonly #isPinned = (local: number): boolean => this.pins.isHeld(local + this.#firstSlot);

  /** @param worker index of the worker that owns these pages */
  constructor(
    memory: SharedMemory,
    worker: number,
    clock: Pick<Clock, 'monotonicMs'> = systemClock,
    written = WrittenBytes.of(memory),
  ) {
    this.written = written;
    const { pageBytes, pagesPerWorker } = memory.layout;
    const slots = pagesPerWorker * MAX_SLOTS_PER_PAGE;
    this.#pageBytes = pageBytes;
    this.#firstSlot = worker * slots;
    this.pins = new SlotPins(memory, worker);
    const links = new SlotLinks(slots);
    this.#pages = new PageTable(pagesPerWorker, links, clock);
    this.#usedPages = new Int32Array(memory.usedPages, worker * Int32Array.BYTES_PER_ELEMENT, 1);
    const needed = new Int32Array(memory.needed, worker * Int32Array.BYTES_PER_ELEMENT, 1);
    this.#waiting = new WaitingFills(needed, group => this.#filling.hasShare(group));
    this.#filling = new FillingSlots(pagesPerWorker, slots, clock);
    this.#unread = new Uint8Array(slots);
    const inMain = new Uint8Array(slots);
    const state = {
      takeVisited: (local: number) => this.#takeVisited(local),
      isHeld: this.#isPinned,
      isUnread: (local: number) => this.#unread[local] === 1,
      contentHash: (local: number) => this.#owners[local]?.contentHash ?? 0,
    };
    const unreadShare = new UnreadShare(pagesPerWorker * pageBytes);
    this.#queues = Array.from({ length: sizeClassCount }, (_, sizeClass) => {
      const remembered = Math.min(REMEMBERED_LIMIT, pagesPerWorker * slotsInPage(sizeClass));
      const sizeBytes = slotBytes(sizeClass, pageBytes);
      return new EvictionQueue(links, inMain, state, unreadShare, sizeBytes, remembered);
    });
    const search = new PageSearch(this.#queues, this.#pages, inMain, local => this.#isInUse(local));
    const isFilling = () => this.#filling.count > 0;
    this.#leastRead = new SizeClassBalancer(this.#queues, this.#pages, inMain, search, isFilling);
  }

  /** For metrics. */
  get usage() {
    return {
      capacityBytes: this.#pages.count * this.#pageBytes,
      usedBytes: this.#usedBytes,
      slots: this.#slots,
      evictions: this.#evictions,
    };
  }

  /** Fills waiting for what a fill of `group` would wait for. */
  waiting(group: number): number {
    return this.#waiting.waiting(group);
  }

  /** Those of them with priority. */
  waitingFirst(group: number): number {
    return this.#waiting.waitingFirst(group);
  }

  /**
   * Allocates a slot for `sizeBytes` of `owner`, in filling state; evicts others if necessary, and takes back slots of
   * groups that fill more than their fair share. Undefined when every suitable slot is being filled or read, or `group`
   * has used up its share (`FillingSlots`); see `whenFreed`.
   */
  allocate(sizeBytes: number, owner: SlotOwner, group = 0): number | undefined {
    const sizeClass = sizeClassFor(sizeBytes, this.#pageBytes);
    const local = this.#filling.asks(group)
      ? (this.#takeAny(sizeClass) ?? this.#takeBack(sizeClass, group))
      : this.#takeInOwnPages(sizeClass, group);
    if (local === undefined) return undefined;
    const slot = local + this.#firstSlot;
    this.#owners[local] = owner;
    this.#filling.begin(local, group);
    this.#unread[local] = 1;
    this.#usedBytes += slotBytes(sizeClass, this.#pageBytes);
    this.#slots++;
    Atomics.store(this.#usedPages, 0, this.#pages.usedPages);
    this.pins.raiseTag(slot);
    this.pins.takeVisited(slot);
    return slot;
  }

  /** Ends the fill of `slot`; it can be evicted from now on. */
  complete(slot: number): void {
    const local = slot - this.#firstSlot;
    this.#filling.end(local);
    this.#queueOf(local).insert(local);
    this.#waiting.notify();
  }

  /**
   * Returns a complete slot to filling state, for more bytes of the same content; false when `group` has used up its
   * share.
   */
  reopen(slot: number, group = 0): boolean {
    const local = slot - this.#firstSlot;
    if (!this.#filling.asks(group)) return false;
    this.#queueOf(local).remove(local);
    this.#filling.begin(local, group);
    return true;
  }

  /**
   * Records a read of `slot`. The first read is the one it was filled for; only later ones count as reuse for eviction.
   */
  read(slot: number): void {
    const local = slot - this.#firstSlot;
    if (this.#unread[local] === 0) {
      this.pins.visited[slot] = 1;
      return;
    }
    this.#unread[local] = 0;
    if (!this.#filling.has(local)) this.#queueOf(local).firstRead(local);
  }

  /** Makes `slot` the next victim: it was prefetched and its reader has stalled. */
  demote(slot: number): void {
    const local = slot - this.#firstSlot;
    if (this.#unread[local] === 0 || this.#filling.has(local)) return;
    this.#unread[local] = 0;
    this.#queueOf(local).demote(local);
  }

  /** Makes `owner` that of `slot`, which is complete. */
  entrust(slot: number, owner: SlotOwner): void {
    this.#owners[slot - this.#firstSlot] = owner;
  }

  /** Evicts the next victim of the class with the most contents, if there is one that nobody reads. */
  evictOne(): void {
    const victim = this.#leastRead.victimOfMost();
    if (victim !== undefined) this.#evict(victim);
  }

  /** Frees `slot`. Readers that have pinned it may finish. */
  free(slot: number): void {
    const local = slot - this.#firstSlot;
    if (!this.#filling.has(local)) this.#queueOf(local).remove(local);
    this.#release(local);
    this.#waiting.notify();
  }

  /** Capacity of `slot` in bytes. */
  slotSizeBytes(slot: number): number {
    return slotBytes(this.#pages.classOf(slot - this.#firstSlot), this.#pageBytes);
  }

  /** The first `lengthBytes` of `slot`. */
  view(slot: number, lengthBytes: number): Buffer {
    return this.pins.view(slot, this.slotSizeBytes(slot), 0, lengthBytes);
  }

  /**
   * Calls back once when a slot may have become free. Returns a function that cancels this.
   *
   * @param isUrgent whether it is called before those that are not urgent
   */
  whenFreed(callback: () => void, isUrgent = false, group = 0): () => void {
    return this.#waiting.add(callback, isUrgent, group);
  }

  /** Must be called when a reader of this thread has released a slot. */
  released(): void {
    this.#waiting.released();
  }

  #queueOf(local: number): EvictionQueue {
    const queue = this.#queues[this.#pages.classOf(local)];
    if (!queue) throw new RangeError(`slot ${local} is in no page`);
    return queue;
  }

  #takeAny(sizeClass: number): number | undefined {
    return this.#takeFree(sizeClass) ?? this.#makeRoom(sizeClass);
  }

  #takeFree(sizeClass: number): number | undefined {
    return this.#pages.take(sizeClass, this.#isPinned);
  }

  /** A free slot beside others that `group` is filling: it takes no further page. */
  #takeInOwnPages(sizeClass: number, group: number): number | undefined {
    for (const page of this.#filling.pagesOf(group)) {
      const local = this.#pages.takeIn(page, sizeClass, this.#isPinned);
      if (local !== undefined) return local;
    }
    return undefined;
  }

  /** Ends the fill of a slot of another group, or of a page if its slots have another size, and takes the place. */
  #takeBack(sizeClass: number, group: number): number | undefined {
    const oldest = this.#filling.toTakeBack(group);
    if (oldest === undefined) return undefined;
    const isOfSize = this.#pages.classOf(oldest) === sizeClass;
    for (const local of isOfSize ? [oldest] : this.#pages.takenIn(oldest)) {
      if (this.#filling.isOfAnother(local, group)) this.#owners[local]?.takenBack?.();
      this.demote(local + this.#firstSlot);
    }
    return this.#takeAny(sizeClass);
  }

  /** Frees a slot of `sizeClass` by evicting one of its own, or a whole page that is read less. */
  #makeRoom(sizeClass: number): number | undefined {
    // a reader may pin what is about to be evicted
    for (let attempt = 0; attempt < 4; attempt++) {
      const page = this.#leastRead.pageFor(sizeClass);
      if (page !== undefined && this.#clearPage(page)) return this.#takeFree(sizeClass);
      const victim = page ?? this.#queues[sizeClass]?.peek();
      if (victim === undefined) return undefined;
      const local = page === undefined && this.#evict(victim) ? this.#takeFree(sizeClass) : undefined;
      if (local !== undefined) return local;
    }
    const page = this.#leastRead.anyPage();
    return page !== undefined && this.#clearPage(page) ? this.#takeFree(sizeClass) : undefined;
  }

  #takeVisited(local: number): boolean {
    const isVisited = this.pins.takeVisited(local + this.#firstSlot);
    if (isVisited) this.#pages.renew(local);
    return isVisited;
  }

  /** Whether `local` is being filled or read. */
  #isInUse(local: number): boolean {
    return this.#filling.has(local) || this.#isPinned(local);
  }

  /** Evicts all of the page of `local`; false when a reader has pinned some of it meanwhile. */
  #clearPage(local: number): boolean {
    return this.#pages
      .takenIn(local)
      .map(other => this.#evict(other))
      .every(isEvicted => isEvicted);
  }

  /** Raises the tag first and checks for readers after; `SlotPins` explains the order. */
  #evict(local: number): boolean {
    const slot = local + this.#firstSlot;
    this.pins.raiseTag(slot);
    if (this.pins.isHeld(slot)) return false;
    this.#queueOf(local).evict(local);
    const owner = this.#owners[local];
    this.#release(local);
    this.#evictions++;
    owner?.evicted();
    return true;
  }

  #release(local: number): void {
    this.pins.raiseTag(local + this.#firstSlot);
    this.#owners[local] = undefined;
    this.#filling.end(local);
    this.#unread[local] = 0;
    this.#usedBytes -= slotBytes(this.#pages.classOf(local), this.#pageBytes);
    this.#slots--;
    this.#pages.giveBack(local);
  }
}
