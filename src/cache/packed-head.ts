import type { Span } from './block.ts';
import { ByteTextReader, type ByteTextWriter } from './byte-text.ts';

/** The version of the format; to be raised when a value is added, or gets another meaning. */
export const PACKED_VERSION = 4;

/** A block of a packed entry: where its bytes are. */
export interface PackedBlock {
  /** Which of the contents of the entry it is of. */
  readonly content: number;
  /** Number of the block within its content. */
  readonly index: number;
  readonly slot: number;
  readonly valid: Span;
}

/** What a packed entry begins with. */
export interface PackedHead {
  /** `ObjectKey.text`. */
  readonly text: string;
  /** See `Entry`. */
  readonly barrier: number;
  /** The tags of all its records; most have none. */
  readonly tagSlots: readonly number[];
  /** The one block that lies in the same slot. */
  readonly block: Omit<PackedBlock, 'slot'> | undefined;
}

/** A packed entry that is being read. */
export interface PackedText {
  readonly head: PackedHead;
  /** Has read the head, and nothing of what is behind it. */
  readonly rest: ByteTextReader;
}

/** Writes what a packed entry begins with. */
export function writeHead(to: ByteTextWriter, { text, barrier, tagSlots, block }: PackedHead): void {
  to.text(text);
  to.number(barrier);
  to.count(tagSlots.length);
  for (const slot of tagSlots) to.count(slot);
  to.count(block ? 1 : 0);
  if (!block) return;
  to.count(block.content);
  to.count(block.index);
  to.count(block.valid.start);
  to.count(block.valid.end);
}

/** Begins to read a packed entry. @throws DamagedBytesError */
export function readPacked(bytes: string): PackedText {
  const rest = new ByteTextReader(bytes, PACKED_VERSION);
  return { head: readHead(rest), rest };
}

function readHead(from: ByteTextReader): PackedHead {
  const text = from.name();
  const barrier = from.value();
  const tagSlots = Array.from({ length: from.count() }, () => from.count());
  return { text, barrier, tagSlots, block: from.count() === 0 ? undefined : readBlock(from) };
}

function readBlock(from: ByteTextReader): Omit<PackedBlock, 'slot'> {
  const [content, index] = [from.count(), from.count()];
  return { content, index, valid: { start: from.count(), end: from.count() } };
}
