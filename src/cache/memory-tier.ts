import { type Clock, systemClock } from '../base/clock.ts';
import { FillGaps } from './fill-gaps.ts';
import { FillingSlots } from './filling-slots.ts';
import { GRANULE_BYTES, granulesFor } from './granules.ts';
import { KeptShare } from './kept-share.ts';
import type { MemoryUse } from './memory-use.ts';
import { PackedSlots } from './packed-slots.ts';
import { RoomMaker } from './room-maker.ts';
import { type SharedMemory, tableBytes } from './shared-memory.ts';
import type { LaterOwner, SlotOwner } from './slot-owner.ts';
import { MOST_VISITS, type SlotPins } from './slot-pins.ts';
import { SlotTable } from './slot-table.ts';
import { SlotTexts } from './slot-texts.ts';
import type { SlotWaitRank } from './slot-waiters.ts';
import { WaitingFills } from './waiting-fills.ts';
import { WrittenBytes } from './written-bytes.ts';

/** How many pages are looked at for room beside other fills: with more of them there are hardly as many fills at a time. */
const PAGES_LOOKED_AT = 64;

/**
 * The memory tier of one worker: allocates slots in its pages of the arena and evicts them. A slot is *filling* until
 * `complete` and is neither evicted nor moved until then.
 */
export class MemoryTier {
  /** Tracks written bytes; only where blocks are checked. */
  readonly written: WrittenBytes | undefined;
  /** Objects of which nothing but their slot is known on the heap. */
  readonly packed: PackedSlots;
  readonly #memory: SharedMemory;
  readonly #slots: SlotTable;
  readonly #room: RoomMaker;
  readonly #filling: FillingSlots;
  readonly #gaps: FillGaps;
  readonly #waiting: WaitingFills;
  readonly #tableBytes: number;
  #contents = 0;

  /** @param worker index of the worker that owns these pages */
  constructor(
    memory: SharedMemory,
    worker: number,
    clock: Pick<Clock, 'monotonicMs'> = systemClock,
    written = WrittenBytes.of(memory),
  ) {
    this.written = written;
    const slots = new SlotTable(memory, worker, written);
    const { pages } = slots.runs;
    this.#slots = slots;
    this.#memory = memory;
    this.#filling = new FillingSlots(pages, slot => slots.pageOf(slot), clock);
    this.#gaps = new FillGaps(slots.runs);
    this.#room = new RoomMaker(slots, new KeptShare(slots, clock), this.#gaps);
    this.packed = new PackedSlots(slots, this.#room, memory.layout.workers > 1);
    const needed = new Int32Array(memory.needed, worker * Int32Array.BYTES_PER_ELEMENT, 1);
    this.#tableBytes = tableBytes(memory.layout.workers);
    this.#waiting = new WaitingFills(needed, group => this.#filling.hasShare(group));
  }

  get pins(): SlotPins {
    return this.#slots.pins;
  }

  /** What is told in the slots of this worker. */
  get texts(): SlotTexts {
    return this.#slots.texts;
  }

  /** The same of another worker. */
  textsOf(owner: number): SlotTexts {
    return new SlotTexts(this.#memory, owner, this.pins);
  }

  /** A number for a content, by which other workers know it. */
  numberContent(): number {
    return ++this.#contents;
  }

  /** For metrics. */
  get usage() {
    return this.#slots.usage;
  }

  /** What the blocks take, and the tables for them. */
  get use(): readonly MemoryUse[] {
    const { usedBytes, slots } = this.usage;
    const granules = usedBytes / GRANULE_BYTES;
    return [
      { kind: 'blocks', bytes: usedBytes, count: slots },
      { kind: 'block-tables', bytes: granules * this.#tableBytes, count: granules },
    ];
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
   * Allocates a slot for `sizeBytes` of `owner`, in filling state; evicts and moves others if necessary, and takes back slots
   * of groups that fill more than their fair share. Undefined when every suitable slot is being filled or read, or `group`
   * has used up its share (`FillingSlots`); see `whenFreed`.
   *
   * @throws RangeError when `sizeBytes` exceeds a page
   */
  allocate(sizeBytes: number, owner: SlotOwner, group = 0): number | undefined {
    const length = granulesFor(sizeBytes);
    const { granulesPerPage } = this.#slots.runs;
    if (length > granulesPerPage)
      throw new RangeError(`${sizeBytes} bytes do not fit a page of ${granulesPerPage * GRANULE_BYTES}`);
    const run = this.#filling.asks(group)
      ? (this.#besideOthers(length, group) ?? this.#room.take(length) ?? this.#takeBack(length, group))
      : this.#takeInOwnPages(length, group);
    if (run === undefined) return undefined;
    const slot = this.#slots.occupy(run, owner, owner.contentHash);
    this.#begin(run, group);
    return slot;
  }

  /** Ends the fill of `slot`; it can be evicted or moved from now on. */
  complete(slot: number): void {
    const run = this.#slots.runOf(slot);
    this.#end(run);
    this.#slots.queue.insert(run);
    this.#waiting.notify();
  }

  /**
   * Returns a complete slot to filling state, for more bytes of the same content; false when `group` has used up its
   * share.
   */
  reopen(slot: number, group = 0): boolean {
    if (!this.#filling.asks(group)) return false;
    const run = this.#slots.runOf(slot);
    this.#slots.queue.remove(run);
    this.#begin(run, group);
    return true;
  }

  /**
   * Records a read of `slot`. The first read is the one it was filled for; only later ones count as reuse for eviction.
   */
  read(slot: number): void {
    // what is read most has been read before
    if (this.pins.visits(slot) === MOST_VISITS) return;
    const run = this.#slots.runOf(slot);
    if (!this.#slots.isUnread(run)) {
      this.pins.visit(slot);
      return;
    }
    this.#slots.wasRead(run);
    this.#slots.queue.firstRead(run);
  }

  /** Makes `slot` the next victim: it was prefetched and its reader has stalled. */
  demote(slot: number): void {
    const run = this.#slots.runOf(slot);
    if (!this.#slots.isUnread(run) || this.#filling.has(slot)) return;
    this.#slots.wasRead(run);
    this.#slots.queue.demote(run);
  }

  /** Makes `owner` that of `slot`, which is complete. */
  entrust(slot: number, owner: LaterOwner): void {
    this.#slots.entrust(this.#slots.runOf(slot), owner);
  }

  /** Whether `slot` is among those that were read again, as far as that has been looked at (`spares`). */
  isReadAgain(slot: number): boolean {
    return this.#slots.queue.isMain(this.#slots.runOf(slot));
  }

  /** Whether `slot` stays although its turn has come: it was read again since the last time, or is being read. */
  spares(slot: number): boolean {
    return !this.#slots.queue.mayEvict(this.#slots.runOf(slot));
  }

  /** Evicts `slot`, whose owner does not want it any more. Readers that have pinned it may finish. */
  giveUp(slot: number): void {
    this.#slots.giveUp(this.#slots.runOf(slot));
    this.#waiting.notify();
  }

  /** Frees `slot`. Readers that have pinned it may finish. */
  free(slot: number): void {
    const run = this.#slots.runOf(slot);
    this.#end(run);
    this.#slots.queue.remove(run);
    this.#slots.free(run);
    this.#waiting.notify();
  }

  /** The first `lengthBytes` of `slot`. */
  view(slot: number, lengthBytes: number): Buffer {
    return this.pins.view(slot, 0, lengthBytes);
  }

  /**
   * Calls back once when a slot may have become free. Returns a function that cancels this.
   *
   * @param rank 'urgent' is called before 'ahead'; while 'pressing' waits, readers that have stalled give up their slots as well
   */
  whenFreed(callback: () => void, rank: SlotWaitRank = 'ahead', group = 0): () => void {
    return this.#waiting.add(callback, rank, group);
  }

  /** Must be called when a reader of this thread has released a slot. */
  released(): void {
    this.#waiting.released();
  }

  #begin(run: number, group: number): void {
    this.#filling.begin(this.#slots.slotOf(run), group);
    this.#gaps.begin(run);
  }

  #end(run: number): void {
    this.#filling.end(this.#slots.slotOf(run));
    this.#gaps.end(run);
  }

  /**
   * Room for a short slot beside others that `group` is filling, once those lie in half of the pages: where fills are slow they
   * would soon be in every page, and neither moved nor evicted, so there would be no room for a long one.
   */
  #besideOthers(length: number, group: number): number | undefined {
    const { pages, granulesPerPage } = this.#slots.runs;
    if (length > granulesPerPage / 2 || this.#filling.pageCountOf(group) < pages / 2) return undefined;
    let left = PAGES_LOOKED_AT;
    for (const page of this.#filling.pagesOf(group)) {
      if (left-- === 0) break;
      const run = this.#room.takeIn(page, length);
      if (run !== undefined) return run;
    }
    return undefined;
  }

  /** Room beside other slots that `group` is filling: it takes no further page. */
  #takeInOwnPages(length: number, group: number): number | undefined {
    this.#slots.reclaim();
    for (const page of this.#filling.pagesOf(group)) {
      const run = this.#slots.holes.takeIn(page, length);
      if (run !== undefined) return run;
    }
    return undefined;
  }

  /** Ends the fill of a slot of another group, or all in its page if more room is needed, and takes the place. */
  #takeBack(length: number, group: number): number | undefined {
    const oldest = this.#filling.toTakeBack(group);
    if (oldest === undefined) return undefined;
    const { runs } = this.#slots;
    const run = this.#slots.runOf(oldest);
    for (const one of runs.lengthOf(run) >= length ? [run] : this.#slots.inPageOf(run)) {
      const slot = this.#slots.slotOf(one);
      if (this.#filling.isOfAnother(slot, group)) this.#slots.ownerOf(one)?.takenBack?.();
      // nobody may have wanted it any more
      if (!this.#slots.isFree(one)) this.demote(slot);
    }
    return this.#room.take(length);
  }
}
