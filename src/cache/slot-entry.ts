import type { ByteTextReader } from './byte-text.ts';
import { PackedEntry } from './packed-entry.ts';
import type { PackedBlock } from './packed-head.ts';
import type { FoundText } from './slot-texts.ts';

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
}
