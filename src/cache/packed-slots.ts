import { BareRuns } from './bare-runs.ts';
import { DamagedBytesError } from './byte-text.ts';
import { GRANULE_BYTES, granulesFor } from './granules.ts';
import { type HashKey, keyedHash } from './keyed-hash.ts';
import { type PackedText, readPacked } from './packed-head.ts';
import type { RoomMaker } from './room-maker.ts';
import type { SlotIndex } from './slot-index.ts';
import type { LaterOwner } from './slot-owner.ts';
import type { SlotTable } from './slot-table.ts';

/** A slot ends with two words: the length of the text in front of them, and the hash of the key. */
const TAIL_BYTES = 8;
const HASH_BYTES = 4;

/** Room that is left for the texts of short blocks: at first, and at most, so that long texts do not cost the blocks of others much. */
const FIRST_ROOM_BYTES = 384;
const MOST_ROOM_BYTES = 768;

/** Of a page: beside blocks that are larger no room is left, or fewer of equal size would fit a page. */
const SHORT_SHARE = 1 / 16;

/** The room becomes less by this share of what was not needed. */
const ROOM_DECAY = 1 / 32;

/** What was found beside a block. */
export interface FoundText extends PackedText {
  readonly slot: number;
}

/**
 * Packed entries of one block each, whose text lies behind its bytes in the same slot, and of none, whose text has a slot for
 * itself: nothing of them is on the heap, and they are evicted and moved as blocks are. An index finds them by a hash of the key;
 * the key itself is in the text.
 */
export class PackedSlots implements LaterOwner {
  readonly #slots: SlotTable;
  readonly #room: Pick<RoomMaker, 'take'>;
  readonly #index: SlotIndex;
  readonly #hashKey: HashKey;
  readonly #shortBytes: number;
  readonly #bare: BareRuns;
  #roomBytes = FIRST_ROOM_BYTES;

  /** @param hashKey secret, so that nobody can choose keys with equal hashes */
  constructor(slots: SlotTable, room: Pick<RoomMaker, 'take'>, index: SlotIndex, hashKey: HashKey) {
    this.#slots = slots;
    this.#room = room;
    slots.expectCommon(this);
    this.#index = index;
    this.#hashKey = hashKey;
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
    return this.#index.size;
  }

  /** What a slot should have beside a block that is all of its content: about as much as was needed lately. */
  roomBeside(blockBytes: number): number {
    return blockBytes > this.#shortBytes ? 0 : Math.min(this.#roomBytes, this.#shortBytes);
  }

  /**
   * Takes over the block in `slot` with what is known of its object; false where there is no room for that.
   *
   * @param text `ObjectKey.text`
   * @param bytes see `PackedEntry`
   * @param endBytes where the block ends, filled or not: nothing is written within it
   */
  add(text: string, bytes: string, slot: number, endBytes: number): boolean {
    const run = this.#slots.runOf(slot);
    const neededBytes = bytes.length + TAIL_BYTES;
    this.#learnRoom(neededBytes);
    if (this.#slots.bytesOf(run) - endBytes < neededBytes) return false;
    this.#write(keyedHash(this.#hashKey, text), bytes, slot);
    this.#slots.entrust(run, this);
    return true;
  }

  /**
   * Takes what is known of an object without blocks; false where there is no room, or too much is known. Others may be evicted
   * for it, but no fill ends and nobody who waits is called: the object is neither here nor elsewhere meanwhile.
   *
   * @param isReadAgain whether it has been here before, and was taken
   */
  addBare(text: string, bytes: string, isReadAgain: boolean): boolean {
    const neededBytes = bytes.length + TAIL_BYTES;
    const length = granulesFor(neededBytes);
    if (neededBytes > this.#shortBytes || !this.#bare.makeRoom(length)) return false;
    const run = this.#room.take(length);
    if (run === undefined) return false;
    const hash = keyedHash(this.#hashKey, text);
    const slot = this.#slots.occupy(run, this, hash);
    this.#write(hash, bytes, slot);
    this.#slots.wasRead(run);
    if (isReadAgain) this.#slots.pins.visit(slot);
    this.#slots.queue.insert(run);
    this.#bare.add(run);
    return true;
  }

  /** The same where what is known lies in `slot` already, as it was when it was taken. */
  addAgain(slot: number): void {
    const { segment, end } = this.#placeOf(slot);
    this.#learnRoom(segment.readUInt32LE(end - TAIL_BYTES) + TAIL_BYTES);
    this.#index.add(segment.readUInt32LE(end - HASH_BYTES), slot);
    this.#slots.entrust(this.#slots.runOf(slot), this);
  }

  get(text: string): FoundText | undefined {
    return this.#find(keyedHash(this.#hashKey, text), text);
  }

  /** The same; who asks has its block from now on. */
  take(text: string): FoundText | undefined {
    const hash = keyedHash(this.#hashKey, text);
    const found = this.#find(hash, text);
    if (!found) return undefined;
    this.#index.remove(hash, found.slot);
    // nobody has to be told: who waits for room could have had this
    if (!found.head.block) this.#free(this.#slots.runOf(found.slot));
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
    for (const slot of this.#slots.commonSlots()) yield slot === undefined ? undefined : this.#read(slot);
  }

  evicted(slot: number): void {
    const { segment, end } = this.#placeOf(slot);
    this.#index.remove(segment.readUInt32LE(end - HASH_BYTES), slot);
    this.#bare.removed(this.#slots.runOf(slot));
  }

  moved(slot: number, memory: Buffer, from: number): void {
    this.#index.move(memory.readUInt32LE(memory.length - HASH_BYTES), from, slot);
  }

  #free(run: number): void {
    this.#bare.removed(run);
    this.#slots.queue.remove(run);
    this.#slots.free(run);
  }

  #write(hash: number, bytes: string, slot: number): void {
    this.#index.add(hash, slot);
    const { segment, end } = this.#placeOf(slot);
    segment.write(bytes, end - TAIL_BYTES - bytes.length, 'latin1');
    segment.writeUInt32LE(bytes.length, end - TAIL_BYTES);
    segment.writeUInt32LE(hash, end - HASH_BYTES);
  }

  #find(hash: number, text: string): FoundText | undefined {
    let found: FoundText | undefined;
    const slot = this.#index.find(hash, slot => {
      found = this.#read(slot);
      return found?.head.text === text;
    });
    return slot === undefined ? undefined : found;
  }

  /** Undefined for what was damaged: then it is not known. */
  #read(slot: number): FoundText | undefined {
    const { segment, start, end } = this.#placeOf(slot);
    const textEnd = end - TAIL_BYTES;
    const textBytes = segment.readUInt32LE(textEnd);
    try {
      const text = segment.toString('latin1', Math.max(start, textEnd - textBytes), textEnd);
      return { slot, ...readPacked(text) };
    } catch (error) {
      if (error instanceof DamagedBytesError) return undefined;
      throw error;
    }
  }

  /** Where all of a slot is. */
  #placeOf(slot: number) {
    const { segment, start } = this.#slots.pins.placeOf(slot);
    return { segment, start, end: start + this.#slots.bytesOf(this.#slots.runOf(slot)) };
  }

  #learnRoom(neededBytes: number): void {
    const least = this.#roomBytes - (this.#roomBytes - neededBytes) * ROOM_DECAY;
    this.#roomBytes = Math.min(MOST_ROOM_BYTES, Math.max(neededBytes, least));
  }
}
