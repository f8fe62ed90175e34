import { DamagedBytesError } from './byte-text.ts';
import { GRANULE_BYTES } from './granules.ts';
import { type HashKey, keyedHash } from './keyed-hash.ts';
import { type PackedHead, readPacked } from './packed-head.ts';
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
export interface FoundBytes {
  readonly bytes: string;
  readonly slot: number;
  readonly head: PackedHead;
}

/**
 * Packed entries of one block each, whose text lies behind its bytes in the same slot: nothing of them is on the heap, and they
 * are evicted and moved with their bytes. An index finds them by a hash of the key; the key itself is in the text.
 */
export class PackedSlots implements LaterOwner {
  readonly #slots: SlotTable;
  readonly #index: SlotIndex;
  readonly #hashKey: HashKey;
  readonly #shortBytes: number;
  #roomBytes = FIRST_ROOM_BYTES;

  /** @param hashKey secret, so that nobody can choose keys with equal hashes */
  constructor(slots: SlotTable, index: SlotIndex, hashKey: HashKey) {
    this.#slots = slots;
    this.#index = index;
    this.#hashKey = hashKey;
    this.#shortBytes = slots.runs.granulesPerPage * GRANULE_BYTES * SHORT_SHARE;
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
   * @param endBytes where the bytes of the block end
   */
  add(text: string, bytes: string, slot: number, endBytes: number): boolean {
    const run = this.#slots.runOf(slot);
    const memory = this.#slots.memoryOf(run);
    const neededBytes = bytes.length + TAIL_BYTES;
    this.#learnRoom(neededBytes);
    if (memory.length - endBytes < neededBytes) return false;
    const hash = keyedHash(this.#hashKey, text);
    this.#index.add(hash, slot);
    memory.write(bytes, memory.length - neededBytes, 'latin1');
    memory.writeUInt32LE(bytes.length, memory.length - TAIL_BYTES);
    memory.writeUInt32LE(hash, memory.length - HASH_BYTES);
    this.#slots.entrust(run, this);
    return true;
  }

  get(text: string): FoundBytes | undefined {
    return this.#find(keyedHash(this.#hashKey, text), text);
  }

  /** The same, which has its slot for itself from now on. */
  take(text: string): FoundBytes | undefined {
    const hash = keyedHash(this.#hashKey, text);
    const found = this.#find(hash, text);
    if (found) this.#index.remove(hash, found.slot);
    return found;
  }

  /** May be read on while entries come and go: what stays packed is met once. */
  *[Symbol.iterator](): Generator<FoundBytes> {
    for (const slot of this.#slots.slotsOf(this)) {
      const entry = this.#read(slot);
      if (entry) yield entry;
    }
  }

  evicted(slot: number): void {
    this.#index.remove(hashIn(this.#memoryOf(slot)), slot);
  }

  moved(slot: number, memory: Buffer, from: number): void {
    this.#index.move(hashIn(memory), from, slot);
  }

  #find(hash: number, text: string): FoundBytes | undefined {
    let found: FoundBytes | undefined;
    const slot = this.#index.find(hash, slot => {
      found = this.#read(slot);
      return found?.head.text === text;
    });
    return slot === undefined ? undefined : found;
  }

  /** Undefined for what was damaged: then it is not known. */
  #read(slot: number): FoundBytes | undefined {
    const memory = this.#memoryOf(slot);
    const end = memory.length - TAIL_BYTES;
    const textBytes = memory.readUInt32LE(end);
    try {
      const bytes = memory.toString('latin1', Math.max(0, end - textBytes), end);
      return { bytes, slot, head: readPacked(bytes).head };
    } catch (error) {
      if (error instanceof DamagedBytesError) return undefined;
      throw error;
    }
  }

  #memoryOf(slot: number): Buffer {
    return this.#slots.memoryOf(this.#slots.runOf(slot));
  }

  #learnRoom(neededBytes: number): void {
    const least = this.#roomBytes - (this.#roomBytes - neededBytes) * ROOM_DECAY;
    this.#roomBytes = Math.min(MOST_ROOM_BYTES, Math.max(neededBytes, least));
  }
}

function hashIn(memory: Buffer): number {
  return memory.readUInt32LE(memory.length - HASH_BYTES);
}
