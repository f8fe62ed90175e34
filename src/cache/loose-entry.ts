import type { Span } from './block.ts';
import { PackedEntry } from './packed-entry.ts';
import type { PackedBlock } from './packed-head.ts';
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
  readonly #entry: LooseEntry;

  constructor(entry: LooseEntry, { content, index, slot, valid }: PackedBlock) {
    this.#entry = entry;
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
  readonly #bytesLength: number;
  #blocks: readonly LooseBlock[];

  /** @param entrust makes the blocks the owners of their slots */
  constructor(
    bytes: string,
    blocks: readonly PackedBlock[],
    entrust: (slot: number, owner: LaterOwner) => void,
    owner: LooseEntryOwner,
  ) {
    super(bytes);
    this.#owner = owner;
    this.#bytesLength = bytes.length;
    this.#blocks = blocks.map(block => new LooseBlock(this, block));
    for (const block of this.#blocks) entrust(block.slot, block);
  }

  override get blocks(): readonly PackedBlock[] {
    return this.#blocks;
  }

  override get costBytes(): number {
    const textBytes = this.text.length + this.#bytesLength;
    const tagBytes = 8 * this.tagSlots.length;
    return ENTRY_COST_BYTES + textBytes + tagBytes + BLOCK_COST_BYTES * this.#blocks.length;
  }

  get isBare(): boolean {
    return this.#blocks.length === 0;
  }

  evicted(gone: LooseBlock): void {
    this.#blocks = this.#blocks.filter(block => block !== gone);
    this.#owner.lostBlock(this, BLOCK_COST_BYTES);
  }
}
