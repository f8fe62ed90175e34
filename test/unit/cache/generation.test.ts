import { describe, expect, it, vi } from 'vitest';
import type { Loan } from '../../../src/cache/content.ts';
import { type ContentAccess, Generation } from '../../../src/cache/generation.ts';
import type { GenerationIdentity } from '../../../src/cache/generation-identity.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { firstMissing } from '../../../src/cache/missing-span.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { ManualClock } from '../../support/manual-clock.ts';

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

it('a content is asked for in the way that was last said, and known to be asked for variously from the first other on', () => {
  const asked = { versionId: 'v1', requestPayer: undefined };
  const ways: unknown[] = [];
  const reading = { ...lending, asked, askAs: (next: unknown) => void ways.push(next) };
  const others = [
    { ...asked, versionId: undefined },
    { ...asked, versionId: 'v2' },
    { ...asked, requestPayer: 'requester' },
  ] as const;
  for (const other of others) {
    const content = contentWith({ reading });
    content.askAs({ ...asked });
    expect([ways.splice(0), content.isAskedVariously]).toEqual([[], false]);
    content.askAs(other);
    expect([ways.splice(0), content.isAskedVariously]).toEqual([[other], true]);
  }
});

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
  it('is told apart from those of other contents, and other blocks of its own, when it comes back', () => {
    const hashes = (different: Different) => {
      const content = contentWith(different);
      fill(content, 0, 1);
      fill(content, blockBytes, blockBytes + 1);
      return [content.blockAt(0)?.contentHash, content.blockAt(blockBytes)?.contentHash];
    };
    const all = [
      ...[{}, { objectKey: 'k2' }, { versionId: 'v' }, { entityTag: '"u"' }],
      ...[{ sizeBytes: 10_001 }, { contentEncoding: 'gzip' }],
      // the same characters, in other places
      ...[
        { versionId: 'ab', entityTag: '"c"' },
        { versionId: 'a', entityTag: 'b"c"' },
      ],
    ].map(hashes);
    expect(new Set(all.flat()).size).toBe(2 * all.length);
    expect(hashes({})).toEqual(all[0]);
  });

  it('that is evicted is held no more', () => {
    const tier = newTier();
    const content = contentWith({ tier });
    fill(content, 0, blockBytes);
    fill(content, blockBytes, 2 * blockBytes);
    const other = contentWith({ tier, objectKey: 'other', sizeBytes: PAGES * blockBytes });
    for (let block = 0; block < PAGES; block++) fill(other, block * blockBytes, block * blockBytes + 1);
    expect([content.heldBlocks, content.blockAt(0), content.availableUntil(0)]).toEqual([0, undefined, 0]);
  });

  it('whose place another store takes is closed, with the bytes that it has', () => {
    const clock = new ManualClock();
    const tier = new MemoryTier(allocateSharedMemory(PAGES * blockBytes, blockBytes, 1), 0, clock);
    const sizeBytes = PAGES * blockBytes;
    const content = contentWith({ tier, fillGroup: 1, sizeBytes });
    for (let block = 0; block < PAGES; block++) begin(content, block * blockBytes, block * blockBytes + 1);
    clock.advance(500);
    const other = contentWith({ tier, fillGroup: 2, sizeBytes, objectKey: 'other' });
    expect(other.openBlock(0)).toBe(true);
    expect(content.heldBlocks).toBe(PAGES - 1);
    expect(other.blockAt(0)?.isFilling).toBe(true);
  });

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

  it('that is held in its middle alone counts with that', () => {
    const content = contentWith();
    fill(content, 30, 100);
    expect(content.heldBytes).toBe(70);
  });

  it('that is not being filled takes no bytes', () => {
    const content = contentWith();
    expect(() => content.write(0, Buffer.alloc(1))).toThrow('not open');
    fill(content, 0, 10);
    expect(() => content.write(10, Buffer.alloc(1))).toThrow('not open');
    expect(() => content.closeBlock(0)).toThrow('not open');
  });
});

it('costs more for each part that is known of it', () => {
  let grown = 0;
  const content = contentWith({ onGrown: () => void grown++ });
  const before = content.costBytes;
  content.parts.learn(1, { first: 0, last: 9, checksums: [] }, 2);
  expect(content.costBytes - before).toBe(content.parts.costBytes);
  expect([content.parts.costBytes > 0, grown]).toEqual([true, 1]);
});

describe('what the memory is told', () => {
  function watched() {
    const tier = newTier();
    const read = vi.spyOn(tier, 'read');
    const demote = vi.spyOn(tier, 'demote');
    const content = contentWith({ tier });
    const slots = (spy: typeof read) => spy.mock.calls.map(([slot]) => slot);
    return { content, slotOf: (position: number) => content.blockAt(position)?.slot, slots, read, demote };
  }

  it('each read of a block, whichever way its bytes are had', () => {
    const { content, slotOf, slots, read } = watched();
    fill(content, 0, 100);
    fill(content, blockBytes, blockBytes + 100);
    content.peekText(0, 10);
    content.lend(blockBytes, blockBytes + 10);
    const block = content.blockAt(0);
    if (block) content.visit(block);
    expect(slots(read)).toEqual([slotOf(0), slotOf(blockBytes), slotOf(0)]);
    content.lend(0, 101);
    content.peekText(0, 101);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('which blocks nobody wants soon, of those that are complete', () => {
    const { content, slotOf, slots, demote } = watched();
    fill(content, 0, 1);
    fill(content, blockBytes, blockBytes + 1);
    begin(content, 2 * blockBytes, 2 * blockBytes + 1);
    const asked: (readonly [number, number])[] = [];
    content.demoteUnread((from, to) => {
      asked.push([from, to]);
      return from === 0;
    });
    expect(asked).toEqual([
      [0, blockBytes],
      [blockBytes, 2 * blockBytes],
    ]);
    expect(slots(demote)).toEqual([slotOf(blockBytes)]);
    content.closeBlock(2 * blockBytes);
    content.demoteUnread((from, to) => from < 2 * blockBytes || to !== 10_000);
    expect(slots(demote)).toEqual([slotOf(blockBytes), slotOf(2 * blockBytes)]);
  });
});

describe('the first missing run', () => {
  const unlimited = 100 * blockBytes;
  type Range = readonly [number, number];

  it.each<[string, readonly Range[], Range, number, Range | undefined]>([
    ['of nothing is all of its blocks', [], [5000, 5001], unlimited, [4096, 8192]],
    ['ends with the content', [], [5000, 10_000], unlimited, [4096, 10_000]],
    ['is limited to whole blocks', [], [0, 10_000], 4097, [0, 8192]],
    ['is a block at least', [], [0, 10_000], 4096, [0, 4096]],
    ['begins behind what is held', [[0, 8192]], [10, 10_000], unlimited, [8192, 10_000]],
    ['begins within a block that is held in part', [[0, 100]], [10, 200], unlimited, [100, 4096]],
    ['begins before bytes that are held further on', [[3000, 4096]], [10, 200], unlimited, [0, 3000]],
    [
      'goes on to the bytes that are held in a later block',
      [[5000, 5010]],
      [0, 10_000],
      unlimited,
      [0, 4096],
    ],
    ['is none where all is held', [[0, 100]], [10, 100], unlimited, undefined],
    ['is none of an empty range', [], [10, 10], unlimited, undefined],
  ])('%s', (_, held, [from, to], limitBytes, expected) => {
    const content = contentWith();
    for (const [start, end] of held) {
      for (let position = start; position < end; position = content.blockEnd(position))
        fill(content, position, Math.min(end, content.blockEnd(position)));
    }
    const missing = firstMissing(content, from, to, limitBytes);
    expect(missing && [missing.start, missing.end]).toEqual(expected);
  });
});

it('has a block in a range as soon as its fill begins', () => {
  const content = contentWith();
  expect(content.hasBlockIn(0, 10_000)).toBe(false);
  expect(content.openBlock(blockBytes + 5)).toBe(true);
  expect(content.hasBlockIn(0, 10_000)).toBe(true);
  expect(content.hasBlockIn(0, blockBytes)).toBe(false);
  expect(content.hasBlockIn(0, blockBytes + 1)).toBe(true);
  expect(content.hasBlockIn(2 * blockBytes - 1, 10_000)).toBe(true);
  expect(content.hasBlockIn(2 * blockBytes, 10_000)).toBe(false);
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
    expect(() => content.open(from, to)).toThrow(`range ${from}-${to} is outside the content of 10000 bytes`);
  content.open(0, 10_000);
  content.open(10_000, 10_000, true);
  expect(ranges).toEqual([
    [0, 10_000, false],
    [10_000, 10_000, true],
  ]);
});
