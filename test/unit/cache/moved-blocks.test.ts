import { beforeEach, expect, it } from 'vitest';
import { Generation } from '../../../src/cache/generation.ts';
import { LooseEntry } from '../../../src/cache/loose-entry.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { PackedEntries } from '../../../src/cache/packed-entries.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { UnwrittenBytesError } from '../../../src/cache/written-bytes.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordOf } from '../../support/records.ts';

const pageBytes = 64 * 1024;
const halfBytes = pageBytes / 2;
/** What is left in a slot behind a content. */
const roomBytes = 400;
const objectKey = testKey('main', 'b', 'moved');
/** Less than the block holds: what is behind was never written. */
const writtenBytes = 1_000;
const text = 'what was here before '.repeat(50).slice(0, writtenBytes);
const unused = (): never => {
  throw new Error('nothing is read here');
};

let tier: MemoryTier;

beforeEach(() => {
  tier = new MemoryTier(allocateSharedMemory(8 * pageBytes, pageBytes, 1, { blocks: 'checked' }), 0);
});

function create(name: string): Generation {
  const identity = {
    objectKey: name,
    versionId: undefined,
    entityTag: '"t"',
    sizeBytes: halfBytes - roomBytes,
  };
  return new Generation(identity, halfBytes, tier, { open: unused, lend: unused });
}

/** A content of half a page that holds `bytes`. */
function hold(name: string, bytes: Buffer): Generation {
  const content = create(name);
  content.openBlock(0);
  content.write(0, bytes);
  content.closeBlock(0);
  return content;
}

function slotOf(content: Generation): number {
  return content.blockAt(0)?.slot ?? Number.NaN;
}

/** Has `content`, which lies in the first page, moved to make room for a block of a page. */
function moveAway(): void {
  for (let half = 2; half < 16; half++) {
    const other = hold(`other ${half}`, Buffer.alloc(halfBytes - roomBytes, half));
    const block = half % 2 === 0 ? other.blockAt(0) : undefined;
    if (block) other.visit(block);
  }
  const large = tier.allocate(pageBytes, { contentHash: 0, evicted: () => {}, moved: () => {} });
  expect(large).toBe(0);
  if (large !== undefined) tier.view(large, pageBytes).fill(0xff);
}

function holdMoved(): Generation {
  const cold = hold('cold', Buffer.alloc(halfBytes - roomBytes, 1));
  const block = cold.blockAt(0);
  if (block) cold.visit(block);
  return hold(objectKey.text, Buffer.from(text));
}

function expectItsBytes(content: Generation | undefined): void {
  expect(content?.peekText(0, writtenBytes)).toBe(text);
  const block = content?.blockAt(0);
  expect(() => block?.bytes(0, writtenBytes + 1)).toThrow(UnwrittenBytesError);
}

it('a block that was moved has its bytes, and what is known of them, and nothing else', () => {
  const content = holdMoved();
  const before = slotOf(content);
  const tag = tier.pins.tag(before);
  moveAway();
  expect(slotOf(content)).not.toBe(before);
  expect(tier.pins.acquire(before, tag), 'references to where it was are void').toBe(false);
  expectItsBytes(content);
  expect(content.openBlock(writtenBytes), 'it can be filled further').toBe(true);
  content.write(writtenBytes, Buffer.from('more'));
  expect(content.blockAt(0)?.text(writtenBytes, writtenBytes + 4)).toBe('more');
});

it.each([
  { where: 'in its slot', boundBytes: 0 },
  { where: 'on the heap', boundBytes: 10_000 },
])('so has the block of an entry that is packed $where', ({ boundBytes }) => {
  const content = holdMoved();
  const entry = { objectKey, records: new Map([['', recordOf(content)]]), barrier: 0 };
  // the block has no room for names as long as that
  for (let variant = 0; variant < boundBytes / 100; variant++)
    entry.records.set(`${variant}`.padEnd(500), recordOf(content));
  const entries = new PackedEntries(tier);
  entries.add(entry);
  expect(entries.get(objectKey.text) instanceof LooseEntry).toBe(boundBytes > 0);
  const before = entries.get(objectKey.text)?.slots;
  moveAway();
  expect(entries.get(objectKey.text)?.slots).not.toEqual(before);
  let revived: Generation | undefined;
  entries.take(objectKey.text)?.revive(objectKey, () => (revived = create(objectKey.text)));
  expectItsBytes(revived);
});
