import { type ByteTextReader, ByteTextWriter, DamagedBytesError } from './byte-text.ts';
import type { Content } from './content.ts';
import { type Entry, tagSlotsOfAll } from './entry.ts';
import type { Generation } from './generation.ts';
import type { AskedFor, GenerationIdentity } from './generation-identity.ts';
import type { ObjectKey } from './object-key.ts';
import { PACKED_VERSION, type PackedBlock, type PackedHead, writeHead } from './packed-head.ts';
import type { Part } from './part-map.ts';
import type { ObjectRecord } from './record.ts';
import { readFields, readRecord, writeFields, writeRecord } from './record-codec.ts';

/** Makes a content that holds nothing yet. */
export type Revive = (
  identity: GenerationIdentity,
  blockBytes: number,
  asked: AskedFor | undefined,
) => Generation;

/**
 * All that is known of an object, as one text of bytes, and where its blocks are. It costs a fraction of the decoded form,
 * which is made again when the object is looked up.
 */
export abstract class PackedEntry {
  readonly text: string;
  readonly barrier: number;
  readonly tagSlots: readonly number[];

  constructor({ text, barrier, tagSlots }: PackedHead) {
    this.text = text;
    this.barrier = barrier;
    this.tagSlots = tagSlots;
  }

  abstract get blocks(): readonly PackedBlock[];

  /** Estimated heap that it costs while it is not in use. */
  abstract get costBytes(): number;

  /** What is behind the head of the text; asked for once. @throws DamagedBytesError */
  protected abstract rest(): ByteTextReader;

  get heldBytes(): number {
    return this.blocks.reduce((sum, { valid }) => sum + valid.end - valid.start, 0);
  }

  /** The slots of its blocks. */
  get slots(): number[] {
    return this.blocks.map(({ slot }) => slot);
  }

  /**
   * The entry, and contents with the blocks, which belong to these from now on. Called once.
   *
   * @param objectKey the one of `text`
   * @throws DamagedBytesError
   */
  revive(objectKey: ObjectKey, create: Revive): Entry {
    const { records, contents } = readRest(this.text, this.rest(), content => revived(content, create));
    for (const { content, index, slot, valid } of this.blocks)
      contents[content]?.restoreBlock(index, slot, valid);
    return { objectKey, records, barrier: this.barrier, wasPacked: true };
  }
}

/**
 * What is known of an object.
 *
 * @param contents all that the records refer to
 * @param block the one that the bytes are to be put beside
 */
export function pack(
  { objectKey, records, barrier }: Entry,
  contents: readonly Generation[],
  block?: PackedBlock,
): string {
  const to = new ByteTextWriter();
  const tagSlots = tagSlotsOfAll(records);
  writeHead(to, { text: objectKey.text, barrier, tagSlots, block });
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
  return to.finish(PACKED_VERSION);
}

/** A content as it was packed, without its blocks. */
export interface PackedContent {
  readonly identity: GenerationIdentity;
  readonly blockBytes: number;
  readonly asked: AskedFor | undefined;
  readonly contentId: number;
  readonly parts: readonly (readonly [number, Part])[];
  readonly partCount: number | undefined;
}

function revived(
  { identity, blockBytes, asked, contentId, parts, partCount }: PackedContent,
  create: Revive,
): Generation {
  const content = create(identity, blockBytes, asked);
  content.contentId = contentId;
  for (const [number, part] of parts) content.parts.learn(number, part, partCount);
  return content;
}

/**
 * What is behind the head of a packed entry.
 *
 * @param text `ObjectKey.text`
 * @throws DamagedBytesError
 */
export function readRest<Made extends Content>(
  text: string,
  from: ByteTextReader,
  make: (content: PackedContent) => Made,
) {
  const contents = Array.from({ length: from.count() }, () => make(readContent(from, text)));
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

function readContent(from: ByteTextReader, objectKey: string): PackedContent {
  const identity = {
    objectKey,
    versionId: from.text(),
    entityTag: from.text(),
    sizeBytes: from.value(),
    contentEncoding: from.text(),
  };
  return {
    identity,
    blockBytes: from.count(),
    asked: readAsked(from),
    contentId: from.value(),
    partCount: from.number(),
    parts: Array.from({ length: from.count() }, () => [from.count(), readPart(from)] as const),
  };
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
