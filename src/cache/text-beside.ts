import type { Block } from './block.ts';
import type { Generation } from './generation.ts';
import type { ObjectRecord } from './record.ts';

/** What is compared of an object: whatever `pack` writes of it that is not the same for ever. */
type Known = Pick<TextBeside, 'records' | 'barrier'>;

/**
 * How an object of one content was when it was read from the text beside its block. While all of it is the same, the text still
 * tells it, and packing the object again costs nothing but to list it.
 */
export class TextBeside {
  readonly records: ReadonlyMap<string, ObjectRecord>;
  readonly barrier: number;
  readonly #content: Generation;
  readonly #block: Block;
  readonly #asked: Generation['asked'];
  readonly #contentId: number | undefined;
  readonly #learnedParts: number;

  constructor({ records, barrier }: Known, content: Generation, block: Block) {
    this.records = records;
    this.barrier = barrier;
    this.#content = content;
    this.#block = block;
    this.#asked = content.asked;
    this.#contentId = content.contentId;
    this.#learnedParts = content.parts.learned;
  }

  /** Takes the block, if the text beside it is still true; gives its slot. The content is retired then. */
  take({ records, barrier }: Known): number | undefined {
    if (records !== this.records || barrier !== this.barrier || !this.#isContentSame) return undefined;
    this.#content.takeBlocks();
    return this.#block.slot;
  }

  get #isContentSame(): boolean {
    const { heldBlocks, asked, contentId, parts, blockBytes } = this.#content;
    // a block that was evicted and filled again is another one, elsewhere
    const isBlockSame =
      heldBlocks === 1 && this.#content.blockAt(this.#block.index * blockBytes) === this.#block;
    if (!isBlockSame || !this.#block.isAsRestored) return false;
    return asked === this.#asked && contentId === this.#contentId && parts.learned === this.#learnedParts;
  }
}
