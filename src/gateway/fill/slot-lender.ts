import type { Block } from '../../cache/block.ts';
import type { Loan } from '../../cache/content.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';
import { SpareCopies } from './spare-copies.ts';

/**
 * Longest loan: one block of the default size. A slot is pinned as a whole however little of it is lent, and one write
 * of 1 MiB costs a sixth less than four of 256 KiB.
 */
export const LOAN_LIMIT_BYTES = 1024 * 1024;

/** Size of a private copy when too much of the arena is pinned. */
const COPY_LIMIT_BYTES = 64 * 1024;

/** With more copies than this, further ones are shorter: this bounds the memory that stalled readers hold. */
const MANY_COPIES = 256;
const SHORT_COPY_BYTES = 16 * 1024;

/**
 * Lends arena memory to responses. A pinned slot cannot be reused, however slow the reader. So when half of a worker's
 * slots are pinned, by any workers, further readers get copies and the rest of the slots stays available. Outside the
 * arena a response holds at most 64 KiB, and 16 KiB once 256 others hold copies.
 */
export class SlotLender {
  readonly #tier: MemoryTier;
  readonly #slotsLimit: number;
  readonly #spare = new SpareCopies([COPY_LIMIT_BYTES, SHORT_COPY_BYTES]);
  #copies = 0;

  /** @param slotsLimit slots of one worker that may be pinned at the same time */
  constructor(tier: MemoryTier, slotsLimit: number) {
    this.#tier = tier;
    this.#slotsLimit = slotsLimit;
  }

  /** Lends bytes of `block` from offset `from`, at most up to `to`. */
  lend(block: Block, from: number, to: number): Loan {
    const { slot } = block;
    const bytes = block.bytes(from, Math.min(to, from + LOAN_LIMIT_BYTES));
    this.#tier.pins.acquire(slot, this.#tier.pins.tag(slot));
    return this.lendHeld(slot, bytes);
  }

  /**
   * Lends `bytes` of a slot, of any worker, that the caller has pinned. The pin is released with the loan, or
   * immediately if a copy is lent.
   */
  lendHeld(slot: number, bytes: Buffer): Loan {
    if (this.#tier.pins.heldBeside(slot) <= this.#slotsLimit)
      return { bytes, slot, release: () => this.#unpin(slot) };
    const limitBytes = this.#copies < MANY_COPIES ? COPY_LIMIT_BYTES : SHORT_COPY_BYTES;
    const copy = this.#spare.copyOf(bytes.subarray(0, limitBytes));
    this.#unpin(slot);
    this.#copies++;
    const release = () => {
      this.#copies--;
      this.#spare.takeBack(copy);
    };
    return { bytes: copy, slot: undefined, release };
  }

  /** Lends a copy that another worker has made. */
  lendReceived(copy: Buffer<ArrayBuffer>): Loan {
    return { bytes: copy, slot: undefined, release: () => this.#spare.takeBack(copy) };
  }

  #unpin(slot: number): void {
    this.#tier.pins.release(slot);
    this.#tier.released();
  }
}
