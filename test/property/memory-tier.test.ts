import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { MAX_SLOTS_PER_PAGE } from '../../src/cache/size-class.ts';
import type { SlotOwner } from '../../src/cache/slot-owner.ts';
import { SlotPins } from '../../src/cache/slot-pins.ts';

const pageBytes = 64 * 1024;

type Step =
  | { kind: 'allocate'; sizeBytes: number }
  | { kind: 'complete' | 'free' | 'visit' | 'pin' | 'unpin'; pick: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('allocate' as const),
      sizeBytes: fc.integer({ min: 1, max: pageBytes }),
    }),
  },
  fc.record({
    kind: fc.constantFrom(
      'complete' as const,
      'free' as const,
      'visit' as const,
      'pin' as const,
      'unpin' as const,
    ),
    pick: fc.nat(),
  }),
);

/** A block as the tests see it: where it is and what was written there. */
class Held implements SlotOwner {
  readonly contentHash: number;
  readonly sizeBytes: number;
  slot = -1;
  isGone = false;
  isComplete = false;
  pins = 0;
  memory: Buffer = Buffer.alloc(0);

  constructor(contentHash: number, sizeBytes: number) {
    this.contentHash = contentHash;
    this.sizeBytes = sizeBytes;
  }

  get isIntact(): boolean {
    return this.memory.every(byte => byte === this.contentHash % 251);
  }

  evicted(): void {
    this.isGone = true;
  }

  takenBack(): void {
    throw new Error('there is only one group');
  }
}

it('law 8 and 9: never more than configured, reported bytes are the sum of the slots, a page where nobody is at work has room, and nothing is overwritten under an owner or a reader', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const memory = allocateSharedMemory(8 * pageBytes, pageBytes, 1);
      const tier = new MemoryTier(memory, 0);
      const blocks: Held[] = [];
      let made = 0;
      const choose = (pick: number, fits: (block: Held) => boolean) => {
        const fitting = blocks.filter(fits);
        return fitting[pick % Math.max(1, fitting.length)];
      };
      for (const { kind, ...rest } of steps) {
        const pick = 'pick' in rest ? rest.pick : 0;
        if (kind === 'allocate' && 'sizeBytes' in rest) {
          const block = new Held(++made, rest.sizeBytes);
          const slot = tier.allocate(rest.sizeBytes, block);
          if (slot !== undefined) {
            block.slot = slot;
            block.memory = tier.view(slot, rest.sizeBytes).fill(made % 251);
            blocks.push(block);
          } else {
            const busy = blocks.filter(one => one.pins > 0 || (!one.isGone && !one.isComplete));
            const busyPages = new Set(busy.map(one => Math.floor(one.slot / MAX_SLOTS_PER_PAGE)));
            expect(busyPages.size, 'every page is being filled or read').toBe(8);
          }
        }
        if (kind === 'complete') {
          const block = choose(pick, one => !one.isGone && !one.isComplete);
          if (block) {
            tier.complete(block.slot);
            block.isComplete = true;
          }
        }
        if (kind === 'free') {
          const block = choose(pick, one => !one.isGone);
          if (block) {
            tier.free(block.slot);
            block.isGone = true;
          }
        }
        if (kind === 'visit') {
          const block = choose(pick, one => !one.isGone);
          if (block) tier.pins.visited[block.slot] = 1;
        }
        if (kind === 'pin') {
          const block = choose(pick, one => !one.isGone);
          if (block) {
            expect(tier.pins.acquire(block.slot, tier.pins.tag(block.slot))).toBe(true);
            block.pins++;
          }
        }
        if (kind === 'unpin') {
          const block = choose(pick, one => one.pins > 0);
          if (block) {
            tier.pins.release(block.slot);
            block.pins--;
          }
        }
        const alive = blocks.filter(block => !block.isGone);
        const used = alive.reduce((sum, block) => sum + tier.slotSizeBytes(block.slot), 0);
        expect(tier.usage.usedBytes).toBe(used);
        expect(tier.usage.slots).toBe(alive.length);
        expect(used).toBeLessThanOrEqual(tier.usage.capacityBytes);
        for (const block of blocks) if (!block.isGone || block.pins > 0) expect(block.isIntact).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

it('a reference from another thread is void once the slot has changed hands', () => {
  const memory = allocateSharedMemory(16 * pageBytes, pageBytes, 2);
  const owner = new MemoryTier(memory, 0);
  const other = new SlotPins(memory, 1);
  const slot = owner.allocate(pageBytes, new Held(1, pageBytes));
  if (slot === undefined) throw new Error('an empty arena has room');
  const tag = owner.pins.tag(slot);
  expect(other.acquire(slot, tag)).toBe(true);
  owner.free(slot);
  expect(other.acquire(slot, tag)).toBe(false);
  const taken = new Set<number>();
  for (let page = 0; page < 8; page++) {
    const next = owner.allocate(pageBytes, new Held(2, pageBytes));
    if (next !== undefined) taken.add(next);
  }
  expect(taken.has(slot), 'the slot is still being read').toBe(false);
  other.release(slot);
  expect(owner.allocate(pageBytes, new Held(3, pageBytes))).toBe(slot);
});
