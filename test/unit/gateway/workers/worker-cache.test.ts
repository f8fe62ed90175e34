import { expect, it } from 'vitest';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf, silentStore } from '../../../support/object-reads.ts';

const mebibyte = 1024 * 1024;
const pages = 12;

it('contents of one store that are being filled leave memory for those of another', () => {
  const cache = new WorkerCache({
    memory: allocateSharedMemory(pages * mebibyte, mebibyte, 1),
    worker: 0,
    recordBytes: 1_000_000,
    clock: new ManualClock(),
    random: () => 0.5,
    retried: () => undefined,
  });
  /** How many blocks of a new content of `store` can be filled, of `limit`. */
  const fill = (store: string, key: string, limit: number) => {
    const read = readOf(key, { bucket: bucketOf({ ...silentStore, name: store }) });
    const identity = { objectKey: key, versionId: undefined, entityTag: '"t"', sizeBytes: pages * mebibyte };
    const content = cache.create(read, identity);
    let blocks = 0;
    while (blocks < limit && content.openBlock(blocks * content.blockBytes)) blocks++;
    return blocks;
  };
  expect(fill('fast', 'one', 1)).toBe(1);
  expect(fill('slow', 'a', 4)).toBe(4);
  expect(fill('slow', 'b', pages)).toBe(1);
  expect(fill('fast', 'two', 2)).toBe(2);
});
