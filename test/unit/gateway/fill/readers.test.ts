import { beforeEach, expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { EXTENT_LIMIT_BYTES, type FillReader, Readers } from '../../../../src/gateway/fill/readers.ts';

const mebibyte = 1024 * 1024;
const memoryBytes = 64 * mebibyte;
let readers: Readers;
let generation: Generation;

beforeEach(() => {
  readers = new Readers(memoryBytes);
  const unused = () => {
    throw new Error('nothing is read here');
  };
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes: 2 ** 30 };
  const tier = new MemoryTier(allocateSharedMemory(8 * mebibyte, mebibyte, 1), 0);
  generation = new Generation(identity, mebibyte, tier, { open: unused, lend: unused });
});

/** A reader that a test can move. */
function reader(from: number, to = 2 ** 30): { -readonly [Key in keyof FillReader]: FillReader[Key] } {
  const send = () => {
    throw new Error('nothing is fetched here');
  };
  return {
    wants: { from, to },
    readBytes: 0,
    isWaiting: false,
    source: { backend: 'main', mayRetry: () => true, send },
  };
}

it('half of the memory is shared by all readers, and each has a block at the least', () => {
  const one = reader(0);
  readers.join(generation, one);
  expect(readers.windowBytes(generation, one)).toBe(memoryBytes / 2);
  for (let count = 1; count < 4; count++) readers.join(generation, reader(0));
  expect(readers.windowBytes(generation, one)).toBe(memoryBytes / 8);
  for (let count = 4; count < 100; count++) readers.join(generation, reader(0));
  expect(readers.windowBytes(generation, one)).toBe(mebibyte);
});

it('bytes are wanted while a reader has them before it', () => {
  const one = reader(100, 200);
  readers.join(generation, one);
  expect(readers.isWanted(generation, 0, 100)).toBe(false);
  expect(readers.isWanted(generation, 199, 300)).toBe(true);
  expect(readers.isWanted(generation, 200, 300)).toBe(false);
  expect(readers.leave(generation, one)).toBe(true);
  expect(readers.leave(generation, one), 'it has gone already').toBe(false);
  expect(readers.isWanted(generation, 0, 2 ** 30)).toBe(false);
});

it('a whole content comes within the window of its foremost reader, and an extent of it for nobody', () => {
  expect(readers.pace(generation, EXTENT_LIMIT_BYTES - 1)).toBe('go');
  expect(readers.pace(generation, EXTENT_LIMIT_BYTES)).toBe('stop');
  readers.join(generation, reader(0));
  readers.join(generation, reader(100 * mebibyte));
  const windowBytes = memoryBytes / 4;
  expect(readers.pace(generation, 100 * mebibyte + windowBytes - 1)).toBe('go');
  expect(readers.pace(generation, 100 * mebibyte + windowBytes)).toBe('hold');
});

it('who has read between two looks has not stalled, though it has joined again right before the second one', () => {
  const one = reader(0);
  readers.join(generation, one);
  readers.findStalled();
  for (let block = 1; block <= 3; block++) {
    one.readBytes = block * mebibyte;
    // as with each block that it goes on to
    readers.join(generation, one);
    expect(readers.findStalled()).toEqual([]);
    expect(readers.isWantedSoon(generation, 0, 1)).toBe(true);
  }
});

it('who takes nothing between two looks has stalled: nothing is fetched or kept for it, until it moves', () => {
  const one = reader(0);
  const other = reader(0);
  readers.join(generation, one);
  readers.join(generation, other);
  expect(readers.findStalled(), 'the first look may come right after they joined').toEqual([]);
  other.readBytes = mebibyte;
  expect(readers.findStalled()).toEqual([generation]);
  expect(readers.findStalled(), 'now the other has stalled too').toEqual([generation]);
  expect(readers.findStalled()).toEqual([]);
  expect(readers.isWantedSoon(generation, 0, 1)).toBe(false);
  expect(readers.isWanted(generation, 0, 1)).toBe(true);
  one.readBytes = mebibyte;
  readers.findStalled();
  expect(readers.isWantedSoon(generation, 0, 1)).toBe(true);
  readers.join(generation, other);
  expect(readers.windowBytes(generation, one)).toBe(memoryBytes / 4);
});

it('who waits for bytes has not stalled', () => {
  const one = reader(0);
  readers.join(generation, one);
  one.isWaiting = true;
  expect(readers.findStalled()).toEqual([]);
  expect(readers.isWantedSoon(generation, 0, 1)).toBe(true);
});

it('memory is shared by those who have not stalled', () => {
  const stalled = Array.from({ length: 9 }, () => reader(0));
  for (const one of stalled) readers.join(generation, one);
  expect(readers.firstExtentBytes(0)).toBe(memoryBytes / 20);
  expect(readers.firstExtentBytes(6)).toBe(memoryBytes / 32);
  for (let look = 0; look < 2; look++) readers.findStalled();
  expect(readers.firstExtentBytes(0)).toBe(EXTENT_LIMIT_BYTES);
  const one = reader(0);
  readers.join(generation, one);
  expect(readers.windowBytes(generation, one)).toBe(memoryBytes / 2);
  readers.join(generation, reader(0));
  for (const left of stalled) readers.leave(generation, left);
  expect(readers.windowBytes(generation, one), 'those who leave did not count any more').toBe(
    memoryBytes / 4,
  );
});
