import { expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { BucketTable } from '../../../../src/gateway/request/bucket-table.ts';
import { ContentIds, PeerServer } from '../../../../src/gateway/workers/peer-server.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';

const blockBytes = 4096;

it.each([
  ['of a block that has been evicted', 0],
  ['out of a larger piece of memory', undefined],
])('what is lent %s is copied before the message is on its way', async (_what, slot) => {
  const bytes = Buffer.alloc(2 * blockBytes, 7).subarray(0, blockBytes);
  const lent = { bytes, slot, release: () => undefined };
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes: blockBytes };
  const tier = new MemoryTier(allocateSharedMemory(16 * blockBytes, blockBytes, 1), 0);
  const generation = new Generation(identity, blockBytes, tier, {
    open: () => ({ next: () => lent, close: () => undefined }),
    lend: () => lent,
  });
  const numbers = new ContentIds();
  const objects: WorkerCache = Object.create(WorkerCache.prototype);
  const { open, next } = new PeerServer(objects, new BucketTable(new Map(), undefined), numbers).procedures;
  const contentId = numbers.idOf(generation);
  const wire = await next(open({ contentId, from: 0, to: blockBytes, hasBegun: false }));
  // the slot is another block's now
  bytes.fill(0xee);
  expect(wire).toMatchObject({ kind: 'copy' });
  const copy = 'bytes' in wire ? wire.bytes : Buffer.alloc(0);
  expect(Buffer.from(copy)).toEqual(Buffer.alloc(blockBytes, 7));
  expect(copy.buffer.byteLength).toBe(blockBytes);
});
