import type { SlotPins } from '../../cache/slot-pins.ts';
import type { WrittenBytes } from '../../cache/written-bytes.ts';
import type { WireBlock } from './messages.ts';
import { RemoteContent } from './remote-content.ts';

/** A near content that checks what its owner says of blocks each time that bytes are handed out. */
export class CheckedRemoteContent extends RemoteContent {
  readonly #written: WrittenBytes;
  readonly #object: string;
  readonly #pins: SlotPins;

  /** @param object `ObjectKey.text`. */
  constructor(written: WrittenBytes, object: string, ...remote: ConstructorParameters<typeof RemoteContent>) {
    super(...remote);
    this.#written = written;
    this.#object = object;
    this.#pins = remote[2];
  }

  protected override view(block: WireBlock, from: number, to: number): Buffer {
    const bytes = super.view(block, from, to);
    try {
      this.#written.check(bytes, this.#object, from, to);
    } catch (error) {
      // nobody gets what is held for the loan
      this.#pins.release(block.slot);
      throw error;
    }
    return bytes;
  }
}
