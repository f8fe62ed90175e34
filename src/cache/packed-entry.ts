import type { Block, Span } from './block.ts';
import { ByteTextReader, ByteTextWriter, DamagedBytesError } from './byte-text.ts';
import { type Entry, tagSlotsOfAll } from './entry.ts';
import type { Generation } from './generation.ts';
import type { AskedFor, GenerationIdentity } from './generation-identity.ts';
import type { Part } from './part-map.ts';
import type { ObjectRecord } from './record.ts';
import { readFields, readRecord, writeFields, writeRecord } from './record-codec.ts';
import type { SlotOwner } from './slot-owner.ts';

/** The version of the format; to be raised when a value is added, or gets another meaning. */
const VERSION = 3;

/** Measured: the entry with its place in the table, and each block. The texts come on top, a byte for each character. */
const ENTRY_COST_BYTES = 330;
const BLOCK_COST_BYTES = 110;

/** Makes a content that holds nothing yet. */
export type Revive = (
  identity: GenerationIdentity,
  blockBytes: number,
  asked: AskedFor | undefined,
) => Generation;

/** Who is told that a block of an entry was evicted, and what that had cost. */
interface PackedEntryOwner {
  lostBlock(entry: PackedEntry, bytes: number): void;
}

/** A block of a packed entry: where its bytes are. */
class PackedBlock implements SlotOwner {
  readonly contentHash: number;
  /** Which of the contents of the entry it is of. */
  readonly content: number;
  readonly index: number;
  slot: number;
  readonly valid: Span;
  readonly #entry: PackedEntry;

  constructor(entry: PackedEntry, content: number, { contentHash, index, slot, valid }: Block) {
    this.#entry = entry;
    this.content = content;
    this.contentHash = contentHash;
    this.index = index;
    this.slot = slot;
    this.valid = valid;
  }

  evicted(): void {
    this.#entry.evicted(this);
  }

  moved(slot: number): void {
    this.slot = slot;
  }
}

/**
 * All that is known of an object, as one text of bytes, and where its blocks are. It costs a fraction of the decoded form,
 * which is made again when the object is looked up.
 */
export class PackedEntry {
  /** `ObjectKey.text`. */
  readonly text: string;
  /** See `Entry`. */
  readonly barrier: number;
  /** The tags of all its records; most have none. */
  readonly tagSlots: readonly number[];
  /** Where it is in the order of all that were queued (`PackedEntries`). */
  queuedAt = 0;
  readonly #bytes: string;
  readonly #owner: PackedEntryOwner;
  #blocks: readonly PackedBlock[];

  /**
   * @param generations all contents that the records refer to; they must be idle, and are retired
   * @param entrust makes the new blocks the owners of their slots
   */
  constructor(
    { objectKey, records, barrier }: Entry,
    generations: ReadonlySet<Generation>,
    entrust: (slot: number, owner: SlotOwner) => void,
    owner: PackedEntryOwner,
  ) {
    this.text = objectKey.text;
    this.barrier = barrier;
    this.tagSlots = tagSlotsOfAll(records);
    this.#owner = owner;
    const contents = [...generations];
    this.#bytes = encode(records, contents);
    this.#blocks = contents.flatMap((generation, content) =>
      generation.takeBlocks().map(block => new PackedBlock(this, content, block)),
    );
    for (const block of this.#blocks) entrust(block.slot, block);
  }

  /** Estimated memory that it costs besides the bytes of its blocks. */
  get costBytes(): number {
    const textBytes = this.text.length + this.#bytes.length;
    const tagBytes = 8 * this.tagSlots.length;
    return ENTRY_COST_BYTES + textBytes + tagBytes + BLOCK_COST_BYTES * this.#blocks.length;
  }

  get heldBytes(): number {
    return this.#blocks.reduce((sum, { valid }) => sum + valid.end - valid.start, 0);
  }

  get isBare(): boolean {
    return this.#blocks.length === 0;
  }

  /** The slots of its blocks. */
  get slots(): number[] {
    return this.#blocks.map(({ slot }) => slot);
  }

  /** The records, and contents with the blocks, which belong to these from now on. */
  revive(create: Revive): Map<string, ObjectRecord> {
    const { records, contents } = decode(this.text, this.#bytes, create);
    for (const { content, index, slot, valid } of this.#blocks)
      contents[content]?.restoreBlock(index, slot, valid);
    return records;
  }

  evicted(gone: PackedBlock): void {
    this.#blocks = this.#blocks.filter(block => block !== gone);
    this.#owner.lostBlock(this, BLOCK_COST_BYTES);
  }
}

function encode(records: ReadonlyMap<string, ObjectRecord>, contents: readonly Generation[]): string {
  const to = new ByteTextWriter();
  to.count(contents.length);
  for (const { identity, blockBytes, asked, parts, contentId } of contents) {
    to.text(identity.versionId);
    to.text(identity.entityTag);
    to.number(identity.sizeBytes);
    to.text(identity.contentEncoding);
    to.count(blockBytes);
    writeAsked(to, asked);
    to.number(contentId);
    to.number(parts.count);
    const known = parts.entries();
    to.count(known.length);
    for (const [number, part] of known) writePart(to, number, part);
  }
  to.count(records.size);
  for (const [name, record] of records) {
    to.text(name);
    const content = contents.findIndex(one => record.kind === 'readable' && record.content === one);
    writeRecord(to, record, Math.max(0, content));
  }
  return to.finish(VERSION);
}

/** @throws DamagedBytesError */
function decode(objectKey: string, bytes: string, create: Revive) {
  const from = new ByteTextReader(bytes, VERSION);
  const contents = Array.from({ length: from.count() }, () => readContent(from, objectKey, create));
  const records = new Map<string, ObjectRecord>();
  for (let left = from.count(); left > 0; left--)
    records.set(
      from.name(),
      readRecord(from, number => {
        const content = contents[number];
        if (!content) throw new DamagedBytesError('no content has this number');
        return content;
      }),
    );
  return { records, contents };
}

function readContent(from: ByteTextReader, objectKey: string, create: Revive): Generation {
  const identity = {
    objectKey,
    versionId: from.text(),
    entityTag: from.text(),
    sizeBytes: from.value(),
    contentEncoding: from.text(),
  };
  const content = create(identity, from.count(), readAsked(from));
  content.contentId = from.number();
  const count = from.number();
  for (let left = from.count(); left > 0; left--) {
    const number = from.count();
    content.parts.learn(number, readPart(from), count);
  }
  return content;
}

function writePart(to: ByteTextWriter, number: number, { first, last, checksums }: Part): void {
  to.count(number);
  to.count(first);
  // the part of an empty object ends in front of its first byte
  to.count(last + 1);
  writeFields(to, checksums);
}

function readPart(from: ByteTextReader): Part {
  return { first: from.count(), last: from.count() - 1, checksums: readFields(from) };
}

function writeAsked(
  to: ByteTextWriter,
  { versionId, requestPayer, selecting = [] }: Partial<AskedFor> = {},
): void {
  const isPlain = versionId === undefined && requestPayer === undefined && selecting.length === 0;
  to.count(isPlain ? 0 : 1);
  if (isPlain) return;
  to.text(versionId);
  to.text(requestPayer);
  writeFields(to, selecting);
}

function readAsked(from: ByteTextReader): AskedFor | undefined {
  if (from.count() === 0) return undefined;
  const asked = { versionId: from.text(), requestPayer: from.text() };
  const selecting = readFields(from);
  return selecting.length === 0 ? asked : { ...asked, selecting };
}
