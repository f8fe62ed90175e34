import type { Block } from '../../cache/block.ts';
import type { Loan } from '../../cache/content.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';

/**
 * A response is lent at most this much at a time: a block of the usual length, since its slot is held as a whole
 * whatever is lent of it, and one write of a MiB costs a sixth less than four of a quarter.
 */
export const loanLimitBytes = 1024 * 1024;

/** What a response gets to keep for itself when too much of the arena is lent out. */
const copyLimitBytes = 64 * 1024;

/**
 * Lends memory of the arena to responses. A slot that is lent cannot be reused, however slow the reader; so when
 * half of the arena is lent, further readers get copies of a fixed length and the arena stays free to move.
 */
export class LoanDesk {
  readonly #tier: MemoryTier;
  readonly #slotsLimit: number;

  /** @param slotsLimit slots that may be lent at the same time. */
  constructor(tier: MemoryTier, slotsLimit: number) {
    this.#tier = tier;
    this.#slotsLimit = slotsLimit;
  }

  /** Bytes of `block`, from offset `from` on and at most until `to`. */
  lend(block: Block, from: number, to: number): Loan {
    const { slot } = block;
    const bytes = block.bytes(from, Math.min(to, from + loanLimitBytes));
    this.#tier.pins.acquire(slot, this.#tier.pins.tag(slot));
    return this.lendHeld(slot, bytes);
  }

  /** `bytes` of a slot of any worker that has just been acquired: the hold is given up with the loan, or at once. */
  lendHeld(slot: number, bytes: Buffer): Loan {
    if (this.#tier.pins.heldSlots <= this.#slotsLimit)
      return { bytes, isCopy: false, release: () => this.#takeBack(slot) };
    const copy = Buffer.from(bytes.subarray(0, copyLimitBytes));
    this.#takeBack(slot);
    return { bytes: copy, isCopy: true, release: () => undefined };
  }

  #takeBack(slot: number): void {
    this.#tier.pins.release(slot);
    this.#tier.released();
  }
}
