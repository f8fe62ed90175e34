import { expect, it } from 'vitest';
import type { Loan } from '../../../../src/cache/content.ts';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { PeerServer } from '../../../../src/gateway/workers/peer-server.ts';
import { ToldContents } from '../../../../src/gateway/workers/told-contents.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { testKey } from '../../../support/object-keys.ts';

const blockBytes = 4096;

it.each([
  ['of a block that has been evicted', 0],
  ['out of a larger piece of memory', undefined],
])('what is lent %s is copied before the message is on its way', async (_what, slot) => {
  const bytes = Buffer.alloc(2 * blockBytes, 7).subarray(0, blockBytes);
  const { wire } = await nextOf({ bytes, slot, release: () => undefined });
  // the slot is another block's now
  bytes.fill(0xee);
  expect(wire).toMatchObject({ kind: 'copy' });
  const copy = 'bytes' in wire ? wire.bytes : Buffer.alloc(0);
  expect(Buffer.from(copy)).toEqual(Buffer.alloc(blockBytes, 7));
  expect(copy.buffer.byteLength).toBe(blockBytes);
});

it('the memory of a copy is no longer the loan’s when it is given back', async () => {
  const lengths: number[] = [];
  const bytes = Buffer.from(new ArrayBuffer(blockBytes)).fill(7);
  const release = () => lengths.push(bytes.length);
  const { wire, close } = await nextOf({ bytes, slot: undefined, release });
  close();
  expect(lengths).toEqual([0]);
  const copy = 'bytes' in wire ? wire.bytes : Buffer.alloc(0);
  expect(Buffer.from(copy)).toEqual(Buffer.alloc(blockBytes, 7));
});

/** What is sent to a worker for which the owner's reader has `lent`. */
async function nextOf(lent: Loan) {
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes: blockBytes };
  const tier = new MemoryTier(allocateSharedMemory(16 * blockBytes, blockBytes, 1), 0);
  const generation = new Generation(identity, blockBytes, tier, {
    open: () => ({ next: () => lent, close: () => undefined }),
    lend: () => lent,
  });
  const told = new ToldContents(tier.pins);
  const objects: WorkerCache = Object.create(WorkerCache.prototype);
  const { open, next, close } = new PeerServer(objects, { bucketOf: () => undefined }, told).procedures;
  const contentId = told.content(generation, undefined).contentId;
  const object = { bucketName: 'b', objectKey: testKey('store', 'b', 'o') };
  const reader = open({ contentId, object, from: 0, to: blockBytes, hasBegun: false });
  return { wire: await next(reader), close: () => close(reader) };
}
