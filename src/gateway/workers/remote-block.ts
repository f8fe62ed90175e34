import { type Coverage, type CoveredBlock, coverageOfSpan } from '../../cache/coverage.ts';
import type { SlotPins } from '../../cache/slot-pins.ts';
import type { WireBlock } from './messages.ts';

/** The remembered position of another worker's block in the arena; void as soon as the slot holds something else. */
export class RemoteBlock implements WireBlock, CoveredBlock {
  readonly slot: number;
  readonly tag: number;
  readonly slotSizeBytes: number;
  readonly blockStart: number;
  readonly from: number;
  readonly to: number;
  readonly #pins: SlotPins;

  constructor({ slot, tag, slotSizeBytes, blockStart, from, to }: WireBlock, pins: SlotPins) {
    this.slot = slot;
    this.tag = tag;
    this.slotSizeBytes = slotSizeBytes;
    this.blockStart = blockStart;
    this.from = from;
    this.to = to;
    this.#pins = pins;
  }

  /** How much of `[from, to)` of the block is known to be in memory and still is. */
  coverage(from: number, to: number): Coverage {
    if (this.#pins.tag(this.slot) !== this.tag) return 'none';
    return coverageOfSpan(this.from - this.blockStart, this.to - this.blockStart, from, to);
  }
}
