import { expect, it } from 'vitest';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import {
  allocateSharedMemory,
  blockShare,
  fixedBytes,
  granulesPerWorker,
  type SharedMemory,
  tableBytes,
} from '../../../src/cache/shared-memory.ts';

const pageBytes = 65_536;
const pinBytes = 4;
/** For each granule: tag, visits, the mark of a text, and five places of the index for four of them. */
const sharedBytes = 4 + 1 + 4 + 10;
/** What its owner alone has of it: six words for runs, its block and what that is of, and three bytes. */
const ownerBytes = 6 * 4 + 4 + 4 + 3;

/** All memory below `value` that is allocated once. */
function buffersIn(value: unknown): readonly SharedArrayBuffer[] {
  if (value instanceof SharedArrayBuffer) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersIn) : [];
}

function bytesIn(value: unknown): number {
  return buffersIn(value).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

it.each([1, 2, 4])('with %d workers all shared memory is blocks, their tables, or told as fixed', workers => {
  const memory: SharedMemory = allocateSharedMemory(0, pageBytes, workers, { webBuckets: 3 });
  const { segments, tags, pins, visits, textMarks, indexes, held, needed, usedPages, webParts, ...others } =
    memory;
  expect(bytesIn(others)).toBe(fixedBytes(memory).invalidations);
  // a word for each worker, or each pair, and who has which part
  expect(bytesIn([held, needed, usedPages, webParts])).toBeLessThan(1_000);
  const granules = workers * granulesPerWorker(memory.layout);
  const perGranule = bytesIn([tags, pins, visits, textMarks, indexes]) / granules;
  expect(perGranule).toBe(sharedBytes + pinBytes * workers);
  expect(tableBytes(workers)).toBe(perGranule + ownerBytes);
});

it('blocks, tables and ghosts share the memory that is configured for them', () => {
  for (const workers of [1, 4]) {
    const bytes = 512 * 2 ** 20;
    const memory = allocateSharedMemory(bytes * blockShare(workers), pageBytes, workers);
    const granules = workers * granulesPerWorker(memory.layout);
    const taken = bytesIn(memory.segments) + granules * tableBytes(workers) + fixedBytes(memory).ghosts;
    expect(taken).toBeLessThanOrEqual(bytes);
    expect(taken).toBeGreaterThan(bytes - workers * 2 * pageBytes);
  }
});

it('what a tier takes grows with its blocks: none at first', () => {
  const tier = new MemoryTier(allocateSharedMemory(0, pageBytes, 2), 1);
  expect(tier.use.map(({ bytes, count }) => [bytes, count])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  tier.allocate(600, { contentHash: 1, evicted: () => undefined, moved: () => undefined });
  expect(tier.use).toEqual([
    { kind: 'blocks', bytes: 1_024, count: 1 },
    { kind: 'block-tables', bytes: 2 * tableBytes(2), count: 2 },
  ]);
});
