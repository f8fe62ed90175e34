import { expect, it } from 'vitest';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';

const pageBytes = 64 * 1024;
const pages = 12;
const owner = { contentHash: 0, evicted: () => undefined };

function newTier(): MemoryTier {
  return new MemoryTier(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0);
}

/** Fills pages for `group` until there is none for it; gives their slots. */
function fillAll(tier: MemoryTier, group: number): number[] {
  const slots: number[] = [];
  for (;;) {
    const slot = tier.allocate(pageBytes, owner, group);
    if (slot === undefined) return slots;
    slots.push(slot);
  }
}

/** Has both groups fill something, which has ended. */
function begin(tier: MemoryTier, groups: readonly number[]): void {
  for (const group of groups) tier.free(tier.allocate(pageBytes, owner, group) ?? -1);
}

it('fills of the only group may take the whole memory', () => {
  expect(fillAll(newTier(), 7)).toHaveLength(pages);
});

it('fills of a group take half of what no other group is filling', () => {
  const tier = newTier();
  begin(tier, [1, 2]);
  expect(fillAll(tier, 1)).toHaveLength(6);
  expect(fillAll(tier, 2)).toHaveLength(3);
  expect(fillAll(tier, 3)).toHaveLength(1);
});

it('a fill that has ended, or was given up, makes place for another of its group', () => {
  const tier = newTier();
  begin(tier, [1, 2]);
  const [first = -1, second = -1] = fillAll(tier, 1);
  tier.complete(first);
  expect(fillAll(tier, 1)).toHaveLength(1);
  tier.free(second);
  expect(fillAll(tier, 1)).toHaveLength(1);
});

it('a block that is filled further counts too', () => {
  const tier = newTier();
  begin(tier, [1, 2]);
  const held = tier.allocate(pageBytes, owner, 1) ?? -1;
  tier.complete(held);
  const [first = -1] = fillAll(tier, 1);
  expect(tier.reopen(held, 1)).toBe(false);
  expect(tier.reopen(held, 2)).toBe(true);
  tier.complete(held);
  tier.complete(first);
  expect(tier.reopen(held, 1)).toBe(true);
  expect(fillAll(tier, 1)).toEqual([]);
});

it('who waits for the share of its group is in nobody’s way, and is called when a fill ends', async () => {
  const tier = newTier();
  begin(tier, [1, 2]);
  const [first = -1] = fillAll(tier, 1);
  const called = new Promise<void>(resolve => tier.whenFreed(resolve, true, 1));
  expect([tier.waiting(1), tier.waitingFirst(1)]).toEqual([1, 1]);
  expect([tier.waiting(2), tier.waitingFirst(2)]).toEqual([0, 0]);
  expect(tier.pins.claimNeed(first)).toBe(false);
  tier.complete(first);
  await called;
});
