import type { Block } from '../../cache/block.ts';
import type { Loan } from '../../cache/content.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';

/**
 * A response is lent at most this much at a time: a block of the usual length, since its slot is held as a whole
 * whatever is lent of it, and one write of a MiB costs a sixth less than four of a quarter.
 */
export const LOAN_LIMIT_BYTES = 1024 * 1024;

/** What a response gets to keep for itself when too much of the arena is lent out. */
const COPY_LIMIT_BYTES = 64 * 1024;

/** While more than so many copies are out, further ones are short: what stalled readers hold shrinks with their number. */
const MANY_COPIES = 256;
const SHORT_COPY_BYTES = 16 * 1024;

/**
 * Lends memory of the arena to responses. A slot that is lent cannot be reused, however slow the reader; so when
 * half of what a worker owns is lent, by whichever workers, further readers of it get copies and the rest stays free
 * to move. Outside of the arena a response holds 64 KiB at the most, and 16 KiB where 256 others hold copies.
 */
export class SlotLender {
  readonly #tier: MemoryTier;
  readonly #slotsLimit: number;
  #copies = 0;

  /** @param slotsLimit slots of one worker that may be lent at the same time. */
  constructor(tier: MemoryTier, slotsLimit: number) {
    this.#tier = tier;
    this.#slotsLimit = slotsLimit;
  }

  /** Bytes of `block`, from offset `from` on and at most until `to`. */
  lend(block: Block, from: number, to: number): Loan {
    const { slot } = block;
    const bytes = block.bytes(from, Math.min(to, from + LOAN_LIMIT_BYTES));
    this.#tier.pins.acquire(slot, this.#tier.pins.tag(slot));
    return this.lendHeld(slot, bytes);
  }

  /** `bytes` of a slot of any worker that has just been acquired: the hold is given up with the loan, or at once. */
  lendHeld(slot: number, bytes: Buffer): Loan {
    if (this.#tier.pins.heldBeside(slot) <= this.#slotsLimit)
      return { bytes, slot, release: () => this.#takeBack(slot) };
    const copy = copyOf(bytes.subarray(0, this.#copies < MANY_COPIES ? COPY_LIMIT_BYTES : SHORT_COPY_BYTES));
    this.#takeBack(slot);
    this.#copies++;
    return { bytes: copy, slot: undefined, release: () => this.#copies-- };
  }

  #takeBack(slot: number): void {
    this.#tier.pins.release(slot);
    this.#tier.released();
  }
}

/** In memory of its own: in a pool of Node's, whoever holds a short copy, or sends it to another thread, holds or sends all of the pool. */
export function copyOf(bytes: Buffer): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
