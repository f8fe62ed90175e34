import type { SlotPins } from '../../cache/slot-pins.ts';
import type { WrittenBytes } from '../../cache/written-bytes.ts';
import type { WireBlock } from './messages.ts';
import { RemoteContent } from './remote-content.ts';

/** A remote content that verifies, each time it hands out bytes, that they were written; see `WrittenBytes`. */
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
      // the loan is never returned, so its pin is released here
      this.#pins.release(block.slot);
      throw error;
    }
    return bytes;
  }
}
