import type { Block } from '../../cache/block.ts';
import type { ContentReader, Loan } from '../../cache/content.ts';
import type { Generation } from '../../cache/generation.ts';
import { OverloadedError } from './fill-error.ts';
import type { RangeSource } from './ranged-read.ts';
import type { Fetching, ReadAhead } from './read-ahead.ts';
import type { SlotLender } from './slot-lender.ts';

/**
 * Reads `[from, to)` of a content that this worker owns: from the blocks in memory where they are, else from the
 * extents that bring them, as the bytes arrive.
 */
export class GenerationReader implements ContentReader, Fetching {
  readonly #generation: Generation;
  readonly #to: number;
  readonly #lender: SlotLender;
  readonly #readAhead: ReadAhead;
  readonly source: RangeSource;
  fetchedUntil: number;
  readonly #from: number;
  /** Whether some of the answer has been sent: then it waits for room, instead of being refused. */
  #hasBegun: boolean;
  #position: number;
  #visitedBlock = -1;
  #isWaiting = false;
  #isClosed = false;

  constructor(
    generation: Generation,
    from: number,
    to: number,
    source: RangeSource,
    lender: SlotLender,
    readAhead: ReadAhead,
    hasBegun: boolean,
  ) {
    this.#generation = generation;
    this.#from = from;
    this.#hasBegun = hasBegun;
    this.#position = from;
    this.fetchedUntil = from;
    this.#to = to;
    this.source = source;
    this.#lender = lender;
    this.#readAhead = readAhead;
    generation.enter();
    readAhead.join(generation, this);
  }

  /** The bytes that are still wanted. */
  get wants(): { readonly from: number; readonly to: number } {
    return { from: this.#position, to: this.#to };
  }

  get readBytes(): number {
    return this.#position - this.#from;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  next(): Loan | undefined | Promise<Loan | undefined> {
    if (this.#position >= this.#to) return undefined;
    const lastBlock = this.#visitedBlock;
    const loan = this.#lend();
    if (!loan) return this.#wait();
    if (this.#visitedBlock !== lastBlock) this.#fetchAhead();
    return loan;
  }

  close(): void {
    this.#isClosed = true;
    this.#readAhead.leave(this.#generation, this);
    this.#generation.leave();
  }

  #lend(): Loan | undefined {
    const until = Math.min(this.#generation.availableUntil(this.#position), this.#to);
    const block = this.#generation.blockAt(this.#position);
    if (!block || until <= this.#position) return undefined;
    this.#visit(block);
    const start = this.#generation.blockStart(this.#position);
    const loan = this.#lender.lend(block, this.#position - start, until - start);
    this.#position += loan.bytes.length;
    this.#hasBegun = true;
    return loan;
  }

  /** However many pieces of a block this reader takes, it comes to it once. */
  #visit(block: Block): void {
    if (block.index === this.#visitedBlock) return;
    this.#visitedBlock = block.index;
    this.#generation.visit(block);
  }

  /** What is lent is good whether or not more can be fetched; what stands in the way of more shows when it is wanted. */
  #fetchAhead(): void {
    try {
      this.#readAhead.advance(this.#generation, this);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
    }
  }

  /** Ends with nothing when the reader is closed meanwhile: nothing more is fetched for it then. */
  async #wait(): Promise<Loan | undefined> {
    this.#isWaiting = true;
    try {
      while (!this.#isClosed) {
        await this.#reached();
        const loan = this.#isClosed ? undefined : this.#lend();
        if (loan) return loan;
      }
      return undefined;
    } finally {
      this.#isWaiting = false;
    }
  }

  /** @throws OverloadedError when the answer has not begun and there is no room for its first byte */
  async #reached(): Promise<void> {
    try {
      this.#readAhead.advance(this.#generation, this);
      await this.#readAhead.reached(this.#generation, this.#position, !this.#hasBegun);
    } catch (error) {
      if (!this.#hasBegun || !(error instanceof OverloadedError)) throw error;
      await this.#readAhead.roomSoon();
    }
  }
}
