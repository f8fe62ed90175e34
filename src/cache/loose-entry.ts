import type { Span } from './block.ts';
import type { ByteTextReader } from './byte-text.ts';
import { PackedEntry } from './packed-entry.ts';
import { type PackedBlock, readPacked } from './packed-head.ts';
import type { LaterOwner } from './slot-owner.ts';

/** Measured: the entry with its place in the table, and each block. The texts come on top, a byte for each character. */
const ENTRY_COST_BYTES = 330;
const BLOCK_COST_BYTES = 110;

/** Who is told that a block of an entry was evicted, and what that had cost. */
interface LooseEntryOwner {
  lostBlock(entry: LooseEntry, bytes: number): void;
}

/** A block of a loose entry: where its bytes are. */
class LooseBlock implements PackedBlock, LaterOwner {
  readonly content: number;
  readonly index: number;
  slot: number;
  readonly valid: Span;
  /** Where it is in the list of its entry. */
  place: number;
  readonly #entry: LooseEntry;

  constructor(entry: LooseEntry, { content, index, slot, valid }: PackedBlock, place: number) {
    this.#entry = entry;
    this.place = place;
    this.content = content;
    this.index = index;
    this.slot = slot;
    this.valid = valid;
  }

  evicted(): void {
    this.#entry.evicted(this);
  }

  moved(slot: number): void {
    this.slot = slot;
  }
}

/**
 * A packed entry that is kept on the heap: it has several blocks, or none, or there is no room beside its block. There is one for
 * each block of some tens of kilobytes at most, apart from those that have lost all, whose share is bounded.
 */
export class LooseEntry extends PackedEntry {
  /** Where it is in the order of all that were queued (`PackedEntries`). */
  queuedAt = 0;
  readonly #owner: LooseEntryOwner;
  readonly #bytes: string;
  readonly #blocks: LooseBlock[];

  /**
   * @param bytes see `pack`
   * @param entrust makes the blocks the owners of their slots
   * @throws DamagedBytesError
   */
  constructor(
    bytes: string,
    blocks: readonly PackedBlock[],
    entrust: (slot: number, owner: LaterOwner) => void,
    owner: LooseEntryOwner,
  ) {
    super(readPacked(bytes).head);
    this.#owner = owner;
    this.#bytes = bytes;
    this.#blocks = blocks.map((block, place) => new LooseBlock(this, block, place));
    for (const block of this.#blocks) entrust(block.slot, block);
  }

  override get blocks(): readonly PackedBlock[] {
    return this.#blocks;
  }

  override get costBytes(): number {
    const textBytes = this.text.length + this.#bytes.length;
    const tagBytes = 8 * this.tagSlots.length;
    return ENTRY_COST_BYTES + textBytes + tagBytes + BLOCK_COST_BYTES * this.#blocks.length;
  }

  /** Read anew: a reader that is kept would cost as much as the text. */
  protected override rest(): ByteTextReader {
    return readPacked(this.#bytes).rest;
  }

  get isBare(): boolean {
    return this.#blocks.length === 0;
  }

  /** The last block takes the place of the one that is gone: an object may have very many, all evicted one by one. */
  evicted(gone: LooseBlock): void {
    const last = this.#blocks.pop();
    if (last && last !== gone) {
      last.place = gone.place;
      this.#blocks[gone.place] = last;
    }
    this.#owner.lostBlock(this, BLOCK_COST_BYTES);
  }
}
