import { expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { BucketTable } from '../../../../src/gateway/bucket-table.ts';
import { OwnedObjects } from '../../../../src/gateway/owned-objects.ts';
import { ContentNumbers, OwnerDesk } from '../../../../src/gateway/peers/owner-desk.ts';

const blockBytes = 4096;

it('what is lent of a block that has been evicted is copied before the message is on its way', async () => {
  const bytes = Buffer.alloc(blockBytes, 7);
  const lent = { bytes, slot: 0, release: () => undefined };
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes: blockBytes };
  const tier = new MemoryTier(allocateSharedMemory(16 * blockBytes, blockBytes, 1), 0);
  const generation = new Generation(identity, blockBytes, tier, {
    open: () => ({ next: () => lent, close: () => undefined }),
    lend: () => lent,
  });
  const numbers = new ContentNumbers();
  const objects: OwnedObjects = Object.create(OwnedObjects.prototype);
  const desk = new OwnerDesk(objects, new BucketTable(new Map(), undefined), numbers);
  const contentId = numbers.numberOf(generation);
  const reader = await desk.answer('open', { contentId, from: 0, to: blockBytes, hasBegun: false });
  const told = await desk.answer('next', { reader });
  // the slot is another block's now
  bytes.fill(0xee);
  expect(told).toEqual({ kind: 'copy', bytes: Buffer.alloc(blockBytes, 7) });
});
