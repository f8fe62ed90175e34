import { EvictionQueue } from './eviction-queue.ts';
import { GRANULE_BYTES } from './granules.ts';
import { HoleTable } from './hole-table.ts';
import { RunQueue } from './run-queue.ts';
import { RunTable } from './run-table.ts';
import type { SharedMemory } from './shared-memory.ts';
import type { LaterOwner } from './slot-owner.ts';
import { SlotOwners } from './slot-owners.ts';
import { SlotPins } from './slot-pins.ts';
import { SlotTexts } from './slot-texts.ts';
import type { WrittenBytes } from './written-bytes.ts';

/** How many slots that were freed under a reader one allocation looks at. */
const LOOKS = 64;

/**
 * The slots of one worker, by number of their run, and the blocks in them. Whatever takes memory from one block and gives it
 * to another does so here: first the tag is raised, which makes all references void, then pins are looked for (`SlotPins`).
 */
export class SlotTable {
  readonly pins: SlotPins;
  readonly texts: SlotTexts;
  readonly runs: RunTable;
  readonly holes: HoleTable;
  readonly queue: EvictionQueue;
  readonly #firstSlot: number;
  readonly #owners: SlotOwners;
  readonly #contentHashes: Int32Array;
  readonly #unread: Uint8Array;
  /** Slots that were freed while a reader had pinned them. */
  readonly #lingering: RunQueue;
  /** Pages that were never used. */
  readonly #unusedPages: number[];
  readonly #usedPages: Int32Array;
  readonly #written: WrittenBytes | undefined;
  #slots = 0;
  #usedGranules = 0;
  #evictions = 0;

  constructor(memory: SharedMemory, worker: number, written: WrittenBytes | undefined) {
    const { pageBytes, pagesPerWorker } = memory.layout;
    this.pins = new SlotPins(memory, worker);
    this.texts = new SlotTexts(memory, worker, this.pins);
    this.runs = new RunTable(pagesPerWorker, pageBytes / GRANULE_BYTES);
    this.holes = new HoleTable(this.runs);
    this.queue = new EvictionQueue(this.runs, {
      visits: run => this.pins.visits(this.slotOf(run)),
      setVisits: (run, visits) => this.pins.setVisits(this.slotOf(run), visits),
      isHeld: run => this.isHeld(run),
      isUnread: run => this.isUnread(run),
      wasRead: run => this.wasRead(run),
      contentHash: run => this.#contentHashes[run] ?? 0,
    });
    const granules = pagesPerWorker * this.runs.granulesPerPage;
    this.#firstSlot = worker * granules;
    this.#owners = new SlotOwners(granules);
    this.#contentHashes = new Int32Array(granules);
    this.#unread = new Uint8Array(granules);
    this.#lingering = new RunQueue(this.runs);
    this.#unusedPages = Array.from({ length: pagesPerWorker }, (_, page) => pagesPerWorker - 1 - page);
    this.#usedPages = new Int32Array(memory.usedPages, worker * Int32Array.BYTES_PER_ELEMENT, 1);
    this.#written = written;
  }

  /** For metrics. */
  get usage() {
    return {
      capacityBytes: this.runs.pages * this.runs.granulesPerPage * GRANULE_BYTES,
      usedBytes: this.#usedGranules * GRANULE_BYTES,
      slots: this.#slots,
      evictions: this.#evictions,
    };
  }

  /** @throws RangeError when `slot` belongs to no block */
  runOf(slot: number): number {
    const run = this.runs.beginningAt(slot - this.#firstSlot);
    if (run === undefined || this.isFree(run)) throw new RangeError(`no block is in slot ${slot}`);
    return run;
  }

  /** The runs of the page that `run` lies in. */
  inPageOf(run: number): number[] {
    const { granulesPerPage } = this.runs;
    return [...this.runs.inPage(this.pageOf(this.slotOf(run)) * granulesPerPage)];
  }

  /** The page that `slot` lies in. */
  pageOf(slot: number): number {
    return Math.floor((slot - this.#firstSlot) / this.runs.granulesPerPage);
  }

  slotOf(run: number): number {
    return this.runs.startOf(run) + this.#firstSlot;
  }

  ownerOf(run: number): LaterOwner | undefined {
    return this.#owners.get(run);
  }

  /** `owner` is going to have nearly all slots, see `SlotOwners`. */
  expectCommon(owner: LaterOwner): void {
    this.#owners.expectCommon(owner);
  }

  /** How many slots that owner has. */
  get commonSize(): number {
    return this.#owners.commonRuns;
  }

  /** The slots of that owner; see `SlotOwners.ofCommon`. */
  *commonSlots(): Generator<number | undefined> {
    for (const run of this.#owners.ofCommon()) yield run === undefined ? undefined : this.slotOf(run);
  }

  /** How many steps of that find nothing, at most. */
  get emptySteps(): number {
    return this.#owners.emptySteps;
  }

  /** All of a run. */
  memoryOf(run: number): Buffer {
    return this.pins.view(this.slotOf(run), 0, this.bytesOf(run));
  }

  /** The length of a run. */
  bytesOf(run: number): number {
    return this.runs.lengthOf(run) * GRANULE_BYTES;
  }

  /** Makes `owner` that of a slot. */
  entrust(run: number, owner: LaterOwner): void {
    this.#owners.set(run, owner);
  }

  isUnread(run: number): boolean {
    return this.#unread[run] === 1;
  }

  wasRead(run: number): void {
    this.#unread[run] = 0;
  }

  /** Whether a reader has pinned a slot. */
  isHeld(run: number): boolean {
    return this.pins.isHeld(this.slotOf(run));
  }

  /** Whether nobody needs what is in a run: a hole, or a slot that was freed. */
  isFree(run: number): boolean {
    return !this.#owners.has(run);
  }

  /** Makes a slot of `run`, which is no hole any more. `contentHash`: see `SlotOwner`. */
  occupy(run: number, owner: LaterOwner, contentHash: number): number {
    const slot = this.slotOf(run);
    this.#owners.set(run, owner);
    this.#contentHashes[run] = contentHash;
    this.#unread[run] = 1;
    this.#slots++;
    this.#usedGranules += this.runs.lengthOf(run);
    this.pins.raiseTag(slot);
    this.pins.setVisits(slot, 0);
    return slot;
  }

  /** Makes a hole of a slot, whose block is told; false when a reader has pinned it. */
  evict(run: number): boolean {
    const slot = this.slotOf(run);
    const isTold = this.texts.isTold(slot);
    if (!this.#isReleased(run, isTold)) return false;
    this.queue.evict(run);
    if (isTold) this.texts.unlist(slot);
    this.ownerOf(run)?.evicted(slot);
    this.#vacate(run);
    this.holes.add(run);
    this.#evictions++;
    return true;
  }

  /**
   * Moves a block to `place`, a run of the same length that is no hole; false when a reader has pinned it. What is left is
   * a hole.
   */
  move(run: number, place: number): boolean {
    const [from, to] = [this.slotOf(run), this.slotOf(place)];
    const isTold = this.texts.isTold(from);
    if (!this.#isReleased(run, isTold)) {
      this.holes.add(place);
      return false;
    }
    const memory = this.memoryOf(place);
    memory.set(this.memoryOf(run));
    this.#written?.moved(this.memoryOf(run), memory);
    this.pins.setVisits(to, this.pins.visits(from));
    // a worker that died may have told readers of the place, see `openPage`
    this.pins.raiseTag(to);
    this.runs.exchange(run, place);
    this.ownerOf(run)?.moved(to, memory);
    if (isTold) this.texts.moved(from, to);
    this.holes.add(place);
    return true;
  }

  /** Frees a slot that is in no queue. Readers that have pinned it may finish. */
  free(run: number): void {
    this.#vacate(run);
    this.texts.forget(this.slotOf(run));
    if (this.#isReleased(run)) this.holes.add(run);
    else this.#lingering.push(run);
  }

  /** Frees a slot, and remembers what was in it. Readers that have pinned it may finish. */
  giveUp(run: number): void {
    this.queue.evict(run);
    this.free(run);
    this.#evictions++;
  }

  /** Makes holes of slots that were freed under readers which have finished since. */
  reclaim(): void {
    for (let looks = Math.min(this.#lingering.length, LOOKS); looks > 0; looks--) {
      const run = this.#lingering.first;
      if (run === undefined || this.reclaimOne(run)) continue;
      this.#lingering.remove(run);
      this.#lingering.push(run);
    }
  }

  /** The same of one such slot; false when a reader still holds it. */
  reclaimOne(run: number): boolean {
    if (this.isHeld(run)) return false;
    this.#lingering.remove(run);
    this.holes.add(run);
    return true;
  }

  /**
   * Makes a hole of a page that was never used, if there is one. Readers in other threads may still hold slots in it of a
   * worker which has died, the predecessor of this one: then it is left for later.
   */
  openPage(): boolean {
    const { granulesPerPage } = this.runs;
    for (let looks = this.#unusedPages.length; looks > 0; looks--) {
      const page = this.#unusedPages.pop() ?? 0;
      const first = page * granulesPerPage;
      if (this.pins.isAnyHeld(this.#firstSlot + first, granulesPerPage)) {
        this.#unusedPages.unshift(page);
        continue;
      }
      this.holes.add(this.runs.create(first, granulesPerPage));
      Atomics.store(this.#usedPages, 0, Math.max(Atomics.load(this.#usedPages, 0), page + 1));
      return true;
    }
    return false;
  }

  /**
   * Makes all references to a slot void; whether no reader had pinned it before.
   *
   * @param isTold whether something is told there: otherwise it stays so, since its text is as true as before
   */
  #isReleased(run: number, isTold = false): boolean {
    const slot = this.slotOf(run);
    this.pins.raiseTag(slot);
    if (!this.pins.isHeld(slot)) return true;
    if (isTold) this.pins.tell(slot);
    return false;
  }

  #vacate(run: number): void {
    this.#owners.remove(run);
    this.#unread[run] = 0;
    this.#slots--;
    this.#usedGranules -= this.runs.lengthOf(run);
  }
}
