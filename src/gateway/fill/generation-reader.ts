import type { ContentReader, Loan } from '../../cache/content.ts';
import type { Generation } from '../../cache/generation.ts';
import { OverloadedError } from './fill-error.ts';
import type { RangeSource } from './ranged-read.ts';
import type { ReadAhead, ReadAheadReader } from './read-ahead.ts';
import type { SlotLender } from './slot-lender.ts';

/** The bytes `[from, to)` that a reader wants. */
interface WantedBytes {
  readonly from: number;
  readonly to: number;
  /** Whether bytes before `from` have already been sent. */
  readonly hasBegun: boolean;
}

/** What all readers of a worker share. */
export interface ReaderContext {
  readonly lender: SlotLender;
  readonly readAhead: ReadAhead;
}

/**
 * Reads `[from, to)` of a content that this worker owns: from blocks in memory, otherwise from the extents that fetch
 * them, as the bytes arrive.
 */
export class GenerationReader implements ContentReader, ReadAheadReader {
  readonly #generation: Generation;
  readonly #from: number;
  readonly #to: number;
  readonly #lender: SlotLender;
  readonly #readAhead: ReadAhead;
  readonly source: RangeSource;
  fetchedUntil: number;
  slotWaitMs = 0;
  #hasBegun: boolean;
  #position: number;
  /** Whether it has read the beginning of a block alone: the block counts as read when the reader has left it. */
  #isInside = false;
  /** Limit for the next loan. */
  #limitBytes = Infinity;
  #isWaiting = false;
  #isClosed = false;
  /** The bytes that were waited for, lent as soon as they arrived and not yet passed on. */
  #arrived: Loan | undefined;

  constructor(
    generation: Generation,
    { from, to, hasBegun }: WantedBytes,
    source: RangeSource,
    { lender, readAhead }: ReaderContext,
  ) {
    this.#generation = generation;
    this.#from = from;
    this.#to = to;
    this.#hasBegun = hasBegun;
    this.#position = from;
    this.fetchedUntil = from;
    this.source = source;
    this.#lender = lender;
    this.#readAhead = readAhead;
    generation.enter();
    readAhead.join(generation, this);
  }

  /** The bytes still to be read. */
  get wants(): { readonly from: number; readonly to: number } {
    return { from: this.#position, to: this.#to };
  }

  get readBytes(): number {
    return this.#position - this.#from;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  next(limitBytes = Infinity): Loan | undefined | Promise<Loan | undefined> {
    this.#limitBytes = limitBytes;
    if (this.#position >= this.#to) return undefined;
    const isNewBlock = !this.#isInside;
    const loan = this.#lend();
    if (!loan) return this.#wait();
    if (isNewBlock) this.#fetchAhead();
    return loan;
  }

  /**
   * Lends the bytes at once: where memory is short, a block without pins is evicted for the next fill as soon as it is
   * complete, before a promise of it has resolved.
   */
  arrived(): void {
    this.#arrived ??= this.#lend();
  }

  close(): void {
    this.#isClosed = true;
    this.#takeArrived()?.release();
    const block = this.#isInside ? this.#generation.blockAt(this.#position) : undefined;
    if (block) this.#generation.visit(block);
    this.#readAhead.leave(this.#generation, this);
    this.#generation.leave();
  }

  #lend(): Loan | undefined {
    const available = Math.min(this.#generation.availableUntil(this.#position), this.#to);
    const until = Math.min(available, this.#position + this.#limitBytes);
    const block = this.#generation.blockAt(this.#position);
    if (!block || until <= this.#position) return undefined;
    const start = this.#generation.blockStart(this.#position);
    const loan = this.#lender.lend(block, this.#position - start, until - start);
    this.#position += loan.bytes.length;
    this.#hasBegun = true;
    this.#isInside = this.#position < Math.min(this.#generation.blockEnd(start), this.#to);
    if (!this.#isInside) this.#generation.visit(block);
    return loan;
  }

  /** Starts read-ahead. A shortage of slots does not matter here: it is reported when the bytes are actually needed. */
  #fetchAhead(): void {
    try {
      this.#readAhead.advance(this.#generation, this);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
    }
  }

  /** Resolves with undefined when the reader is closed; nothing more is fetched for it. */
  async #wait(): Promise<Loan | undefined> {
    this.#isWaiting = true;
    try {
      while (!this.#isClosed) {
        await this.#reached();
        const loan = this.#isClosed ? undefined : (this.#takeArrived() ?? this.#lend());
        if (loan) return loan;
      }
      return undefined;
    } finally {
      this.#isWaiting = false;
    }
  }

  #takeArrived(): Loan | undefined {
    const loan = this.#arrived;
    this.#arrived = undefined;
    return loan;
  }

  /** @throws OverloadedError before the first byte of the answer, when there is no slot for it */
  async #reached(): Promise<void> {
    try {
      this.#readAhead.advance(this.#generation, this);
      await this.#readAhead.reached(this.#generation, this);
    } catch (error) {
      if (!this.#hasBegun || !(error instanceof OverloadedError)) throw error;
      await this.#readAhead.roomSoon();
    }
  }
}
