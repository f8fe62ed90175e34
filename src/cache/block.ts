import { type Coverage, type CoveredBlock, coverageOfSpan } from './coverage.ts';
import type { SlotOwner } from './slot-owner.ts';

/** A run of bytes `[start, end)`, counted from the beginning of its block. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The blocks of a content, as one of them knows them. */
export interface BlockContent {
  /** See `SlotOwner.contentHash`. */
  hashOf(block: Block): number;
  /** `block` is being evicted. */
  remove(block: Block): void;
}

const nothing: Span = { start: 0, end: 0 };
const NO_SLOT = -1;
const noMemory = Buffer.alloc(0);
const doNothing = (): void => undefined;

/**
 * An aligned piece of a generation in one slot of the arena. A block has one valid span. Arriving bytes form a second
 * span, which is merged into the valid one when the two meet. A block never reports bytes that were not written to it.
 */
export class Block implements SlotOwner, CoveredBlock {
  /** Number of the block within its content. */
  readonly index: number;
  readonly #content: BlockContent;
  #slot = NO_SLOT;
  #memory: Buffer = noMemory;
  #valid = nothing;
  #arriving: Span | undefined;
  #onTakenBack = doNothing;

  constructor(index: number, content: BlockContent) {
    this.index = index;
    this.#content = content;
  }

  get contentHash(): number {
    return this.#content.hashOf(this);
  }

  /** Puts the block into `slot`. `memory` is the start of that slot, exactly as long as the block. */
  place(slot: number, memory: Buffer): void {
    this.#slot = slot;
    this.#memory = memory;
  }

  /** Puts the block into a slot that holds `valid` of its bytes already. */
  restore(slot: number, memory: Buffer, valid: Span): void {
    this.#slot = slot;
    this.#memory = memory;
    this.#valid = valid;
  }

  get slot(): number {
    return this.#slot;
  }

  /** The bytes that are held even if the current fill fails. */
  get valid(): Span {
    return this.#valid;
  }

  get isFilling(): boolean {
    return this.#arriving !== undefined;
  }

  /** The memory of `[from, to)`, which must be available. */
  bytes(from: number, to: number): Buffer {
    return from === 0 && to === this.#memory.length ? this.#memory : this.#memory.subarray(from, to);
  }

  /** Bytes `[from, to)` as text, one character per byte (Latin-1). */
  text(from: number, to: number): string {
    return this.#memory.toString('latin1', from, to);
  }

  /** Starts a fill at `offset`. `onTakenBack`: see `SlotOwner.takenBack`. */
  open(offset: number, onTakenBack = doNothing): void {
    if (this.#arriving) throw new RangeError('the block is being filled already');
    this.#onTakenBack = onTakenBack;
    this.#arriving = { start: offset, end: offset };
  }

  /**
   * Appends bytes to the current fill; `offset` must be where the last chunk ended. Bytes that are already valid are
   * not overwritten: readers, in other threads too, may be sending them.
   *
   * @throws RangeError when `chunk` is not contiguous with the fill or does not fit
   */
  write(offset: number, chunk: Uint8Array): void {
    if (offset !== this.#arriving?.end)
      throw new RangeError(`chunk at ${offset} is not contiguous: expected ${this.#arriving?.end}`);
    const until = offset + chunk.length;
    if (until > this.#memory.length)
      throw new RangeError(`chunk ends at ${until}, beyond the block of ${this.#memory.length} bytes`);
    this.#copy(offset, until, chunk);
    // `#arriving` is kept apart from the merged span: the next chunk must follow the last one written.
    this.#arriving = { start: this.#arriving.start, end: until };
    if (lengthOf(this.#valid) === 0) this.#valid = this.#arriving;
    else if (touches(this.#arriving, this.#valid)) this.#valid = merge(this.#arriving, this.#valid);
  }

  /** Ends the fill. If the two spans never met, the longer one is kept. */
  close(): void {
    if (this.#arriving && lengthOf(this.#arriving) > lengthOf(this.#valid)) this.#valid = this.#arriving;
    this.#arriving = undefined;
  }

  /** End of the contiguous bytes held from `offset` on; `offset` itself when there are none. */
  availableUntil(offset: number): number {
    if (contains(this.#valid, offset)) return this.#valid.end;
    if (this.#arriving && contains(this.#arriving, offset)) return this.#arriving.end;
    return offset;
  }

  /** How much of `[from, to)` is held. */
  coverage(from: number, to: number): Coverage {
    const valid = coverageOfSpan(this.#valid.start, this.#valid.end, from, to);
    if (valid === 'all' || !this.#arriving) return valid;
    const arriving = coverageOfSpan(this.#arriving.start, this.#arriving.end, from, to);
    return arriving === 'none' ? valid : arriving;
  }

  /** The first offset from `offset` on that is already held; `sizeBytes` of the block when there is none. */
  nextAvailable(offset: number, sizeBytes: number): number {
    if (this.availableUntil(offset) > offset) return offset;
    return this.#valid.end > this.#valid.start && this.#valid.start > offset ? this.#valid.start : sizeBytes;
  }

  evicted(): void {
    this.#content.remove(this);
  }

  moved(slot: number, memory: Buffer): void {
    this.#slot = slot;
    this.#memory = memory.subarray(0, this.#memory.length);
  }

  takenBack(): void {
    this.#onTakenBack();
  }

  /** Copies the bytes of `chunk`, which covers `[from, until)`, that are not valid yet. */
  #copy(from: number, until: number, chunk: Uint8Array): void {
    const { start, end } = this.#valid;
    if (until <= start || from >= end) {
      this.#memory.set(chunk, from);
      return;
    }
    if (from < start) this.#memory.set(chunk.subarray(0, start - from), from);
    if (until > end) this.#memory.set(chunk.subarray(end - from), end);
  }
}

function lengthOf(span: Span): number {
  return span.end - span.start;
}

function contains(span: Span, offset: number): boolean {
  return offset >= span.start && offset < span.end;
}

function touches(one: Span, other: Span): boolean {
  return one.start <= other.end && other.start <= one.end;
}

function merge(one: Span, other: Span): Span {
  return {
    start: Math.min(one.start, other.start),
    end: Math.max(one.end, other.end),
  };
}
