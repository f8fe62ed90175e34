import { GRANULE_BYTES } from './granules.ts';
import { granulesPerWorker, raiseTag, type SharedMemory, TOLD } from './shared-memory.ts';

/** A slot that is read more often than this needs no more to stay. */
export const MOST_VISITS = 3;

/**
 * The pins of one worker on arena slots, its own and those of other workers. A slot has the number of its first granule.
 *
 * A reader increments its pin count first and then checks that the slot still has the expected tag. An owner raises the
 * tag first and then checks for pins. Whichever comes second sees the other, so a slot is never overwritten while it is
 * read. The lowest bit of the tag says whether what is known of an object is told at its end (`SlotTexts`), and with that text
 * it is the same: readers pin and then look at the bit, and the owner clears the bit and then checks for pins.
 */
export class SlotPins {
  readonly #own: Int32Array;
  readonly #all: readonly Int32Array[];
  readonly #tags: Int32Array;
  readonly #visits: Uint8Array;
  readonly #segments: readonly Buffer[];
  /** See `SharedMemory.held`. */
  readonly #held: Int32Array;
  readonly #needed: Int32Array;
  readonly #worker: number;
  readonly #ownRow: number;
  readonly #workers: number;
  readonly #granulesPerSegment: number;
  readonly #granulesPerOwner: number;

  constructor(memory: SharedMemory, worker: number) {
    const own = memory.pins[worker];
    if (!own) throw new RangeError(`no worker ${worker}`);
    this.#own = new Int32Array(own);
    this.#all = memory.pins.map(pins => new Int32Array(pins));
    this.#tags = new Int32Array(memory.tags);
    this.#held = new Int32Array(memory.held);
    this.#needed = new Int32Array(memory.needed);
    this.#worker = worker;
    this.#workers = memory.layout.workers;
    this.#ownRow = worker * this.#workers;
    this.#granulesPerSegment = (memory.pagesPerSegment * memory.layout.pageBytes) / GRANULE_BYTES;
    this.#granulesPerOwner = granulesPerWorker(memory.layout);
    this.#visits = new Uint8Array(memory.visits);
    this.#segments = memory.segments.map(segment => Buffer.from(segment));
  }

  /** Distinct slots that this worker has pinned at the moment. */
  get heldSlots(): number {
    let slots = 0;
    for (let owner = 0; owner < this.#workers; owner++)
      slots += Atomics.load(this.#held, this.#ownRow + owner);
    return slots;
  }

  /** Pinned slots of the worker that owns `slot`; one that two workers have pinned counts twice. */
  heldBeside(slot: number): number {
    let slots = 0;
    for (let index = this.#ownerOf(slot); index < this.#held.length; index += this.#workers)
      slots += Atomics.load(this.#held, index);
    return slots;
  }

  /** Pins `slot` if its content is still the one of `tag`; otherwise it returns false and pins nothing. */
  acquire(slot: number, tag: number): boolean {
    if (Atomics.add(this.#own, slot, 1) === 0) this.#count(slot, 1);
    if (this.tag(slot) === tag) return true;
    this.release(slot);
    return false;
  }

  /** Pins `slot` if something is told there, and gives its tag; otherwise it pins nothing. */
  acquireTold(slot: number): number | undefined {
    if (Atomics.add(this.#own, slot, 1) === 0) this.#count(slot, 1);
    const tag = Atomics.load(this.#tags, slot);
    if ((tag & TOLD) !== 0) return tag & ~TOLD;
    this.release(slot);
    return undefined;
  }

  /** Releases one pin on `slot`. */
  release(slot: number): void {
    if (Atomics.sub(this.#own, slot, 1) === 1) this.#count(slot, -1);
  }

  /** How many pins this worker has on `slot`. */
  holds(slot: number): number {
    return Atomics.load(this.#own, slot);
  }

  /** Whether the worker that owns `slot` needs a slot for an urgent fill. Each need is claimed once. */
  claimNeed(slot: number): boolean {
    const owner = this.#ownerOf(slot);
    if (Atomics.sub(this.#needed, owner, 1) > 0) return true;
    Atomics.add(this.#needed, owner, 1);
    return false;
  }

  /** Whether any worker has pinned `slot`. */
  isHeld(slot: number): boolean {
    for (const pins of this.#all) if (Atomics.load(pins, slot) !== 0) return true;
    return false;
  }

  /** Whether any other worker has pinned `slot`. */
  isHeldByOthers(slot: number): boolean {
    for (const [worker, pins] of this.#all.entries())
      if (worker !== this.#worker && Atomics.load(pins, slot) !== 0) return true;
    return false;
  }

  /** Whether any worker has pinned one of `count` slots that may begin from `first` on. */
  isAnyHeld(first: number, count: number): boolean {
    for (let slot = first; slot < first + count; slot++) if (this.isHeld(slot)) return true;
    return false;
  }

  /** Identifies the current content of `slot`; changes when the slot gets another one. */
  tag(slot: number): number {
    return Atomics.load(this.#tags, slot) & ~TOLD;
  }

  /** Invalidates every reference to the content of `slot`, behind whose block nothing is told any more. */
  raiseTag(slot: number): void {
    raiseTag(this.#tags, slot);
  }

  /** Whether something is told in `slot`. */
  isTold(slot: number): boolean {
    return (Atomics.load(this.#tags, slot) & TOLD) !== 0;
  }

  /** Whether something is told there of the content of `tag`. */
  isToldOf(slot: number, tag: number): boolean {
    return Atomics.load(this.#tags, slot) === (tag | TOLD);
  }

  /** From now on all threads may read the text at the end of `slot`. */
  tell(slot: number): void {
    Atomics.or(this.#tags, slot, TOLD);
  }

  /** Those that have pinned `slot` may read on. */
  untell(slot: number): void {
    Atomics.and(this.#tags, slot, ~TOLD);
  }

  /** How often `slot` was read again, as far as that is counted. */
  visits(slot: number): number {
    return this.#visits[slot] ?? 0;
  }

  setVisits(slot: number, visits: number): void {
    this.#visits[slot] = visits;
  }

  /** Counts that `slot` was read again. Two threads at a time may count one: it only matters for eviction. */
  visit(slot: number): void {
    const visits = this.visits(slot);
    if (visits < MOST_VISITS) this.#visits[slot] = visits + 1;
  }

  /** The memory of `slot` from `fromBytes` to `toBytes`. */
  view(slot: number, fromBytes: number, toBytes: number): Buffer {
    const { segment, start } = this.placeOf(slot);
    return segment.subarray(start + fromBytes, start + toBytes);
  }

  /** Where `slot` begins: for what is read too often to make a view of it each time. */
  placeOf(slot: number): { readonly segment: Buffer; readonly start: number } {
    const segment = this.#segments[Math.floor(slot / this.#granulesPerSegment)];
    if (!segment) throw new RangeError(`no slot ${slot}`);
    return { segment, start: (slot % this.#granulesPerSegment) * GRANULE_BYTES };
  }

  #count(slot: number, change: number): void {
    Atomics.add(this.#held, this.#ownRow + this.#ownerOf(slot), change);
  }

  #ownerOf(slot: number): number {
    return Math.floor(slot / this.#granulesPerOwner);
  }
}
