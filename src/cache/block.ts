import type { SlotOwner } from './memory-tier.ts';

/** A run of bytes `[start, end)`, counted from the beginning of its block. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const nothing: Span = { start: 0, end: 0 };
const noSlot = -1;
const noMemory = Buffer.alloc(0);

/**
 * An aligned piece of a generation in one slot of the arena: one valid span of bytes, and while it is being filled a
 * second one that grows until it touches the first.
 */
export class Block implements SlotOwner {
  /** Number of the block within its content. */
  readonly index: number;
  readonly contentHash: number;
  readonly #onEvicted: (block: Block) => void;
  #slot = noSlot;
  #memory: Buffer = noMemory;
  #valid = nothing;
  #arriving: Span | undefined;

  constructor(index: number, contentHash: number, onEvicted: (block: Block) => void) {
    this.index = index;
    this.contentHash = contentHash;
    this.#onEvicted = onEvicted;
  }

  /** Puts the block into `slot`, whose first bytes are `memory`: as many as the block is long. */
  place(slot: number, memory: Buffer): void {
    this.#slot = slot;
    this.#memory = memory;
  }

  get slot(): number {
    return this.#slot;
  }

  /** The block's bytes, those that are not valid included. */
  get memory(): Buffer {
    return this.#memory;
  }

  /** The bytes that are there whether or not more arrive. */
  get valid(): Span {
    return this.#valid;
  }

  get isFilling(): boolean {
    return this.#arriving !== undefined;
  }

  /** Bytes are going to arrive from `offset` on. */
  open(offset: number): void {
    const extendsValid = offset === this.#valid.end && this.#valid.end > this.#valid.start;
    this.#arriving = extendsValid ? this.#valid : { start: offset, end: offset };
  }

  /** `lengthBytes` more have arrived. */
  arrived(lengthBytes: number): void {
    if (!this.#arriving) throw new RangeError('the block is not being filled');
    const arriving = { start: this.#arriving.start, end: this.#arriving.end + lengthBytes };
    this.#arriving = touches(arriving, this.#valid) ? merge(arriving, this.#valid) : arriving;
    if (this.#valid === nothing || touches(this.#arriving, this.#valid)) this.#valid = this.#arriving;
  }

  /** Nothing more arrives now. Of two spans that never met the longer one stays. */
  close(): void {
    if (this.#arriving && lengthOf(this.#arriving) > lengthOf(this.#valid)) this.#valid = this.#arriving;
    this.#arriving = undefined;
  }

  /** End of the bytes that are there from `offset` on; `offset` itself when there are none. */
  availableUntil(offset: number): number {
    if (contains(this.#valid, offset)) return this.#valid.end;
    if (this.#arriving && contains(this.#arriving, offset)) return this.#arriving.end;
    return offset;
  }

  /** Where the next bytes after `offset` begin that are there already; `sizeBytes` of the block when there are none. */
  nextAvailable(offset: number, sizeBytes: number): number {
    if (this.availableUntil(offset) > offset) return offset;
    return this.#valid.end > this.#valid.start && this.#valid.start > offset ? this.#valid.start : sizeBytes;
  }

  evicted(): void {
    this.#onEvicted(this);
  }
}

function lengthOf(span: Span): number {
  return span.end - span.start;
}

function contains(span: Span, offset: number): boolean {
  return offset >= span.start && offset < span.end;
}

function touches(one: Span, other: Span): boolean {
  return lengthOf(other) > 0 && one.start <= other.end && other.start <= one.end;
}

function merge(one: Span, other: Span): Span {
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
}
