import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Generation } from '../../src/cache/generation.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import { firstMissing } from '../../src/cache/missing-span.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';

const blockBytes = 4096;

function contentOf(sizeBytes: number): Buffer {
  return Buffer.from(
    Array.from({ length: sizeBytes }, (_, position) => (position * 31 + (position >> 8)) % 251),
  );
}

/** Puts `[from, to)` of `content` into `generation` in chunks, as an extent does. */
function fill(generation: Generation, content: Buffer, from: number, to: number, chunkBytes: number): void {
  let position = from;
  while (position < to) {
    expect(generation.openBlock(position)).toBe(true);
    const end = Math.min(generation.blockEnd(position), to);
    while (position < end) {
      const next = Math.min(position + chunkBytes, end);
      generation.write(position, content.subarray(position, next));
      position = next;
    }
    generation.closeBlock(position - 1);
  }
}

/** Reads `[from, to)` from the blocks, as far as they go. */
function read(generation: Generation, from: number, to: number): Buffer {
  const pieces: Buffer[] = [];
  let position = from;
  while (position < to) {
    const until = Math.min(generation.availableUntil(position), to);
    if (until === position) break;
    const loan = generation.lend(position, until);
    if (!loan) throw new Error(`bytes ${position}-${until} are announced and not there`);
    pieces.push(Buffer.from(loan.bytes));
    position = until;
  }
  return Buffer.concat(pieces);
}

function newGeneration(
  sizeBytes: number,
  tier = new MemoryTier(allocateSharedMemory(64 * blockBytes, blockBytes, 1), 0),
) {
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes };
  return new Generation(identity, blockBytes, tier, {
    open: () => {
      throw new Error('no reader is wanted here');
    },
    lend: (block, from, to) => ({
      bytes: block.bytes(from, to),
      slot: 0,
      release: () => undefined,
    }),
  });
}

const spans = fc.array(
  fc.tuple(fc.nat(40_000), fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 1, max: 5_000 })),
  { maxLength: 12 },
);

it('law 1: slices of the blocks are slices of the object, whatever was filled in whatever order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40_000 }), spans, (sizeBytes, fills) => {
      const content = contentOf(sizeBytes);
      const generation = newGeneration(sizeBytes);
      for (const [start, length, chunkBytes] of fills) {
        const missing = firstMissing(
          generation,
          start % sizeBytes,
          Math.min(sizeBytes, (start % sizeBytes) + length),
          8 * blockBytes,
        );
        if (missing) fill(generation, content, missing.start, missing.end, chunkBytes);
      }
      for (const [start, length] of fills) {
        const from = start % sizeBytes;
        const to = Math.min(sizeBytes, from + length);
        const held = read(generation, from, to);
        expect(held.equals(content.subarray(from, from + held.length))).toBe(true);
        expect(generation.coverage(from, to) === 'all').toBe(held.length === to - from);
      }
    }),
  );
});

it('unaligned spans of one block join when they touch, and serve nothing between before that', () => {
  const content = contentOf(blockBytes);
  const generation = newGeneration(blockBytes);
  fill(generation, content, 3000, 4096, 500);
  expect(generation.availableUntil(0)).toBe(0);
  expect(firstMissing(generation, 100, 200, blockBytes)).toEqual({ start: 0, end: 3000 });
  expect(generation.openBlock(0)).toBe(true);
  generation.write(0, content.subarray(0, 2999));
  expect(generation.availableUntil(0)).toBe(2999);
  expect(generation.availableUntil(3500)).toBe(4096);
  generation.write(2999, content.subarray(2999, 3000));
  expect(generation.availableUntil(0)).toBe(4096);
  generation.closeBlock(0);
  expect(read(generation, 0, 4096).equals(content)).toBe(true);
});

it('of two spans that never met the longer one stays', () => {
  const content = contentOf(blockBytes);
  const generation = newGeneration(blockBytes);
  fill(generation, content, 3000, 4096, 500);
  fill(generation, content, 0, 2000, 500);
  expect(generation.availableUntil(0)).toBe(2000);
  expect(generation.availableUntil(3500)).toBe(3500);
});

it('gives its slots back when it is retired, after its last reader', () => {
  const tier = new MemoryTier(allocateSharedMemory(64 * blockBytes, blockBytes, 1), 0);
  const generation = newGeneration(10_000, tier);
  fill(generation, contentOf(10_000), 0, 10_000, 1000);
  generation.enter();
  generation.retire();
  expect(tier.usage.slots).toBe(3);
  generation.leave();
  expect(tier.usage).toMatchObject({ slots: 0, usedBytes: 0 });
});
