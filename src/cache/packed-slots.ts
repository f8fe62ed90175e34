import { BareRuns } from './bare-runs.ts';
import { GRANULE_BYTES, granulesFor } from './granules.ts';
import type { RoomMaker } from './room-maker.ts';
import type { LaterOwner } from './slot-owner.ts';
import type { SlotTable } from './slot-table.ts';
import { type FoundText, TAIL_BYTES } from './slot-texts.ts';

/** Room that is left for the texts of short blocks: at first, and at most, so that long texts do not cost the blocks of others much. */
const FIRST_ROOM_BYTES = 384;
const MOST_ROOM_BYTES = 768;

/** Of a page: beside blocks that are larger no room is left, or fewer of equal size would fit a page. */
const SHORT_SHARE = 1 / 16;

/** The room becomes less by this share of what was not needed. */
const ROOM_DECAY = 1 / 32;

/**
 * Packed entries with one block, behind which all is told that is known of them (`SlotTexts`), or without any: then the text has a
 * slot for itself. Nothing of them is on the heap, and they are evicted and moved as blocks are. So are texts alone in their slots
 * that tell other workers of entries which are not packed here.
 */
export class PackedSlots implements LaterOwner {
  readonly isReadByOthers: boolean;
  readonly #slots: SlotTable;
  readonly #room: Pick<RoomMaker, 'take'>;
  readonly #shortBytes: number;
  readonly #bare: BareRuns;
  /** Has the slots of what is told of others: nobody misses what is evicted. */
  readonly #told: LaterOwner = { evicted: slot => this.evicted(slot), moved: () => undefined };
  #roomBytes = FIRST_ROOM_BYTES;

  /** @param isReadByOthers whether there are other workers */
  constructor(slots: SlotTable, room: Pick<RoomMaker, 'take'>, isReadByOthers: boolean) {
    this.#slots = slots;
    this.#room = room;
    this.isReadByOthers = isReadByOthers;
    slots.expectCommon(this);
    const { pages, granulesPerPage } = slots.runs;
    this.#shortBytes = granulesPerPage * GRANULE_BYTES * SHORT_SHARE;
    const { pins } = slots;
    const spares = (run: number) => {
      const slot = slots.slotOf(run);
      const isVisited = pins.visits(slot) > 0;
      pins.setVisits(slot, 0);
      return isVisited;
    };
    const lengthOf = (run: number) => slots.runs.lengthOf(run);
    this.#bare = new BareRuns({ lengthOf, spares, evict: run => slots.evict(run) }, pages * granulesPerPage);
  }

  get size(): number {
    return this.#slots.commonSize;
  }

  /** What a slot should have beside a block that is all of its content: about as much as was needed lately. */
  roomBeside(blockBytes: number): number {
    return blockBytes > this.#shortBytes ? 0 : Math.min(this.#roomBytes, this.#shortBytes);
  }

  /**
   * Tells what is known of the object whose block is in `slot`; false where there is no room for that, or it cannot be told now.
   *
   * @param text `ObjectKey.text`
   * @param bytes see `PackedEntry`
   * @param endBytes where the block ends, filled or not: nothing is written within it
   */
  tell(text: string, bytes: string, slot: number, endBytes: number): boolean {
    const slotBytes = this.#slots.bytesOf(this.#slots.runOf(slot));
    const neededBytes = bytes.length + TAIL_BYTES;
    this.#learnRoom(neededBytes);
    return slotBytes - endBytes >= neededBytes && this.#slots.texts.tell(slot, slotBytes, text, bytes);
  }

  /** Takes over a block behind which all is told. */
  add(slot: number): void {
    this.#learnRoom(this.#slots.texts.textBytes(slot) + TAIL_BYTES);
    this.#slots.entrust(this.#slots.runOf(slot), this);
  }

  /**
   * Takes what is known of an object without blocks; false where there is no room, or too much is known. Others may be evicted
   * for it, but no fill ends and nobody who waits is called: the object is neither here nor elsewhere meanwhile.
   *
   * @param isReadAgain whether it has been here before, and was taken
   */
  addBare(text: string, bytes: string, isReadAgain: boolean): boolean {
    return this.#putAlone(text, bytes, this, isReadAgain);
  }

  /**
   * Tells other workers what is known of an object that is not packed here, in a slot for that alone; false where there is no
   * room, or too much is known. What is told must be taken back by `untell` before it becomes untrue.
   */
  tellAlone(text: string, bytes: string): boolean {
    return this.#putAlone(text, bytes, this.#told, true);
  }

  isToldAlone(text: string): boolean {
    return this.#toldAlone(text) !== undefined;
  }

  /** Takes back what `tellAlone` told; false where nothing is. */
  untell(text: string): boolean {
    const slot = this.#toldAlone(text);
    if (slot !== undefined) this.#free(this.#slots.runOf(slot));
    return slot !== undefined;
  }

  /** Takes over what `tellAlone` told, as by `addBare`; false where nothing is. */
  adopt(text: string, isReadAgain: boolean): boolean {
    const slot = this.#toldAlone(text);
    if (slot === undefined) return false;
    if (isReadAgain) this.#slots.pins.visit(slot);
    this.#slots.entrust(this.#slots.runOf(slot), this);
    return true;
  }

  get(text: string): FoundText | undefined {
    return this.#ofOwner(this, text);
  }

  /** The same; who asks has its block from now on. */
  take(text: string): FoundText | undefined {
    const found = this.get(text);
    // nobody has to be told: who waits for room could have had this
    if (found && !found.head.block) this.#free(this.#slots.runOf(found.slot));
    return found;
  }

  /** How many steps `walk` takes, at most. */
  get walkSteps(): number {
    return this.size + this.#slots.emptySteps;
  }

  /**
   * All of them; may be read on while entries come and go: what stays packed is met once. Undefined for steps that find none: each
   * step is short.
   */
  *walk(): Generator<FoundText | undefined> {
    for (const slot of this.#slots.commonSlots())
      yield slot === undefined ? undefined : this.#slots.texts.read(slot);
  }

  evicted(slot: number): void {
    this.#bare.removed(this.#slots.runOf(slot));
  }

  moved(): void {}

  #toldAlone(text: string): number | undefined {
    return this.isReadByOthers ? this.#ofOwner(this.#told, text)?.slot : undefined;
  }

  #ofOwner(owner: LaterOwner, text: string): FoundText | undefined {
    return this.#slots.texts.get(text, slot => this.#slots.ownerOf(this.#slots.runOf(slot)) === owner);
  }

  #putAlone(text: string, bytes: string, owner: LaterOwner, isReadAgain: boolean): boolean {
    const neededBytes = bytes.length + TAIL_BYTES;
    const length = granulesFor(neededBytes);
    if (neededBytes > this.#shortBytes || !this.#bare.makeRoom(length)) return false;
    const run = this.#room.take(length);
    if (run === undefined) return false;
    const { texts, pins, queue } = this.#slots;
    const slot = this.#slots.occupy(run, owner, texts.hashOf(text));
    this.#slots.wasRead(run);
    if (isReadAgain) pins.visit(slot);
    queue.insert(run);
    this.#bare.add(run);
    if (texts.tell(slot, this.#slots.bytesOf(run), text, bytes)) return true;
    this.#free(run);
    return false;
  }

  #free(run: number): void {
    this.#bare.removed(run);
    this.#slots.queue.remove(run);
    this.#slots.free(run);
  }

  #learnRoom(neededBytes: number): void {
    const least = this.#roomBytes - (this.#roomBytes - neededBytes) * ROOM_DECAY;
    this.#roomBytes = Math.min(MOST_ROOM_BYTES, Math.max(neededBytes, least));
  }
}
