import { expect, it } from 'vitest';
import { BarrierTable } from '../../../src/cache/barrier-table.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { testKey } from '../../support/object-keys.ts';

const table = () => new BarrierTable(new SharedArrayBuffer(BarrierTable.bytes(4)), 4);
const one = { slot: 2, mark: 7 };
const other = { slot: 2, mark: 8 };

it('a barrier concerns its own place, and what was learned before it', () => {
  const barriers = table();
  barriers.raise(one, 5, 'hard', 0);
  expect([4, 5].map(since => barriers.limitMs(one, since))).toEqual([-Infinity, Infinity]);
  expect(barriers.limitMs(other, 4)).toBe(Infinity);
  expect(barriers.limitMs({ ...one, slot: 3 }, 4)).toBe(Infinity);
});

it('a barrier that another thread raised later, and was sooner with, stays', () => {
  const barriers = table();
  barriers.raise(one, 5, 'hard', 0);
  barriers.raise(one, 4, 'hard', 0);
  expect(barriers.limitMs(one, 4)).toBe(-Infinity);
});

it('barriers of several marks in a slot concern all that have it', () => {
  const barriers = table();
  barriers.raise(one, 1, 'soft', 9_000);
  barriers.raise(one, 2, 'soft', 10_000);
  expect(barriers.limitMs(other, 0)).toBe(Infinity);
  barriers.raise(other, 3, 'hard', 0);
  expect([one, other, { ...one, mark: 9 }].map(place => barriers.limitMs(place, 2))).toEqual(
    Array(3).fill(-Infinity),
  );
  expect(barriers.limitMs(one, 3)).toBe(Infinity);
});

it('a thousand purges of other prefixes leave nearly all that is held, however long its key', () => {
  const barriers = new PurgeBarriers(allocateSharedMemory(1, 65_536, 1));
  const bucket = { backend: 'main', bucket: 'b' };
  for (let number = 0; number < 1_000; number++) {
    const keyPrefix = `nobody/${number}/`.padEnd(6 + (number % 55), 'x');
    barriers.raise({ kind: 'range', range: { ...bucket, keyPrefix } }, 'hard', 0);
  }
  let lost = 0;
  for (let number = 0; number < 2_000; number++) {
    const { text } = testKey('main', 'b', `somebody/${number}/`.padEnd(60, 'y'));
    if (barriers.removes(text, [], 0)) lost++;
  }
  expect(lost).toBeLessThan(40);
});
