import { DamagedBytesError } from './byte-text.ts';
import { GRANULE_BYTES } from './granules.ts';
import { type HashKey, keyedHash } from './keyed-hash.ts';
import { type PackedText, readPacked } from './packed-head.ts';
import type { SharedMemory } from './shared-memory.ts';
import { SlotIndex } from './slot-index.ts';
import type { SlotPins } from './slot-pins.ts';

/** A slot with a text ends with two words: the length of the text in front of them, and the hash of the key. */
export const TAIL_BYTES = 8;
const HASH_BYTES = 4;

/**
 * In a mark: how long the slot is, in granules, and a number for each text. A content may be confirmed, and so be told anew, many
 * times between two look-ups of another worker: a number comes again after more than a million.
 */
const LENGTH_MASK = 0x0fff;
const NUMBER_UNIT = 0x1000;
const NUMBER_MASK = ~LENGTH_MASK;

/** What was found in a slot. */
export interface FoundText extends PackedText {
  readonly slot: number;
}

/** Where a text was told when it was read. */
export interface ToldPlace {
  readonly slot: number;
  /** Of the slot. */
  readonly tag: number;
  /** Tells the text from the next million that are told of the same content. */
  readonly mark: number;
}

/** The same as `FoundText`, of a slot that may be another worker's. */
export interface ToldText extends FoundText, ToldPlace {}

/**
 * What is told of objects at the end of slots of one worker, behind a block or alone: while the tag of a slot says so
 * (`SlotPins.tell`), there is a text, and it is true. An index finds them by a hash of the key; the key itself is in the text. The index may
 * say anything to other threads, since the tag alone decides.
 */
export class SlotTexts {
  readonly #pins: SlotPins;
  readonly #index: SlotIndex;
  readonly #hashKey: HashKey;
  readonly #marks: Uint32Array;

  /**
   * @param owner whose slots these are
   * @param pins those of this thread's worker
   */
  constructor(memory: SharedMemory, owner: number, pins: SlotPins) {
    this.#pins = pins;
    this.#index = new SlotIndex(memory, owner);
    // secret, so that nobody can choose keys with equal hashes
    this.#hashKey = memory.epochKey;
    this.#marks = new Uint32Array(memory.textMarks);
  }

  isTold(slot: number): boolean {
    return this.#pins.isTold(slot);
  }

  /** The hash by which the texts of an object are found. @param text `ObjectKey.text` */
  hashOf(text: string): number {
    return keyedHash(this.#hashKey, text);
  }

  /** Length of the text that is told. */
  textBytes(slot: number): number {
    const { segment, end } = this.#placeOf(slot);
    return segment.readUInt32LE(end - TAIL_BYTES);
  }

  /**
   * Tells `bytes` at the end of `slot`, in place of what was told there; only its owner may. False while another worker
   * has pinned it, which may be reading that: then nothing is told.
   *
   * @param text `ObjectKey.text`
   * @param slotBytes length of the slot: behind the block there has to be room for `bytes` and `TAIL_BYTES`
   */
  tell(slot: number, slotBytes: number, text: string, bytes: string): boolean {
    // in this order, see `SlotPins`
    this.forget(slot);
    const granules = slotBytes / GRANULE_BYTES;
    // a slot of 2 MiB or more has room only where its last granule happens to leave some
    if (granules > LENGTH_MASK || this.#pins.isHeldByOthers(slot)) return false;
    this.#marks[slot] = ((this.#markOf(slot) + NUMBER_UNIT) & NUMBER_MASK) | granules;
    const { segment, end } = this.#placeOf(slot);
    const hash = this.hashOf(text);
    segment.write(bytes, end - TAIL_BYTES - bytes.length, 'latin1');
    segment.writeUInt32LE(bytes.length, end - TAIL_BYTES);
    segment.writeUInt32LE(hash, end - HASH_BYTES);
    this.#index.add(hash, slot);
    this.#pins.tell(slot);
    return true;
  }

  /** Nothing is told in `slot` any more. Its owner must call this before what is told becomes untrue. */
  forget(slot: number): void {
    if (!this.isTold(slot)) return;
    this.#pins.untell(slot);
    this.unlist(slot);
  }

  /** Removes `slot` from the index: something was told of it until its tag was raised. */
  unlist(slot: number): void {
    this.#index.remove(this.#hashAt(slot), slot);
  }

  /** Of `from` something was told until its tag was raised; all of it was copied to `to`, where it is told now. */
  moved(from: number, to: number): void {
    this.#marks[to] = this.#markOf(from);
    this.#index.move(this.#hashAt(to), from, to);
    this.#pins.tell(to);
  }

  /** What is told of an object, for the owner of the slots. @param isMeant whether a slot comes into question */
  get(text: string, isMeant: (slot: number) => boolean): FoundText | undefined {
    return this.#find(text, slot => (isMeant(slot) ? this.read(slot) : undefined));
  }

  /** The same for any thread: no text is changed while it is read. */
  getTold(text: string): ToldText | undefined {
    return this.#find(text, slot => {
      const tag = this.#pins.acquireTold(slot);
      if (tag === undefined) return undefined;
      try {
        const found = this.read(slot);
        return found && { ...found, tag, mark: this.#markOf(slot) };
      } finally {
        this.#pins.release(slot);
      }
    });
  }

  /** Whether a text is told still. */
  isStillTold({ slot, tag, mark }: ToldPlace): boolean {
    // in this order: what is told was marked before
    return this.#pins.isToldOf(slot, tag) && this.#markOf(slot) === mark;
  }

  /** Undefined for what was damaged: then it is not known. */
  read(slot: number): FoundText | undefined {
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

  #find<Found extends FoundText>(text: string, read: (slot: number) => Found | undefined): Found | undefined {
    let found: Found | undefined;
    const slot = this.#index.find(this.hashOf(text), slot => {
      found = read(slot);
      return found?.head.text === text;
    });
    return slot === undefined ? undefined : found;
  }

  #markOf(slot: number): number {
    return this.#marks[slot] ?? 0;
  }

  #hashAt(slot: number): number {
    const { segment, end } = this.#placeOf(slot);
    return segment.readUInt32LE(end - HASH_BYTES);
  }

  /** Where all of a slot is. */
  #placeOf(slot: number) {
    const { segment, start } = this.#pins.placeOf(slot);
    return { segment, start, end: start + (this.#markOf(slot) & LENGTH_MASK) * GRANULE_BYTES };
  }
}
