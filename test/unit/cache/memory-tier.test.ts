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
