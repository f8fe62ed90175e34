import { describe, expect, it } from 'vitest';
import type { Loan } from '../../../src/cache/content.ts';
import { type ContentAccess, Generation, type GenerationIdentity } from '../../../src/cache/generation.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';

const blockBytes = 4096;
const PAGES = 8;

const unread = () => {
  throw new Error('no reader is wanted here');
};
const lending: ContentAccess = {
  open: unread,
  lend: (block, from, to) => ({ bytes: block.bytes(from, to), slot: 0, release: () => undefined }),
};

interface Different extends Partial<GenerationIdentity> {
  readonly tier?: MemoryTier;
  readonly reading?: ContentAccess;
  readonly onGrown?: () => void;
  readonly fillGroup?: number;
}

function contentWith({
  tier = newTier(),
  reading = lending,
  onGrown,
  fillGroup,
  ...identity
}: Different = {}) {
  const whole = { objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes: 10_000, ...identity };
  return new Generation(whole, blockBytes, tier, reading, onGrown, fillGroup);
}

function newTier(): MemoryTier {
  return new MemoryTier(allocateSharedMemory(PAGES * blockBytes, blockBytes, 1), 0);
}

/** Fills `[from, to)`, which lies within one block, and does not end the fill. */
function begin(content: Generation, from: number, to: number): void {
  expect(content.openBlock(from)).toBe(true);
  content.write(from, Buffer.alloc(to - from, 1));
}

function fill(content: Generation, from: number, to: number): void {
  begin(content, from, to);
  content.closeBlock(from);
}

describe('a content that no record refers to any more', () => {
  it('gives back a block that was being filled when its fill ends, and others at once', () => {
    const tier = newTier();
    const content = contentWith({ tier });
    fill(content, 0, blockBytes);
    begin(content, blockBytes, blockBytes + 10);
    content.retire();
    expect(tier.usage.slots).toBe(1);
    content.write(blockBytes + 10, Buffer.alloc(10));
    content.closeBlock(blockBytes);
    expect(tier.usage).toMatchObject({ slots: 0, usedBytes: 0 });
    expect(content.heldBlocks).toBe(0);
  });

  it('keeps what was filled while it has readers', () => {
    const tier = newTier();
    const content = contentWith({ tier });
    content.enter();
    begin(content, 0, 10);
    content.retire();
    content.closeBlock(0);
    expect(tier.usage.slots).toBe(1);
    content.enter();
    content.leave();
    expect(tier.usage.slots).toBe(1);
    content.leave();
    expect(tier.usage.slots).toBe(0);
  });

  it('keeps nothing back before it is retired, when its readers leave', () => {
    const content = contentWith();
    fill(content, 0, blockBytes);
    content.enter();
    content.leave();
    expect([content.heldBlocks, content.isRetired]).toEqual([1, false]);
  });
});

describe('a loan', () => {
  it('that is shorter than what was asked for is given back, and none', () => {
    let released = 0;
    const short = (): Loan => ({ bytes: Buffer.alloc(9), slot: 0, release: () => void released++ });
    const content = contentWith({ reading: { open: unread, lend: short } });
    fill(content, 0, 100);
    expect(content.lend(0, 10)).toBeUndefined();
    expect(released).toBe(1);
    expect(content.lend(0, 9)?.bytes).toHaveLength(9);
    expect(released).toBe(1);
  });

  it('is of one block, all of which is held', () => {
    const content = contentWith();
    fill(content, 0, blockBytes);
    fill(content, blockBytes, blockBytes + 100);
    expect(content.lend(blockBytes - 10, blockBytes)?.bytes).toHaveLength(10);
    expect(content.lend(blockBytes - 10, blockBytes + 10)).toBeUndefined();
    expect(content.lend(blockBytes + 90, blockBytes + 101)).toBeUndefined();
    expect(content.peekText(blockBytes + 90, blockBytes + 100)).toBe('\u0001'.repeat(10));
    expect(content.peekText(blockBytes + 90, blockBytes + 101)).toBeUndefined();
    expect(content.lend(2 * blockBytes, 2 * blockBytes + 1)).toBeUndefined();
  });
});

describe('a block', () => {
  it('is not filled further while its store fills more than its share', () => {
    const tier = newTier();
    const other = contentWith({ tier, fillGroup: 2, objectKey: 'other', sizeBytes: blockBytes });
    const content = contentWith({ tier, fillGroup: 1, sizeBytes: PAGES * blockBytes });
    fill(content, 0, 100);
    begin(other, 0, 1);
    let filling = 0;
    while (content.openBlock((filling + 1) * blockBytes)) filling++;
    expect(filling).toBeLessThan(PAGES - 2);
    expect(content.openBlock(100)).toBe(false);
    expect(content.blockAt(0)?.isFilling).toBe(false);
    content.closeBlock(blockBytes);
    expect(content.openBlock(100)).toBe(true);
  });

  it('counts towards the cost of its content, which is told when it grows', () => {
    const grown: number[] = [];
    const content: Generation = contentWith({ onGrown: () => grown.push(content.costBytes) });
    const before = content.costBytes;
    fill(content, 0, 100);
    fill(content, 100, 200);
    fill(content, blockBytes, blockBytes + 1);
    const [one = 0, two = 0] = grown;
    expect(grown).toHaveLength(2);
    expect(one).toBeGreaterThan(before);
    expect(two - one).toBe(one - before);
    expect(content.heldBytes).toBe(201);
  });

  it('that is not being filled takes no bytes', () => {
    const content = contentWith();
    expect(() => content.write(0, Buffer.alloc(1))).toThrow('not open');
    fill(content, 0, 10);
    expect(() => content.write(10, Buffer.alloc(1))).toThrow('not open');
    expect(() => content.closeBlock(0)).toThrow('not open');
  });
});

it('is read within its bytes alone', () => {
  const ranges: (readonly [number, number, boolean])[] = [];
  const open: ContentAccess['open'] = (_, from, to, hasBegun) => {
    ranges.push([from, to, hasBegun]);
    return { next: () => undefined, close: () => undefined };
  };
  const content = contentWith({ reading: { ...lending, open } });
  for (const [from, to] of [
    [-1, 5],
    [5, 4],
    [0, 10_001],
    [Number.NaN, 5],
    [0, Number.NaN],
  ] as const)
    expect(() => content.open(from, to)).toThrow(RangeError);
  content.open(0, 10_000);
  content.open(10_000, 10_000, true);
  expect(ranges).toEqual([
    [0, 10_000, false],
    [10_000, 10_000, true],
  ]);
});
