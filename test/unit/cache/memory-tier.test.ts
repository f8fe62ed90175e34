import { expect, it } from 'vitest';
import { MemoryTier, type SlotOwner } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';

const pageBytes = 64 * 1024;
const pages = 8;
const owner: SlotOwner = { contentHash: 0, evicted: () => undefined };

function slotIn(tier: MemoryTier, sizeBytes: number): number {
  const slot = tier.allocate(sizeBytes, owner);
  if (slot === undefined) throw new Error('no room');
  return slot;
}

it.each([
  [1, 'has room'],
  [pages - 1, 'has room'],
  [pages, 'is full'],
])(
  'with a reader in %d of 8 pages full of halves, the arena %s for a block of a page',
  (readPages, state) => {
    const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
    const halves = Array.from({ length: 2 * pages }, () => slotIn(tier, pageBytes / 2));
    for (const slot of halves) tier.complete(slot);
    for (const slot of halves.filter((_, index) => index % 2 === 1).slice(0, readPages))
      expect(tier.pins.acquire(slot, tier.pins.tag(slot))).toBe(true);
    expect(tier.allocate(pageBytes, owner) === undefined ? 'is full' : 'has room').toBe(state);
  },
);

/** Has `tier` hold a content of `sizeBytes` that is complete and was read `times` times. */
function hold(
  tier: MemoryTier,
  sizeBytes: number,
  times: number,
  contentHash = ++contents,
): { isGone: boolean; slot: number } {
  const held = { isGone: false, slot: -1 };
  const slot = tier.allocate(sizeBytes, {
    contentHash,
    evicted: () => (held.isGone = true),
  });
  if (slot === undefined) throw new Error('no room');
  held.slot = slot;
  tier.complete(slot);
  for (let time = 0; time < times; time++) tier.read(slot);
  return held;
}

let contents = 0;

it('small contents that are read now and then outlast a scan of large ones that are read once or never', () => {
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
  const small = Array.from({ length: 10 }, () => hold(tier, pageBytes / 16, 5));
  for (let round = 0; round < 20; round++) {
    for (let scanned = 0; scanned < 4 * pages; scanned++) hold(tier, pageBytes, scanned % 2);
    for (const { slot } of small) tier.read(slot);
  }
  expect(small.filter(({ isGone }) => isGone)).toEqual([]);
});

it('small contents that come back after large ones have taken all of their room are known again', () => {
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
  const hashes = Array.from({ length: 40 }, () => ++contents);
  const bring = () => hashes.map(hash => hold(tier, pageBytes / 16, 1, hash));
  const scan = () => {
    for (let scanned = 0; scanned < 4 * pages; scanned++) hold(tier, pageBytes, 1);
  };
  const first = bring();
  scan();
  expect(first.every(({ isGone }) => isGone)).toBe(true);
  const again = bring();
  scan();
  expect(again.filter(({ isGone }) => isGone)).toEqual([]);
});

it('small contents that nobody reads any more give way to large ones, however often they were read', () => {
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
  const small = Array.from({ length: 16 * (pages - 1) }, () => hold(tier, pageBytes / 16, 5));
  for (let scanned = 0; scanned < 20 * pages; scanned++) hold(tier, pageBytes, 1);
  expect(small.filter(({ isGone }) => !isGone)).toEqual([]);
});

it('small contents that were read again go when all large ones are being read', () => {
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
  const small = hold(tier, pageBytes / 16, 5);
  for (let page = 1; page < pages; page++) {
    const { slot } = hold(tier, pageBytes, 1);
    expect(tier.pins.acquire(slot, tier.pins.tag(slot))).toBe(true);
  }
  expect(tier.allocate(pageBytes, owner)).toBeDefined();
  expect(small.isGone).toBe(true);
});

it.each([
  [pageBytes / 16, pageBytes],
  [pageBytes, pageBytes / 16],
])(
  'blocks of %d bytes that were read again give way to blocks of %d bytes that are still to be read, up to half of the memory',
  (heldBytes, aheadBytes) => {
    const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
    for (let bytes = 0; bytes < pages * pageBytes; bytes += heldBytes) hold(tier, heldBytes, 3);
    const inHalf = (pages / 2) * (pageBytes / aheadBytes);
    const ahead = Array.from({ length: inHalf }, () => hold(tier, aheadBytes, 0));
    expect(ahead.filter(({ isGone }) => isGone)).toEqual([]);
  },
);

it('small contents that were read again outlast large ones that are read again, for as long as they take little', () => {
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
  const small = Array.from({ length: 10 }, () => hold(tier, pageBytes / 16, 5));
  for (let large = 0; large < 4 * pages; large++) hold(tier, pageBytes, 5);
  expect(small.filter(({ isGone }) => isGone)).toEqual([]);
});
