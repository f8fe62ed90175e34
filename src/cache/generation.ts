import type { TraceContext } from '../http/trace-context.ts';
import type { Block, Span } from './block.ts';
import { blockIn } from './checked-block.ts';
import { type Content, type ContentReader, type Loan, wholeLoan } from './content.ts';
import type { AccessTo } from './content-access.ts';
import type { Coverage } from './coverage.ts';
import type { GenerationEncodings } from './generation-encodings.ts';
import type { AskedFor, GenerationIdentity } from './generation-identity.ts';
import { HeldBlocks } from './held-blocks.ts';
import type { MemoryTier } from './memory-tier.ts';
import { PartMap } from './part-map.ts';

/** Measured heap cost of a generation, including its number for other workers, and of each of its blocks. */
const GENERATION_COST_BYTES = 1_000;
const BLOCK_COST_BYTES = 450;

/** Reads bytes of generations. */
export type ContentAccess = AccessTo<Generation>;

/** One immutable content and the blocks held of it, which belong to it and to no key: so bytes of two contents are never mixed. */
export class Generation implements Content {
  readonly identity: GenerationIdentity;
  readonly sizeBytes: number;
  readonly blockBytes: number;
  readonly parts: PartMap;
  /** See `FillingSlots`. */
  readonly fillGroup: number;
  /** The number by which other workers know the content; packing keeps it. */
  contentId: number;
  /** Whether it was asked for in several ways, as the current object and as a version: what one is refused others may get. */
  isAskedVariously = false;
  readonly #tier: MemoryTier;
  readonly #blocks: HeldBlocks;
  readonly #reading: ContentAccess;
  readonly #onGrown: () => void;
  #encodings: GenerationEncodings | undefined;
  #readers = 0;
  #retired = false;

  /** @param onGrown called when the content's estimated heap cost has grown */
  constructor(
    identity: GenerationIdentity,
    blockBytes: number,
    tier: MemoryTier,
    reading: ContentAccess,
    onGrown: () => void = () => undefined,
    fillGroup = 0,
  ) {
    this.identity = identity;
    this.sizeBytes = identity.sizeBytes;
    this.blockBytes = blockBytes;
    this.#blocks = new HeldBlocks(identity, blockBytes, tier.texts);
    this.#tier = tier;
    this.#reading = reading;
    this.#onGrown = onGrown;
    this.fillGroup = fillGroup;
    this.parts = new PartMap([], undefined, onGrown, () => this.untell());
    this.contentId = tier.numberContent();
  }

  get isRetired(): boolean {
    return this.#retired;
  }

  /** Estimated heap cost, without the bytes of its blocks (they are in the arena). */
  get costBytes(): number {
    const others = this.parts.costBytes + (this.#encodings?.costBytes ?? 0);
    return GENERATION_COST_BYTES + BLOCK_COST_BYTES * this.#blocks.size + others;
  }

  get encodings(): GenerationEncodings | undefined {
    this.#encodings ??= this.#reading.encodingsOf?.(this);
    return this.#encodings;
  }

  get heldBlocks(): number {
    return this.#blocks.size;
  }

  /** The block, where there is one alone. */
  get onlyBlock(): Block | undefined {
    return this.#blocks.only;
  }

  /** Whether what is known of the object is told behind its only block (`SlotTexts`). */
  get isTold(): boolean {
    return this.#blocks.isTold;
  }

  /** The object is not told any more: must be called before anything becomes known that is not said. */
  untell(): void {
    this.#blocks.untell();
    this.#tier.packed.untell(this.identity.objectKey);
  }

  /** Bytes that are held of the content, in all codings; for display. */
  get heldBytes(): number {
    return this.#blocks.heldBytes + (this.#encodings?.heldBytes ?? 0);
  }

  /** The block that contains `position`, if there is one. */
  blockAt(position: number): Block | undefined {
    return this.#blocks.at(position);
  }

  /** First byte of the block that contains `position`. */
  blockStart(position: number): number {
    return position - (position % this.blockBytes);
  }

  /** End of the block that contains `position`. */
  blockEnd(position: number): number {
    return Math.min(this.blockStart(position) + this.blockBytes, this.sizeBytes);
  }

  /** End of the contiguous bytes held from `position` on, within its block; `position` itself when there are none. */
  availableUntil(position: number): number {
    const start = this.blockStart(position);
    return start + (this.blockAt(position)?.availableUntil(position - start) ?? position - start);
  }

  /** How much of `[from, to)` is held; the range must not be empty. */
  coverage(from: number, to: number): Coverage {
    return this.#blocks.coverage(from, to);
  }

  /** Whether a block exists in `[from, to)`, filled or being filled. */
  hasBlockIn(from: number, to: number): boolean {
    return this.#blocks.hasIn(from, to);
  }

  lend(from: number, to: number): Loan | undefined {
    const block = this.#holding(from, to);
    if (!block) return undefined;
    const offset = from - this.blockStart(from);
    return wholeLoan(this.#reading.lend(block, offset, offset + to - from), to - from);
  }

  peekText(from: number, to: number): string | undefined {
    const block = this.#holding(from, to);
    if (!block) return undefined;
    const offset = from - this.blockStart(from);
    return block.text(offset, offset + to - from);
  }

  /**
   * @param hasBegun whether bytes before `from` have already been sent
   * @throws RangeError when `[from, to)` is not within the content: the reader would wait for ever
   */
  open(from: number, to: number, hasBegun = false, trace?: TraceContext): ContentReader {
    if (!(0 <= from && from <= to && to <= this.sizeBytes))
      throw new RangeError(`range ${from}-${to} is outside the content of ${this.sizeBytes} bytes`);
    return this.#reading.open(this, from, to, hasBegun, trace);
  }

  /** See `MemoryTier.read`. */
  visit(block: Block): void {
    this.#tier.read(block.slot);
  }

  /**
   * Starts a fill of the block at `position`, from there on; `onTakenBack` must end it, see `SlotOwner`. False when no
   * slot can be had at the moment.
   */
  openBlock(position: number, onTakenBack = () => this.closeBlock(position)): boolean {
    this.#blocks.untell();
    const existing = this.blockAt(position);
    const block = existing ?? this.#addBlock(position);
    if (!block) return false;
    if (existing && !existing.isFilling && !this.#tier.reopen(existing.slot, this.fillGroup)) return false;
    block.open(position - this.blockStart(position), onTakenBack);
    // This may evict the content's own entry and free its blocks, but not those being filled.
    if (!existing) this.#onGrown();
    return true;
  }

  /**
   * Appends `chunk` to the open block at `position`, which must be where its fill started or the last chunk ended. A
   * chunk must not cross the end of the block.
   */
  write(position: number, chunk: Uint8Array): void {
    this.#openBlockAt(position).write(position - this.blockStart(position), chunk);
  }

  /** Ends the fill of the block that contains `position`. */
  closeBlock(position: number): void {
    const block = this.#openBlockAt(position);
    block.close();
    this.#tier.complete(block.slot);
    if (this.#retired) this.#freeUnread();
    else this.#reading.filled?.();
  }

  /** How missing bytes are asked for. */
  get asked(): AskedFor | undefined {
    return this.#reading.asked;
  }

  /** The store gives the same content when it is asked in this way, and readers from now on ask so. */
  askAs(next: AskedFor): void {
    const { asked } = this;
    if (asked && next.versionId === asked.versionId && next.requestPayer === asked.requestPayer) return;
    this.untell();
    this.isAskedVariously = true;
    this.#reading.askAs?.(next);
  }

  /** Whether nobody reads it and none of its blocks is being filled. */
  get isIdle(): boolean {
    if (this.#readers > 0 || this.#encodings?.isIdle === false) return false;
    for (const block of this.#blocks.values()) if (block.isFilling) return false;
    return true;
  }

  /** Takes all blocks from the content, which must be idle; what is read or made of it from now on is not kept. */
  takeBlocks(): Block[] {
    this.#encodings?.retire();
    this.#retired = true;
    return this.#blocks.take();
  }

  /** Adds a block whose bytes `valid` are in `slot` already. */
  restoreBlock(index: number, slot: number, valid: Span): void {
    const block = this.#newBlock(index);
    const start = index * this.blockBytes;
    block.restore(slot, this.#tier.view(slot, this.blockEnd(start) - start), valid);
    this.#tier.entrust(slot, block);
    this.#blocks.add(block);
  }

  /** Makes unread blocks that no reader `wants` soon the first to be evicted. */
  demoteUnread(wants: (from: number, to: number) => boolean): void {
    for (const block of this.#blocks.values()) {
      const start = block.index * this.blockBytes;
      if (!block.isFilling && !wants(start, this.blockEnd(start))) this.#tier.demote(block.slot);
    }
  }

  /** A reader starts; it must call `leave` exactly once. */
  enter(): void {
    this.#readers++;
  }

  leave(): void {
    this.#readers--;
    if (this.#retired) this.#freeUnread();
  }

  /** No record refers to the content any more: its blocks are freed once the last reader has left. */
  retire(): void {
    this.#retired = true;
    this.#encodings?.retire();
    this.#blocks.untell();
    this.#freeUnread();
  }

  /** Frees all blocks if there are no readers. Blocks that are being filled are freed when their fill ends. */
  #freeUnread(): void {
    if (this.#readers > 0) return;
    for (const block of [...this.#blocks.values()].filter(({ isFilling }) => !isFilling)) {
      this.#tier.free(block.slot);
      this.#blocks.remove(block);
    }
  }

  /** The block that holds all of `[from, to)`; records the read. */
  #holding(from: number, to: number): Block | undefined {
    const block = this.blockAt(from);
    const start = this.blockStart(from);
    if (!block || block.availableUntil(from - start) < to - start) return undefined;
    this.#tier.read(block.slot);
    return block;
  }

  #addBlock(position: number): Block | undefined {
    const index = Math.floor(position / this.blockBytes);
    const sizeBytes = this.blockEnd(position) - this.blockStart(position);
    const block = this.#newBlock(index);
    const roomBytes = sizeBytes === this.sizeBytes ? this.#tier.packed.roomBeside(sizeBytes) : 0;
    const slot = this.#tier.allocate(sizeBytes + roomBytes, block, this.fillGroup);
    if (slot === undefined) return undefined;
    block.place(slot, this.#tier.view(slot, sizeBytes));
    this.#blocks.add(block);
    return block;
  }

  #newBlock(index: number): Block {
    const name = { object: this.identity.objectKey, start: index * this.blockBytes };
    return blockIn(this.#tier.written, name, index, this.#blocks);
  }

  #openBlockAt(position: number): Block {
    const block = this.blockAt(position);
    if (!block?.isFilling) throw new RangeError(`the block at ${position} is not open`);
    return block;
  }
}
