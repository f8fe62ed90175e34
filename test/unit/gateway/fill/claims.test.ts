import { beforeEach, expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { BlockWriter } from '../../../../src/gateway/fill/block-writer.ts';
import { claiming, firstUnclaimed, untilWhole } from '../../../../src/gateway/fill/claims.ts';

const blockBytes = 4096;
const sizeBytes = 8 * blockBytes - 100;
let generation: Generation;

beforeEach(() => {
  const tier = new MemoryTier(allocateSharedMemory(16 * blockBytes, blockBytes, 1), 0);
  const identity = { objectKey: 'main\nb\nk', versionId: undefined, entityTag: '"t"', sizeBytes };
  const unused = () => {
    throw new Error('nothing is read here');
  };
  generation = new Generation(identity, blockBytes, tier, { open: unused, lend: unused });
});

/** A running extent that has the bytes `[from, to)` still to bring. */
function claim(from: number, to: number, isWhole = false) {
  return { blocks: new BlockWriter(generation, from, to), isWhole };
}

/** Fills block `index`. */
function hold(index: number): void {
  const position = index * blockBytes;
  generation.openBlock(position);
  generation.write(position, Buffer.alloc(generation.blockEnd(position) - position));
  generation.closeBlock(position);
}

function missing(extents: ReturnType<typeof claim>[], from = 0, to = sizeBytes) {
  return firstUnclaimed(generation, extents, from, to, sizeBytes);
}

it('an extent claims each block that it is going to write to, from their first bytes to their last', () => {
  const extents = [claim(blockBytes + 100, 2 * blockBytes + 1)];
  expect(claiming(extents, blockBytes - 1)).toBeUndefined();
  expect(claiming(extents, blockBytes)).toBe(extents[0]);
  expect(claiming(extents, 3 * blockBytes - 1)).toBe(extents[0]);
  expect(claiming(extents, 3 * blockBytes)).toBeUndefined();
});

it('what is missing begins after held and claimed blocks, and ends before the next claimed one', () => {
  hold(0);
  const extents = [claim(6 * blockBytes, 7 * blockBytes), claim(blockBytes, 2 * blockBytes + 1)];
  expect(missing(extents)).toEqual({ start: 3 * blockBytes, end: 6 * blockBytes });
});

it('a block that an extent has come to in the middle is claimed from its start', () => {
  expect(missing([claim(2 * blockBytes + 10, 3 * blockBytes)])).toEqual({ start: 0, end: 2 * blockBytes });
});

it('nothing is missing where all is held or claimed, or nothing was asked for', () => {
  hold(0);
  expect(missing([claim(blockBytes, sizeBytes)])).toBeUndefined();
  expect(missing([], 0, blockBytes)).toBeUndefined();
  expect(missing([], 5 * blockBytes, 5 * blockBytes)).toBeUndefined();
});

it('a new transfer of the whole goes on behind another one that ends before the byte that is wanted', () => {
  const ending = claim(blockBytes + 10, 2 * blockBytes, true);
  expect(untilWhole(generation, [ending], 2 * blockBytes)).toBe(sizeBytes);
});

it('a new transfer of the whole ends where another one of the whole is, whatever other extents do', () => {
  expect(untilWhole(generation, [claim(blockBytes, 2 * blockBytes)], 0)).toBe(sizeBytes);
  const wholes = [claim(5 * blockBytes + 10, sizeBytes, true), claim(6 * blockBytes, sizeBytes, true)];
  expect(untilWhole(generation, wholes, 0)).toBe(5 * blockBytes);
  expect(untilWhole(generation, wholes, 5 * blockBytes - 1)).toBe(5 * blockBytes);
});
