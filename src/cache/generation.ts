import { lengthPrefixed } from '../base/length-prefixed.ts';
import { Block, type Span } from './block.ts';
import { CheckedBlock } from './checked-block.ts';
import type { Content, ContentReader, Loan } from './content.ts';
import { blocksWithin, type Coverage, coverageOf } from './coverage.ts';
import type { MemoryTier } from './memory-tier.ts';
import { hashText } from './object-key.ts';
import { PartMap } from './part-map.ts';

/** What makes a content the same content. */
export interface GenerationIdentity {
  /** `ObjectKey.text`. */
  readonly objectKey: string;
  readonly versionId: string | undefined;
  /** Strong entity tag, quotes included; undefined for a content that is never combined with another answer. */
  readonly entityTag: string | undefined;
  readonly sizeBytes: number;
}

/** A run of bytes `[start, end)` of the whole content. */
export type ContentSpan = Span;

/** Heap that a generation costs, its number for other workers included, and each block that it holds; measured. */
const GENERATION_COST_BYTES = 1_000;
const BLOCK_COST_BYTES = 450;

/** How the bytes of generations are handed out. */
export interface ContentAccess {
  /** A reader of `[from, to)`; what is missing, it has fetched. `hasBegun`: bytes before `from` have been sent. */
  open(generation: Generation, from: number, to: number, hasBegun: boolean): ContentReader;
  /** Bytes of a block, from offset `from` on and at most until `to`. */
  lend(block: Block, from: number, to: number): Loan;
}

/**
 * One immutable content and the blocks held of it. Blocks belong to a generation and never to a key, so bytes of two
 * contents cannot meet.
 */
export class Generation implements Content {
  readonly identity: GenerationIdentity;
  readonly blockBytes: number;
  readonly parts: PartMap;
  readonly #tier: MemoryTier;
  readonly #blocks = new Map<number, Block>();
  readonly #hash: number;
  readonly #reading: ContentAccess;
  readonly #onGrown: () => void;
  #readers = 0;
  #retired = false;

  /** @param onGrown told when the content costs more heap than before. */
  constructor(
    identity: GenerationIdentity,
    blockBytes: number,
    tier: MemoryTier,
    reading: ContentAccess,
    onGrown: () => void = () => undefined,
  ) {
    this.identity = identity;
    this.blockBytes = blockBytes;
    this.#tier = tier;
    this.#reading = reading;
    this.#onGrown = onGrown;
    this.parts = new PartMap([], undefined, onGrown);
    const { objectKey, versionId, entityTag, sizeBytes } = identity;
    this.#hash = hashText(objectKey + lengthPrefixed(versionId) + lengthPrefixed(entityTag) + sizeBytes);
  }

  get sizeBytes(): number {
    return this.identity.sizeBytes;
  }

  /** Responses that are being made from this content. */
  get readers(): number {
    return this.#readers;
  }

  get isRetired(): boolean {
    return this.#retired;
  }

  /** Estimated heap that the content costs, the bytes of its blocks apart. */
  get costBytes(): number {
    return GENERATION_COST_BYTES + BLOCK_COST_BYTES * this.#blocks.size + this.parts.costBytes;
  }

  get heldBlocks(): number {
    return this.#blocks.size;
  }

  /** Bytes of the content that are held, for operators. */
  get heldBytes(): number {
    let held = 0;
    for (const block of this.#blocks.values()) held += block.valid.end - block.valid.start;
    return held;
  }

  /** The block that `position` lies in, if any of it is held. */
  blockAt(position: number): Block | undefined {
    return this.#blocks.get(Math.floor(position / this.blockBytes));
  }

  /** First byte of the block that `position` lies in. */
  blockStart(position: number): number {
    return position - (position % this.blockBytes);
  }

  /** End of the block that `position` lies in. */
  blockEnd(position: number): number {
    return Math.min(this.blockStart(position) + this.blockBytes, this.sizeBytes);
  }

  /** End of the bytes held from `position` on, within its block; `position` itself when there are none. */
  availableUntil(position: number): number {
    const start = this.blockStart(position);
    return start + (this.blockAt(position)?.availableUntil(position - start) ?? position - start);
  }

  /** The first run of bytes in `[from, to)` that are not held, widened to whole blocks and at most `limitBytes` long. */
  firstMissing(from: number, to: number, limitBytes: number): ContentSpan | undefined {
    let start = from;
    while (start < to && this.availableUntil(start) > start) start = this.availableUntil(start);
    if (start >= to) return undefined;
    const first = this.blockAt(start) ? this.#missingFrom(start) : this.blockStart(start);
    let end = this.#missingUntil(start);
    while (end < to && end - first < limitBytes && end % this.blockBytes === 0 && !this.blockAt(end)) {
      end = this.#missingUntil(end);
    }
    return { start: first, end };
  }

  /** How much of `[from, to)` is held; it must not be empty. */
  coverage(from: number, to: number): Coverage {
    const start = this.blockStart(from);
    // most reads are of one block
    if (to <= start + this.blockBytes)
      return this.blockAt(from)?.coverage(from - start, to - start) ?? 'none';
    return coverageOf(this.#blocks, this.blockBytes, from, to, (block, start, end) =>
      block.coverage(start, end),
    );
  }

  /** Whether there is a block for some of `[from, to)`, with bytes or about to get them. */
  hasBlockIn(from: number, to: number): boolean {
    const [first, last] = [Math.floor(from / this.blockBytes), Math.floor((to - 1) / this.blockBytes)];
    return !blocksWithin(this.#blocks, first, last).next().done;
  }

  lend(from: number, to: number): Loan | undefined {
    const block = this.#holding(from, to);
    if (!block) return undefined;
    const offset = from - this.blockStart(from);
    return whole(this.#reading.lend(block, offset, offset + to - from), to - from);
  }

  peekText(from: number, to: number): string | undefined {
    const block = this.#holding(from, to);
    if (!block) return undefined;
    const offset = from - this.blockStart(from);
    return block.text(offset, offset + to - from);
  }

  /**
   * @param hasBegun whether the answer has: bytes before `from` have been sent.
   * @throws RangeError when `[from, to)` is not within the content: what does not exist would be waited for without end
   */
  open(from: number, to: number, hasBegun = false): ContentReader {
    if (!(0 <= from && from <= to && to <= this.sizeBytes))
      throw new RangeError(`bytes ${from} to ${to} of a content of ${this.sizeBytes} cannot be read`);
    return this.#reading.open(this, from, to, hasBegun);
  }

  /** A reader comes to `block`, see `MemoryTier.read`. */
  visit(block: Block): void {
    this.#tier.read(block.slot);
  }

  /** Prepares the block at `position` to receive bytes from there on. False when there is no room at the moment. */
  openBlock(position: number): boolean {
    const existing = this.blockAt(position);
    const block = existing ?? this.#addBlock(position);
    if (!block) return false;
    block.open(position - this.blockStart(position));
    if (existing) this.#tier.reopen(existing.slot);
    // Being counted anew may cost the content its place: its blocks go then, but not those that are being filled.
    if (!existing) this.#onGrown();
    return true;
  }

  /**
   * Puts `chunk` at `position`, where its block was opened or the last chunk for it ended; it must not cross the end of the
   * block.
   */
  write(position: number, chunk: Uint8Array): void {
    this.#openBlockAt(position).write(position - this.blockStart(position), chunk);
  }

  /** Ends the filling of the block that `position` lies in. */
  closeBlock(position: number): void {
    const block = this.#openBlockAt(position);
    block.close();
    this.#tier.complete(block.slot);
    if (this.#retired) this.#freeUnread();
  }

  /** What nobody has read and nobody `wants` soon is the first to go when room is needed. */
  demoteUnread(wants: (from: number, to: number) => boolean): void {
    for (const block of this.#blocks.values()) {
      const start = block.index * this.blockBytes;
      if (!block.isFilling && !wants(start, this.blockEnd(start))) this.#tier.demote(block.slot);
    }
  }

  /** A reader begins; it must `leave` exactly once. */
  enter(): void {
    this.#readers++;
  }

  leave(): void {
    this.#readers--;
    if (this.#retired) this.#freeUnread();
  }

  /** The content is no longer anybody's answer: its blocks go as soon as the last reader has left. */
  retire(): void {
    this.#retired = true;
    this.#freeUnread();
  }

  /** Blocks that are being filled go when their filling ends. */
  #freeUnread(): void {
    if (this.#readers > 0) return;
    for (const block of [...this.#blocks.values()]) {
      if (block.isFilling) continue;
      this.#tier.free(block.slot);
      this.#blocks.delete(block.index);
    }
  }

  /** The block that holds all of `[from, to)`, noted as read again. */
  #holding(from: number, to: number): Block | undefined {
    const block = this.blockAt(from);
    if (!block || this.availableUntil(from) < to) return undefined;
    this.#tier.read(block.slot);
    return block;
  }

  #addBlock(position: number): Block | undefined {
    const index = Math.floor(position / this.blockBytes);
    const sizeBytes = this.blockEnd(position) - this.blockStart(position);
    const contentHash = (this.#hash ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
    const block = this.#newBlock(index, contentHash);
    const slot = this.#tier.allocate(sizeBytes, block);
    if (slot === undefined) return undefined;
    block.place(slot, this.#tier.view(slot, sizeBytes));
    this.#blocks.set(index, block);
    return block;
  }

  #newBlock(index: number, contentHash: number): Block {
    const { written } = this.#tier;
    const onEvicted = (block: Block) => this.#blocks.delete(block.index);
    if (!written) return new Block(index, contentHash, onEvicted);
    const name = { object: this.identity.objectKey, start: index * this.blockBytes };
    return new CheckedBlock(written, name, index, contentHash, onEvicted);
  }

  #openBlockAt(position: number): Block {
    const block = this.blockAt(position);
    if (!block?.isFilling) throw new RangeError(`the block at ${position} is not open`);
    return block;
  }

  #missingFrom(position: number): number {
    const block = this.blockAt(position);
    const start = this.blockStart(position);
    if (!block) return start;
    const { valid } = block;
    return position - start >= valid.end && valid.end > valid.start ? start + valid.end : start;
  }

  #missingUntil(position: number): number {
    const start = this.blockStart(position);
    const sizeBytes = this.blockEnd(position) - start;
    return start + (this.blockAt(position)?.nextAvailable(position - start, sizeBytes) ?? sizeBytes);
  }
}

/** `loan` if it is all of what was wanted; else it is given back. */
function whole(loan: Loan, lengthBytes: number): Loan | undefined {
  if (loan.bytes.length === lengthBytes) return loan;
  loan.release();
  return undefined;
}
