import { beforeEach, expect, it } from 'vitest';
import { EntrySweep } from '../../../src/cache/entry-sweep.ts';
import { EntryTable } from '../../../src/cache/entry-table.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { PackedEntry } from '../../../src/cache/packed-entry.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import type { ObjectRecord } from '../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordFields } from '../../support/records.ts';

const key = (name: string) => testKey('main', 'b', name);
let clock: ManualClock;
let barriers: PurgeBarriers;
let table: EntryTable;
let sweep: EntrySweep;

function record(): ObjectRecord {
  const refused = { kind: 'refused', isNegative: true, status: 404, body: Buffer.alloc(0) } as const;
  return { ...recordFields(0), ...refused, barrier: barriers.latest };
}

function put(prefix: string, count: number): void {
  for (let index = 0; index < count; index++) table.put(key(`${prefix}${index}`), '', record());
}

function countOf(prefix: string): number {
  return [...table].filter(({ text }) => text.includes(`:${prefix}`)).length;
}

beforeEach(() => {
  const memory = allocateSharedMemory(8_000_000, 65_536, 1);
  clock = new ManualClock();
  barriers = new PurgeBarriers(memory);
  // about half of a thousand entries are packed
  table = new EntryTable(700_000, new MemoryTier(memory, 0), barriers);
  sweep = new EntrySweep(table, clock);
  put('a/', 500);
  put('b/', 500);
});

const purge = (keyPrefix: string, kind: 'hard' | 'soft' = 'hard') =>
  barriers.raise({ kind: 'range', range: { backend: 'main', bucket: 'b', keyPrefix } }, kind, clock.nowMs());

it('gives the memory of what was purged back, packed or not, and leaves the rest', () => {
  const packed = [...table].filter(known => known instanceof PackedEntry).length;
  expect(packed).toBeGreaterThan(100);
  expect(packed).toBeLessThan(900);
  purge('a/');
  sweep.start();
  clock.advance(10_000);
  expect([countOf('a/'), countOf('b/')]).toEqual([0, 500]);
});

it('what is soft-purged stays', () => {
  purge('', 'soft');
  sweep.start();
  clock.advance(10_000);
  expect(table.size).toBe(1_000);
});

it('purges during a walk share the next one, while entries come, go and are used', () => {
  purge('a/1');
  sweep.start();
  clock.advance(1);
  for (let index = 0; index < 500; index++) table.get(key(`b/${index}`));
  table.drop(key('b/0').text);
  purge('a/2');
  sweep.start();
  purge('a/');
  put('b/new', 100);
  put('a/new', 100);
  sweep.start();
  clock.advance(10_000);
  expect([countOf('a/new'), countOf('a/'), countOf('b/')]).toEqual([100, 100, 599]);
});

it('a slice ends in time where hardly a step of the walk meets an entry', () => {
  let steps = 0;
  function* names() {
    for (; steps < 1_000; steps++) yield undefined;
  }
  class SlowClock extends ManualClock {
    /** Each step takes half a millisecond. */
    override monotonicMs(): number {
      return steps / 2;
    }
  }
  const slow = new SlowClock();
  const slices: (() => void)[] = [];
  slow.after = (_delayMs, slice) => {
    slices.push(slice);
    return { cancel: () => undefined };
  };
  new EntrySweep({ names, reclaim: () => undefined }, slow).start();
  slices[0]?.();
  expect(slices, 'the next is due').toHaveLength(2);
  expect(steps).toBeLessThan(32);
  for (let index = 1; index < slices.length; index++) slices[index]?.();
  expect(steps).toBe(1_000);
});
