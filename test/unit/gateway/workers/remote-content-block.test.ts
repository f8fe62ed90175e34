import { expect, it } from 'vitest';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { RemoteBlock } from '../../../../src/gateway/workers/remote-content.ts';

const blockBytes = 4096;
const tier = new MemoryTier(allocateSharedMemory(8 * blockBytes, blockBytes, 1), 0);

it('counts from the start of the block, and holds nothing once its slot has another content', () => {
  const slot =
    tier.allocate(blockBytes, { contentHash: 1, evicted: () => undefined, moved: () => undefined }) ?? -1;
  tier.complete(slot);
  const place = { slot, tag: tier.pins.tag(slot), blockStart: 3 * blockBytes };
  const block = new RemoteBlock({ ...place, from: 3 * blockBytes + 10, to: 3 * blockBytes + 20 }, tier.pins);
  expect(block.coverage(10, 20)).toBe('all');
  expect(block.coverage(0, blockBytes)).toBe('some');
  expect(block.coverage(20, blockBytes)).toBe('none');
  tier.free(slot);
  expect(block.coverage(10, 20)).toBe('none');
});
