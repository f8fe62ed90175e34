import { Generation } from '../../cache/generation.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import type { SlotPins } from '../../cache/slot-pins.ts';
import type { WireBlock, WireContent, WireRecord } from './messages.ts';
import { NumberedContents } from './numbered-contents.ts';

/** The most parts of an object that are told with each answer about it. */
const TOLD_PARTS = 64;

/**
 * What other workers are told of the contents that this one owns. A content has a number, so that they can refer to it, which is
 * forgotten when the content is garbage collected.
 */
export class ToldContents {
  /** Those that were forgotten, and that readers of any other worker go on with: for nobody else. */
  readonly continued = new NumberedContents();
  readonly #pins: Pick<SlotPins, 'tag'>;
  readonly #contents = new NumberedContents();

  constructor(pins: Pick<SlotPins, 'tag'>) {
    this.#pins = pins;
  }

  /** The content, even if no record refers to it any more: readers that started before may continue. */
  find(number: number): Generation | undefined {
    return this.#contents.find(number);
  }

  /** @param partNumber the part that was asked for: of an object with many parts no other is told */
  record(record: ReadableRecord, partNumber: number | undefined): WireRecord {
    if (!(record.content instanceof Generation))
      throw new TypeError('only owned contents can be sent to a peer');
    return { ...record, content: this.content(record.content, partNumber) };
  }

  content(generation: Generation, partNumber: number | undefined): WireContent {
    const { blockBytes, asked, parts } = generation;
    const { objectKey: _known, ...identity } = generation.identity;
    return {
      contentId: this.#numberOf(generation),
      identity: { ...identity, blockBytes, asked },
      parts: parts.known <= TOLD_PARTS ? parts.entries() : parts.entriesOf(partNumber),
      partCount: parts.count,
    };
  }

  /** Where the block that contains `position` is; undefined when it is not in memory. */
  blockAt(generation: Generation, position: number): WireBlock | undefined {
    const block = generation.blockAt(position);
    if (!block) return undefined;
    const blockStart = generation.blockStart(position);
    const { slot, valid } = block;
    const place = { slot, tag: this.#pins.tag(slot), blockStart };
    return { ...place, from: blockStart + valid.start, to: blockStart + valid.end };
  }

  #numberOf(generation: Generation): number {
    const { contentId } = generation;
    if (this.find(contentId) !== generation) this.#contents.set(contentId, generation);
    return contentId;
  }
}
