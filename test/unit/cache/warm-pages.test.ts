import { expect, test } from 'vitest';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { WarmPages } from '../../../src/cache/warm-pages.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const pageBytes = 1024 * 1024;
const layoutOf = (workers: number) => allocateSharedMemory(64 * pageBytes, pageBytes, workers);

function fill(warm: WarmPages): number {
  let pages = 0;
  for (let done = warm.step(); done > 0; done = warm.step()) pages += done;
  return pages;
}

test('a quarter of the arena is made ready in steps, and no more while nothing is used', () => {
  const warm = new WarmPages(layoutOf(2), new ManualClock());
  expect(warm.step()).toBe(8);
  expect(fill(warm)).toBe(8);
  expect(warm.step()).toBe(0);
});

test('what is used is made up for, until all of the arena is ready', () => {
  const memory = layoutOf(1);
  const warm = new WarmPages(memory, new ManualClock());
  const tier = new MemoryTier(memory, 0);
  const use = (pages: number) => {
    for (let page = 0; page < pages; page++)
      tier.allocate(pageBytes, { contentHash: page, evicted: () => {}, moved: () => {} });
  };
  expect(fill(warm)).toBe(16);
  use(10);
  expect(fill(warm)).toBe(10);
  use(50);
  expect(fill(warm)).toBe(38);
  expect(fill(warm)).toBe(0);
});

test('bytes that a worker has written stay as they are', () => {
  const memory = layoutOf(1);
  const [segment] = memory.segments;
  if (!segment) throw new Error('no memory');
  const bytes = new Uint8Array(segment).fill(0xa5);
  fill(new WarmPages(memory, new ManualClock()));
  expect(bytes.every(byte => byte === 0xa5)).toBe(true);
});

test('it goes on by itself', () => {
  const clock = new ManualClock();
  const memory = layoutOf(1);
  const warm = new WarmPages(memory, clock);
  warm.start();
  clock.advance(1_000);
  expect(warm.step()).toBe(0);
  Atomics.store(new Int32Array(memory.usedPages), 0, 3);
  clock.advance(1_000);
  expect(warm.step()).toBe(0);
});
