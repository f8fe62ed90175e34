import type { Generation } from '../../cache/generation.ts';

/** Puts the bytes `[from, to)` of a content into its blocks, in order, except for those that something else brings. */
export class BlockWriter {
  readonly #generation: Generation;
  #position: number;
  #to: number;
  /** Bytes before are not written. */
  #writesFrom: number;
  #hasWritten = false;
  #isOpen = false;

  constructor(generation: Generation, from: number, to: number) {
    this.#generation = generation;
    this.#position = from;
    this.#writesFrom = from;
    this.#to = to;
  }

  /** The next byte to come. */
  get position(): number {
    return this.#position;
  }

  get to(): number {
    return this.#to;
  }

  /** Whether all bytes have come. */
  get isComplete(): boolean {
    return this.#position >= this.#to;
  }

  /** Whether bytes have been put into blocks. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Whether the block of the next byte is open to be written. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Nothing from `to` on is wanted any more. */
  limit(to: number): void {
    this.#to = Math.min(this.#to, to);
  }

  /** Nothing behind the block of the next byte is wanted any more. */
  limitToBlock(): void {
    this.limit(this.#generation.blockEnd(this.#position));
  }

  /** Whether a block is going to be written that some of `[from, to)` lies in. */
  claims(from: number, to: number): boolean {
    return to > this.#generation.blockStart(this.#position) && from < this.#generation.blockEnd(this.#to - 1);
  }

  /**
   * The byte to wait for until the one at `position` is there. A byte in front of what is written comes from the block's
   * other fill: then the end of its block is waited for, which nothing else can fill before.
   */
  awaitedFor(position: number): number {
    return position < this.#writesFrom ? this.#generation.blockEnd(position) - 1 : position;
  }

  /** Where all of a content is sent, blocks come along that are held or that other extents write into. */
  isBroughtByOthers(): boolean {
    if (this.#isOpen || this.#position < this.#writesFrom) return !this.#isOpen;
    const block = this.#generation.blockAt(this.#position);
    const until = this.#blockEnd();
    if (!block?.isFilling && this.#generation.availableUntil(this.#position) < until) return false;
    this.#writesFrom = until;
    return true;
  }

  /** Skips the bytes at the start of `chunk` that others bring; returns the rest. */
  drop(chunk: Buffer): Buffer {
    const lengthBytes = Math.min(chunk.length, this.#writesFrom - this.#position);
    this.#position += lengthBytes;
    return chunk.subarray(lengthBytes);
  }

  /** Whether there was a slot for the block of the next byte. */
  open(): boolean {
    this.#isOpen = this.#generation.openBlock(this.#position);
    return this.#isOpen;
  }

  /** Writes into the open block, and closes it when it is full; returns what belongs behind it. */
  write(chunk: Buffer): Buffer {
    const until = this.#blockEnd();
    const part = chunk.subarray(0, until - this.#position);
    this.#generation.write(this.#position, part);
    this.#hasWritten = true;
    this.#position += part.length;
    if (this.#position === until) this.#close(this.#position - 1);
    return chunk.subarray(part.length);
  }

  /** Gives up a block that is open and not full. */
  end(): void {
    if (this.#isOpen) this.#close(this.#position);
  }

  #close(position: number): void {
    this.#isOpen = false;
    this.#generation.closeBlock(position);
  }

  #blockEnd(): number {
    return Math.min(this.#generation.blockEnd(this.#position), this.#to);
  }
}
