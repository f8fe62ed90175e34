import type { ByteTextReader } from './byte-text.ts';
import type { Entry } from './entry.ts';
import type { Generation } from './generation.ts';
import { PackedEntry } from './packed-entry.ts';
import type { PackedBlock } from './packed-head.ts';
import type { FoundText } from './packed-slots.ts';
import { TextBeside } from './text-beside.ts';

/** A packed entry that was found beside its one block, or in a slot that it had for itself. */
export class SlotEntry extends PackedEntry {
  readonly blocks: readonly PackedBlock[];
  /** Nothing of it is on the heap but while it is looked at. */
  readonly costBytes = 0;
  readonly #rest: ByteTextReader;

  constructor({ slot, head, rest }: FoundText) {
    super(head);
    this.blocks = head.block ? [{ ...head.block, slot }] : [];
    this.#rest = rest;
  }

  protected override rest(): ByteTextReader {
    return this.#rest;
  }

  protected override textBeside(
    entry: Pick<Entry, 'records' | 'barrier'>,
    [content, ...others]: readonly Generation[],
  ): TextBeside | undefined {
    const [{ index } = { index: 0 }] = this.blocks;
    const block = content?.blockAt(index * content.blockBytes);
    return content && block && others.length === 0 ? new TextBeside(entry, content, block) : undefined;
  }
}
