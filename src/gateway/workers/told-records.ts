import { DamagedBytesError } from '../../cache/byte-text.ts';
import { type PackedContent, readRest } from '../../cache/packed-entry.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import type { ToldPlace, ToldText } from '../../cache/slot-texts.ts';
import { nothingNamed } from './content-source.ts';
import type { WireContent } from './messages.ts';
import type { RemoteContent } from './remote-content.ts';

/** Where a text was read: it is told as long as this is. */
export interface ToldFrom extends ToldPlace {
  /** Whether it has the slot for itself. */
  readonly isBare: boolean;
}

/**
 * The records of an object that another worker owns, by name, as that tells them. Whether they
 * hold is decided as of all records, by epoch, barriers and freshness.
 */
export function toldRecords(
  { head: { text, block }, rest, slot, tag }: ToldText,
  make: (content: WireContent) => RemoteContent,
): ReadonlyMap<string, ObjectRecord> {
  try {
    const { records, contents } = readRest(text, rest, content => make(wireContent(content)));
    const content = block && contents[block.content];
    if (block && content) {
      const blockStart = block.index * content.identity.blockBytes;
      const { start, end } = block.valid;
      content.place({ slot, tag, blockStart, from: blockStart + start, to: blockStart + end });
    }
    return records;
  } catch (error) {
    if (error instanceof DamagedBytesError) return new Map();
    throw error;
  }
}

function wireContent({ identity, blockBytes, asked, ...content }: PackedContent): WireContent {
  const { objectKey: _known, ...named } = identity;
  return { ...content, identity: { ...named, blockBytes, asked: asked ?? nothingNamed } };
}
