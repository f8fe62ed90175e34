import { Block, type BlockContent } from './block.ts';
import type { WrittenBytes } from './written-bytes.ts';

/** Identifies a block of an object, for error messages. */
interface BlockName {
  /** `ObjectKey.text`. */
  readonly object: string;
  /** First byte of the block within the object. */
  readonly start: number;
}

/** A block that verifies, each time it hands out bytes, that they were written; see `WrittenBytes`. */
export class CheckedBlock extends Block {
  readonly #written: WrittenBytes;
  readonly #name: BlockName;

  constructor(written: WrittenBytes, name: BlockName, index: number, content: BlockContent) {
    super(index, content);
    this.#written = written;
    this.#name = name;
  }

  override place(slot: number, memory: Buffer): void {
    this.#written.given(memory);
    super.place(slot, memory);
  }

  override write(offset: number, chunk: Uint8Array): void {
    super.write(offset, chunk);
    this.#written.note(super.bytes(offset, offset + chunk.length));
  }

  override bytes(from: number, to: number): Buffer {
    const bytes = super.bytes(from, to);
    const { object, start } = this.#name;
    this.#written.check(bytes, object, start + from, start + to);
    return bytes;
  }

  override text(from: number, to: number): string {
    return this.bytes(from, to).toString('latin1');
  }
}

/** A block that is checked where `written` is there. */
export function blockIn(
  written: WrittenBytes | undefined,
  name: BlockName,
  index: number,
  content: BlockContent,
): Block {
  return written ? new CheckedBlock(written, name, index, content) : new Block(index, content);
}
