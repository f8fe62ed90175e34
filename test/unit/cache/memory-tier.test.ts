import { describe, expect, it, vi } from 'vitest';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory, releaseWorker } from '../../../src/cache/shared-memory.ts';
import type { SlotOwner } from '../../../src/cache/slot-owner.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const pageBytes = 64 * 1024;
const pages = 8;
const slotsPerPage = pageBytes / GRANULE_BYTES;
const owner: SlotOwner = {
  contentHash: 0,
  evicted: () => undefined,
  moved: () => undefined,
  takenBack: () => undefined,
};

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
    moved: to => (held.slot = to),
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
  const scan = (count: number) => {
    for (let scanned = 0; scanned < count; scanned++) hold(tier, pageBytes, 1);
  };
  const first = bring();
  scan(20 * pages);
  expect(first.every(({ isGone }) => isGone)).toBe(true);
  const again = bring();
  scan(4 * pages);
  expect(again.filter(({ isGone }) => isGone)).toEqual([]);
});

it('small contents that nobody reads any more give way to large ones that are read again, however often they were read', () => {
  const clock = new ManualClock();
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0, clock);
  const small = Array.from({ length: 16 * (pages - 1) }, () => hold(tier, pageBytes / 16, 5));
  for (let large = 0; large < 20 * pages; large++) hold(tier, pageBytes, 5);
  expect(small.filter(({ isGone }) => !isGone).length, 'a quarter, for a minute').toBe((16 * pages) / 4);
  for (let large = 0; large < 60 * pages; large++) {
    clock.advance(1_000);
    hold(tier, pageBytes, 5);
  }
  expect(small.filter(({ isGone }) => !isGone)).toEqual([]);
});

it('small contents that are read every few seconds outlast any amount of large ones', () => {
  const clock = new ManualClock();
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0, clock);
  const small = Array.from({ length: 10 }, () => hold(tier, pageBytes / 16, 5));
  for (let seconds = 0; seconds < 200; seconds += 10) {
    for (let scanned = 0; scanned < 100 * pages; scanned++) hold(tier, pageBytes, scanned % 2);
    clock.advance(10_000);
    for (const { slot } of small) tier.read(slot);
  }
  expect(small.filter(({ isGone }) => isGone)).toEqual([]);
});

it('a block waits for those that are being filled, and small contents that were read again stay', () => {
  const tier = smallTier();
  const small = Array.from({ length: 10 }, () => hold(tier, pageBytes / 16, 5));
  const filling = Array.from({ length: pages - 1 }, () => slotIn(tier, pageBytes));
  expect(tier.allocate(pageBytes, owner)).toBeUndefined();
  tier.complete(filling[0] ?? 0);
  expect(tier.allocate(pageBytes, owner)).toBe(filling[0]);
  for (const slot of filling) tier.free(slot);
  expect(small.filter(({ isGone }) => isGone)).toEqual([]);
});

it('contents that were read again, of however many sizes, keep a quarter of the memory from being filled', () => {
  const count = 16;
  const tier = new MemoryTier(allocateSharedMemory(count * pageBytes, pageBytes, 1), 0);
  const hot = Array.from({ length: count - 1 }, (_, index) => hold(tier, pageBytes / (index + 2), 5));
  const filling = Array.from({ length: count }, () => tier.allocate(pageBytes, owner));
  expect(filling.filter(slot => slot !== undefined).length).toBeGreaterThanOrEqual((count * 3) / 4);
  expect(hot.filter(({ isGone }) => !isGone).length).toBeGreaterThan(0);
});

it('what readers hold that have stalled, and what is fetched ahead of them, evicts nothing small that was read again', () => {
  const tier = smallTier();
  const small = Array.from({ length: 10 }, () => hold(tier, pageBytes / 16, 2));
  const read = Array.from({ length: pages / 2 }, () => holdInUse(tier, pageBytes));
  for (const { slot } of read) for (let time = 0; time < 5; time++) tier.read(slot);
  for (let ahead = 0; ahead < 10 * pages; ahead++) hold(tier, pageBytes, 0);
  expect(small.filter(({ isGone }) => isGone)).toEqual([]);
});

it('a block that comes back, and is not read this time either, is evicted before contents that were read again', () => {
  const tier = smallTier();
  const again = Array.from({ length: pages / 2 }, () => hold(tier, pageBytes, 2));
  for (let round = 0; round < 3; round++)
    for (let hash = -1; hash > -2 * pages; hash--) hold(tier, pageBytes, 0, hash);
  expect(again.filter(({ isGone }) => isGone).length).toBeLessThan(again.length);
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

/** Holds a content of `sizeBytes` that is being read. */
function holdInUse(tier: MemoryTier, sizeBytes: number): { isGone: boolean; slot: number } {
  const held = hold(tier, sizeBytes, 1);
  expect(tier.pins.acquire(held.slot, tier.pins.tag(held.slot))).toBe(true);
  return held;
}

function smallTier(): MemoryTier {
  return new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
}

it.each<[string, (tier: MemoryTier) => { isGone: boolean }]>([
  ['is being read', tier => holdInUse(tier, pageBytes / 2)],
  ['is still to be read', tier => hold(tier, pageBytes / 2, 0)],
  ['was read again', tier => hold(tier, pageBytes / 2, 5)],
])('what lies beside the oldest block stays if it %s', (_what, holdOther) => {
  const tier = smallTier();
  const oldest = hold(tier, pageBytes / 2, 1);
  const other = holdOther(tier);
  // a block of half the size goes at twice the age
  for (let large = 0; large < 3 * pages; large++) hold(tier, pageBytes, 1);
  expect([oldest, other].map(({ isGone }) => isGone)).toEqual([true, false]);
});

it('slow fills of short blocks lie in half of the pages as long as there is room, which leaves some for a block of a page', () => {
  const tier = new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
  for (let count = 0; count < 3 * pages * slotsPerPage; count++)
    hold(tier, (1 + (count % 7)) * GRANULE_BYTES, 0);
  const filling = Array.from({ length: (3 * pages) / 2 }, () => slotIn(tier, pageBytes / 5));
  expect(new Set(filling.map(slot => Math.floor(slot / slotsPerPage))).size).toBe(pages / 2);
  for (let count = 0; count < pages / 2; count++)
    expect(tier.allocate(pageBytes, owner), `block ${count}`).toBeDefined();
  expect(tier.allocate(pageBytes, owner)).toBeUndefined();
});

it('the oldest blocks go, and what lies beside one of them is moved to where another one was', () => {
  const tier = smallTier();
  const first = [hold(tier, pageBytes / 2, 1), hold(tier, pageBytes / 2, 0)];
  const second = [hold(tier, pageBytes / 2, 1), hold(tier, pageBytes / 2, 1)];
  const ahead = Array.from({ length: 3 }, () => hold(tier, pageBytes, 0));
  for (let page = 5; page < pages; page++) holdInUse(tier, pageBytes);
  hold(tier, pageBytes, 0);
  expect([...first, ...second, ...ahead].map(({ isGone }) => isGone)).toEqual([
    ...[true, false, true, false],
    ...[false, false, false],
  ]);
  expect(Math.floor((first[1]?.slot ?? 0) / slotsPerPage)).toBe(1);
});

it.each([
  ['of a page', pageBytes],
  ['of which 128 fit a page', pageBytes / 128],
])(
  'where all blocks %s are being read, an allocation looks at few slots, however large the memory',
  (_size, sizeBytes) => {
    const looksIn = (count: number) => {
      const tier = new MemoryTier(allocateSharedMemory(count * pageBytes, pageBytes, 1), 0);
      for (let bytes = 0; bytes < count * pageBytes; bytes += sizeBytes) holdInUse(tier, sizeBytes);
      const looks = vi.spyOn(tier.pins, 'isHeld');
      for (const wanted of [sizeBytes, pageBytes / 16]) expect(tier.allocate(wanted, owner)).toBeUndefined();
      return looks.mock.calls.length;
    };
    expect(looksIn(512)).toBeLessThanOrEqual(1_000);
  },
);

it('where no block can be evicted, later allocations come to those that others have not looked at', () => {
  const count = 1_024;
  const tier = new MemoryTier(allocateSharedMemory(count * pageBytes, pageBytes, 1), 0);
  const held = Array.from({ length: count }, () => holdInUse(tier, pageBytes));
  const free = held.at(-1)?.slot ?? 0;
  tier.pins.release(free);
  let attempts = 0;
  while (tier.allocate(pageBytes, owner) === undefined && attempts < 100) attempts++;
  expect(attempts).toBeLessThan(20);
});

describe('what readers in other threads hold of a worker that has died', () => {
  const classes = [1, 1 / 2, 1 / 4, 1 / 16].map(share => share * pageBytes);

  it.each(classes)('is not written to by its successor: blocks of %d bytes', heldBytes => {
    const memory = allocateSharedMemory(2 * pages * pageBytes, pageBytes, 2);
    const before = new MemoryTier(memory, 0);
    const reader = new SlotPins(memory, 1);
    const slots = Array.from({ length: 6 }, () => hold(before, heldBytes, 0).slot);
    const held = slots.slice(3).map(slot => {
      expect(reader.acquire(slot, reader.tag(slot))).toBe(true);
      return before.view(slot, heldBytes).fill(1);
    });
    releaseWorker(memory, 0);
    const after = new MemoryTier(memory, 0);
    for (let round = 0; round < 4; round++)
      for (const sizeBytes of round % 2 === 0 ? classes.toReversed() : classes) {
        for (let count = 0; count < 4 * pages; count++) {
          const slot = after.allocate(sizeBytes, owner);
          if (slot === undefined) continue;
          after.view(slot, sizeBytes).fill(2);
          after.complete(slot);
        }
        for (const bytes of held) expect(bytes.every(byte => byte === 1)).toBe(true);
      }
  });

  it('is used again when they have released it', () => {
    const memory = allocateSharedMemory(2 * pages * pageBytes, pageBytes, 2);
    const before = new MemoryTier(memory, 0);
    const reader = new SlotPins(memory, 1);
    const held = [0, 1, 2].map(() => hold(before, pageBytes, 0).slot);
    for (const slot of held) reader.acquire(slot, reader.tag(slot));
    releaseWorker(memory, 0);
    const after = new MemoryTier(memory, 0);
    const filled = () => new Set(Array.from({ length: 2 * pages }, () => hold(after, pageBytes, 0).slot));
    expect(filled().size).toBe(pages - held.length);
    for (const slot of held) reader.release(slot);
    expect(filled().size).toBe(pages);
  });
});
