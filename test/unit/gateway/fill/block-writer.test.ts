import { beforeEach, expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { BlockWriter } from '../../../../src/gateway/fill/block-writer.ts';
import { describingBytes, type Origin } from '../../../support/self-describing.ts';

const blockBytes = 4096;
/** Three blocks, the last one short. */
const sizeBytes = 2 * blockBytes + 1000;
const origin: Origin = { object: 1, version: 1 };
let tier: MemoryTier;
let generation: Generation;

beforeEach(() => {
  tier = new MemoryTier(allocateSharedMemory(4 * blockBytes, blockBytes, 1), 0);
  const identity = { objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes };
  const unused = () => {
    throw new Error('nothing is read here');
  };
  generation = new Generation(identity, blockBytes, tier, { open: unused, lend: unused });
});

/** The bytes of the content at `[from, to)`. */
const content = (from: number, to: number) => describingBytes(origin, from, to);

/** A writer of `[from, to)` whose first block is open. */
function opened(from: number, to: number): BlockWriter {
  const writer = new BlockWriter(generation, from, to);
  expect(writer.open()).toBe(true);
  return writer;
}

/** Writes `[from, to)` of one block and closes it. */
function fill(from: number, to: number): void {
  const writer = opened(from, to);
  writer.write(content(from, to));
}

/** What the block of `from` holds at `[from, to)`. */
function held(from: number, to: number): Buffer | undefined {
  const start = generation.blockStart(from);
  if (generation.availableUntil(from) < to) return undefined;
  return generation.blockAt(from)?.bytes(from - start, to - start);
}

/** Another fills all slots that can be had. */
function takeSlots(): void {
  const owner = { contentHash: 0, evicted: () => undefined, moved: () => undefined };
  while (tier.allocate(blockBytes, owner) !== undefined);
}

const isFilling = (position: number) => generation.blockAt(position)?.isFilling;

it('the next byte comes after those written, and the first one is where the range begins', () => {
  const writer = opened(100, blockBytes);
  expect([writer.position, writer.hasWritten, writer.isOpen]).toEqual([100, false, true]);
  expect(writer.write(content(100, 300))).toHaveLength(0);
  expect([writer.position, writer.hasWritten, writer.isOpen]).toEqual([300, true, true]);
  writer.write(content(300, 1000));
  expect(held(100, 1000)).toEqual(content(100, 1000));
  expect(generation.availableUntil(0)).toBe(0);
});

it('a full block is closed, and the bytes after it are returned for the next one', () => {
  const writer = opened(0, sizeBytes);
  const rest = writer.write(content(0, blockBytes + 500));
  expect(rest).toEqual(content(blockBytes, blockBytes + 500));
  expect([writer.position, writer.isOpen, isFilling(0)]).toEqual([blockBytes, false, false]);
  expect(generation.blockAt(blockBytes)).toBeUndefined();
  expect(writer.open()).toBe(true);
  expect(writer.write(rest)).toHaveLength(0);
  expect(isFilling(blockBytes)).toBe(true);
  expect(held(blockBytes, blockBytes + 500)).toEqual(content(blockBytes, blockBytes + 500));
});

it('the last block of the range is closed where the range ends', () => {
  const writer = opened(0, 700);
  expect(writer.write(content(0, 900))).toHaveLength(200);
  expect([writer.isComplete, writer.isOpen, isFilling(0)]).toEqual([true, false, false]);
  expect(held(0, 700)).toEqual(content(0, 700));
  expect(generation.availableUntil(700)).toBe(700);
});

it('ending in the middle of a block closes it; its bytes stay and another writer continues it', () => {
  const writer = opened(0, sizeBytes);
  writer.write(content(0, 600));
  expect(isFilling(0)).toBe(true);
  writer.end();
  expect([writer.isOpen, isFilling(0)]).toEqual([false, false]);
  expect(held(0, 600)).toEqual(content(0, 600));
  fill(600, blockBytes);
  expect(held(0, blockBytes)).toEqual(content(0, blockBytes));
});

it('ending closes a block into which nothing was written', () => {
  const writer = opened(0, sizeBytes);
  writer.end();
  expect([writer.isOpen, writer.hasWritten, isFilling(0)]).toEqual([false, false, false]);
  fill(0, blockBytes);
  expect(held(0, blockBytes)).toEqual(content(0, blockBytes));
});

it('the slot of a block that was ended in its middle can be used for another block', () => {
  const writer = opened(0, sizeBytes);
  writer.write(content(0, 600));
  writer.end();
  takeSlots();
  expect(generation.blockAt(0)).toBeUndefined();
});

it('ending leaves the blocks of others alone when its own is not open', () => {
  const other = opened(blockBytes, sizeBytes);
  const writer = opened(0, sizeBytes);
  writer.write(content(0, blockBytes));
  expect(writer.position).toBe(blockBytes);
  writer.end();
  expect([other.isOpen, isFilling(blockBytes)]).toEqual([true, true]);
});

it('no block is open when there is no slot', () => {
  takeSlots();
  const writer = new BlockWriter(generation, 0, sizeBytes);
  expect([writer.open(), writer.isOpen]).toEqual([false, false]);
  writer.end();
  expect(generation.blockAt(0)).toBeUndefined();
});

it('a block that another fills is skipped, and its last byte is awaited for each byte in it', () => {
  const other = opened(0, blockBytes);
  const writer = new BlockWriter(generation, 0, sizeBytes);
  expect(writer.passOver()).toBe(true);
  expect(writer.drop(content(0, 1000))).toHaveLength(0);
  expect([writer.position, writer.awaitedFor(10), writer.passOver()]).toEqual([1000, blockBytes - 1, true]);
  const rest = writer.drop(content(1000, blockBytes + 50));
  expect(rest).toEqual(content(blockBytes, blockBytes + 50));
  expect([writer.passOver(), writer.awaitedFor(blockBytes + 10)]).toEqual([false, blockBytes + 10]);
  expect([other.isOpen, writer.hasWritten]).toEqual([true, false]);
});

it('a block that is held is skipped, and one that is held in part is written', () => {
  fill(0, blockBytes);
  fill(blockBytes, blockBytes + 100);
  const writer = new BlockWriter(generation, 0, sizeBytes);
  expect(writer.passOver()).toBe(true);
  writer.drop(content(0, blockBytes));
  expect(writer.passOver()).toBe(false);
});

it('the block that it fills itself is not one that others bring', () => {
  const writer = opened(0, sizeBytes);
  writer.write(content(0, 100));
  expect(writer.passOver()).toBe(false);
});

it('claims the whole blocks that its range touches, from the next byte on', () => {
  const writer = opened(100, blockBytes + 1);
  expect(writer.claims(0, 1)).toBe(true);
  expect(writer.claims(2 * blockBytes - 1, 2 * blockBytes)).toBe(true);
  expect(writer.claims(2 * blockBytes, sizeBytes)).toBe(false);
  writer.write(content(100, blockBytes));
  expect(writer.claims(0, blockBytes)).toBe(false);
});

it('limited to its block, it is complete at the end of that block', () => {
  const writer = opened(0, sizeBytes);
  writer.write(content(0, 100));
  writer.limitToBlock();
  expect([writer.to, writer.isComplete]).toEqual([blockBytes, false]);
  writer.limit(sizeBytes);
  expect(writer.to).toBe(blockBytes);
  writer.write(content(100, blockBytes));
  expect([writer.isComplete, writer.isOpen]).toEqual([true, false]);
});
