import type { Block, BlockContent } from './block.ts';
import { blocksWithin, type Coverage, coverageOf } from './coverage.ts';
import { type GenerationIdentity, identityHash } from './generation-identity.ts';
import type { SlotTexts } from './slot-texts.ts';

/** The blocks of one content, by number. */
export class HeldBlocks implements BlockContent {
  readonly #identity: GenerationIdentity;
  readonly #blockBytes: number;
  readonly #texts: Pick<SlotTexts, 'forget' | 'isTold'>;
  readonly #blocks = new Map<number, Block>();
  /** Whether all bytes are known to be held: looking at each block would cost each request of a large content that much. */
  #isWhole = false;
  #hash: number | undefined;

  /** @param identity of the content */
  constructor(identity: GenerationIdentity, blockBytes: number, texts: Pick<SlotTexts, 'forget' | 'isTold'>) {
    this.#texts = texts;
    this.#identity = identity;
    this.#blockBytes = blockBytes;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** The block, where there is one alone. */
  get only(): Block | undefined {
    return this.#blocks.size === 1 ? this.#blocks.values().next().value : undefined;
  }

  /** Whether something is told behind it. */
  get isTold(): boolean {
    const { only } = this;
    return only !== undefined && this.#texts.isTold(only.slot);
  }

  untell(): void {
    const { only } = this;
    if (only) this.#texts.forget(only.slot);
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    let heldBytes = 0;
    for (const { valid } of this.#blocks.values()) heldBytes += valid.end - valid.start;
    return heldBytes;
  }

  /** The block that contains `position`, if there is one. */
  at(position: number): Block | undefined {
    return this.#blocks.get(Math.floor(position / this.#blockBytes));
  }

  values(): MapIterator<Block> {
    return this.#blocks.values();
  }

  add(block: Block): void {
    this.#blocks.set(block.index, block);
  }

  hashOf({ index }: Block): number {
    // worked out for those that get a slot, and not for all that come back from being packed
    this.#hash ??= identityHash(this.#identity);
    return this.#hash ^ Math.imul(index + 1, 0x9e3779b1);
  }

  remove({ index }: Block): void {
    this.#blocks.delete(index);
    this.#isWhole = false;
  }

  /** Removes all. */
  take(): Block[] {
    const taken = [...this.#blocks.values()];
    this.#blocks.clear();
    this.#isWhole = false;
    return taken;
  }

  /** How much of `[from, to)` is held; the range must not be empty. */
  coverage(from: number, to: number): Coverage {
    if (this.#isWhole) return 'all';
    const coverage = coverageOf(this.#blocks, this.#blockBytes, from, to);
    this.#isWhole = coverage === 'all' && from === 0 && to === this.#identity.sizeBytes;
    return coverage;
  }

  /** Whether a block exists in `[from, to)`, filled or being filled. */
  hasIn(from: number, to: number): boolean {
    const [first, last] = [Math.floor(from / this.#blockBytes), Math.floor((to - 1) / this.#blockBytes)];
    return !blocksWithin(this.#blocks, first, last).next().done;
  }
}
