import type { Generation } from '../../cache/generation.ts';

/** Writes bytes `[from, to)` of a content into its blocks, in order, except for blocks that others fill. */
export class BlockWriter {
  readonly generation: Generation;
  /** Position of the next byte. */
  position: number;
  to: number;
  /** Whether any byte was written to a block. */
  hasWritten = false;
  /** Whether the block of the next byte is open for writing. */
  isOpen = false;
  /** Bytes before this position are not written. */
  #writesFrom: number;
  /** Bytes of the block of `position` before this one may have been evicted, see `#giveBack`. */
  #givenBackUntil = 0;
  /**
   * The slot of the open block is needed elsewhere: its bytes may be evicted from now on. The next byte opens the block
   * again, once there is room.
   */
  readonly #giveBack = () => {
    this.end();
    this.#writesFrom = this.position;
    this.#givenBackUntil = this.position;
  };

  constructor(generation: Generation, from: number, to: number) {
    this.generation = generation;
    this.position = from;
    this.#writesFrom = from;
    this.to = to;
  }

  /** Whether all bytes have arrived. */
  get isComplete(): boolean {
    return this.position >= this.to;
  }

  /** Bytes from `to` on are no longer needed. */
  limit(to: number): void {
    this.to = Math.min(this.to, to);
  }

  /** Bytes after the current block are no longer needed. */
  limitToBlock(): void {
    this.limit(this.generation.blockEnd(this.position));
  }

  /** Whether a block of `[from, to)` will be written. */
  claims(from: number, to = from + 1): boolean {
    return to > this.generation.blockStart(this.position) && from < this.generation.blockEnd(this.to - 1);
  }

  /**
   * The byte to wait for to have the one at `position`. Bytes before the written range come from the block's other
   * fill, so the end of that block is awaited.
   */
  awaitedFor(position: number): number {
    return position < this.#writesFrom ? this.generation.blockEnd(position) - 1 : position;
  }

  /** Whether the byte at `position` was written, but may have been evicted before the rest of its block has arrived. */
  hasGivenBack(position: number): boolean {
    return position < this.#givenBackUntil;
  }

  /**
   * Passes over the block of the next byte if it is held, or others write it: a transfer of the whole content brings such
   * blocks as well. Whether the next byte is to be dropped.
   */
  passOver(): boolean {
    if (this.isOpen || this.position < this.#writesFrom) return !this.isOpen;
    const block = this.generation.blockAt(this.position);
    const until = this.#blockEnd();
    if (!block?.isFilling && this.generation.availableUntil(this.position) < until) return false;
    this.#writesFrom = until;
    return true;
  }

  /** Skips the bytes at the start of `chunk` that others bring; returns the rest. */
  drop(chunk: Buffer): Buffer {
    const lengthBytes = Math.min(chunk.length, this.#writesFrom - this.position);
    this.position += lengthBytes;
    return chunk.subarray(lengthBytes);
  }

  /** Opens the block of the next byte; false when no slot can be had at the moment. */
  open(): boolean {
    this.isOpen = this.generation.openBlock(this.position, this.#giveBack);
    return this.isOpen;
  }

  /** Writes to the open block and closes it when it is full; returns the bytes after it. */
  write(chunk: Buffer): Buffer {
    const until = this.#blockEnd();
    const part = chunk.subarray(0, until - this.position);
    this.generation.write(this.position, part);
    this.hasWritten = true;
    this.position += part.length;
    if (this.position === until) this.#close(this.position - 1);
    return chunk.subarray(part.length);
  }

  /** Closes a block that is open and not full. */
  end(): void {
    if (this.isOpen) this.#close(this.position);
  }

  #close(position: number): void {
    this.isOpen = false;
    this.generation.closeBlock(position);
  }

  #blockEnd(): number {
    return Math.min(this.generation.blockEnd(this.position), this.to);
  }
}
