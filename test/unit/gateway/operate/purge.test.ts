import { expect, it } from 'vitest';
import type { ObjectRecord } from '../../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { tagSlotsOf } from '../../../../src/cache/tag-slots.ts';
import { purge } from '../../../../src/gateway/operate/purge.ts';
import { BucketTable } from '../../../../src/gateway/request/bucket-table.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf } from '../../../support/object-reads.ts';
import { recordFields } from '../../../support/records.ts';

const missing = { kind: 'refused', isNegative: true, status: 404, body: Buffer.alloc(0) } as const;

const record: ObjectRecord = { ...recordFields(0), ...missing };

/** Each look takes time. */
class TakingClock extends ManualClock {
  lookMs = 0;

  override monotonicMs(): number {
    if (this.lookMs > 0) this.holdUp(this.lookMs);
    return super.monotonicMs();
  }
}

function cacheOf(entries: number, pages = 8) {
  const clock = new TakingClock();
  const cache = new WorkerCache({
    ...{
      memory: allocateSharedMemory(pages * 65_536, 65_536, 1),
      worker: 0,
      recordBytes: 100_000_000,
      clock,
    },
    ...{ random: () => 0.5, retried: () => undefined },
  });
  const bucket = bucketOf();
  for (let index = 0; index < entries; index++)
    cache.table.put(readOf(`${index % 2}/${index}`, { bucket }).objectKey, '', record);
  return { cache, clock, bucket, buckets: new BucketTable(new Map([['b', bucket]]), undefined) };
}

it('of few objects all are counted, and given back at once', () => {
  const { cache, buckets } = cacheOf(2_000);
  const order = { kind: 'prefix', bucket: 'b', prefix: '1/' } as const;
  expect(purge({ ...order, soft: true }, cache, buckets)).toMatchObject({ objects: 1_000 });
  expect(cache.table.size).toBe(2_000);
  expect(purge(order, cache, buckets)).toMatchObject({ objects: 1_000 });
  expect(cache.table.size).toBe(1_000);
});

it('of many nobody counts, and their memory is given back by and by', () => {
  const { cache, clock, buckets } = cacheOf(3_000);
  const order = { kind: 'prefix', bucket: 'b', prefix: '1/' } as const;
  expect(purge({ ...order, soft: true }, cache, buckets)).toEqual({ kind: 'pending' });
  expect(purge(order, cache, buckets)).toEqual({ kind: 'pending' });
  expect(cache.table.size).toBe(3_000);
  clock.advance(60_000);
  expect(cache.table.size).toBe(1_500);
});

it.each([
  { kind: 'prefix', bucket: 'b', prefix: '' } as const,
  { kind: 'bucket', bucket: 'b' } as const,
  { kind: 'tag', tag: 't' } as const,
])('a walk that takes too long ends, and what was purged by $kind is not served all the same', order => {
  const { cache, clock, buckets, bucket } = cacheOf(1_000);
  const { objectKey } = readOf('1/1', { bucket });
  const tagSlots = tagSlotsOf(['t']);
  cache.table.put(objectKey, '', { ...record, tagSlots });
  clock.lookMs = 0.3;
  const beganMs = clock.monotonicMs();
  expect(purge(order, cache, buckets)).toEqual({ kind: 'pending' });
  expect(clock.monotonicMs() - beganMs).toBeLessThan(6);
  expect(cache.table.size, 'nothing is given back yet').toBe(1_000);
  expect(cache.table.get(objectKey)).toBeUndefined();
  clock.lookMs = 0;
  clock.advance(60_000);
  expect(cache.table.size).toBe(order.kind === 'tag' ? 999 : 0);
});

it('what was counted and takes long to give back is given back by and by, and not counted again', () => {
  const { cache, clock, buckets } = cacheOf(1_000);
  const order = { kind: 'prefix', bucket: 'b', prefix: '1/' } as const;
  clock.lookMs = 0.06;
  expect(purge(order, cache, buckets)).toMatchObject({ kind: 'counted', objects: 500 });
  expect(cache.table.size).toBeGreaterThan(500);
  expect(cache.table.size).toBeLessThan(1_000);
  expect(purge(order, cache, buckets)).toEqual({ kind: 'pending' });
  clock.lookMs = 0;
  clock.advance(60_000);
  expect(cache.table.size).toBe(500);
  expect(purge(order, cache, buckets)).toMatchObject({ kind: 'counted', objects: 0 });
});

it('there is time for some hundred objects where each look takes a hundredth of a millisecond', () => {
  const { cache, clock, buckets } = cacheOf(400);
  clock.lookMs = 0.01;
  expect(purge({ kind: 'bucket', bucket: 'b' }, cache, buckets)).toMatchObject({ objects: 400 });
  expect(cache.table.size).toBe(0);
});

it('one object is counted and given back however long that takes', () => {
  const { cache, clock, buckets } = cacheOf(100);
  clock.lookMs = 1_000;
  expect(purge({ kind: 'key', bucket: 'b', key: '1/1' }, cache, buckets)).toMatchObject({ objects: 1 });
  expect(cache.table.size).toBe(99);
});

it('one object is counted however many are held', () => {
  const { cache, buckets } = cacheOf(3_000);
  expect(purge({ kind: 'key', bucket: 'b', key: '1/1' }, cache, buckets)).toMatchObject({ objects: 1 });
  expect(cache.table.size).toBe(2_999);
});

it('of few objects nobody counts where much has to be looked at to find them', () => {
  const { cache, buckets } = cacheOf(1_990, 128);
  const order = { kind: 'prefix', bucket: 'b', prefix: '1/', soft: true } as const;
  const owner = { contentHash: 0, evicted: () => undefined, moved: () => undefined };
  const take = (count: number) => {
    for (let left = count; left > 0; left--) cache.tier.complete(cache.tier.allocate(1, owner) ?? -1);
  };
  take(10 * 1_024);
  expect(purge(order, cache, buckets)).toMatchObject({ objects: 995 });
  take(1_024);
  expect(purge(order, cache, buckets)).toEqual({ kind: 'pending' });
});
