import { expect, it } from 'vitest';
import { allocateWebParts, partCount, partOf } from '../../../src/cache/web-parts.ts';

it('each bucket has a part of its own, the same in all threads and however often it is asked for', () => {
  const parts = allocateWebParts(10);
  const other = structuredClone(parts);
  // neighbours, the ends of the range, and some that begin at one place
  const hashes = [
    0,
    1,
    2,
    2 ** 31,
    2 ** 32 - 1,
    7,
    ...[1, 2, 3, 4].map(times => 7 + times * (partCount(parts) - 1)),
  ];
  const taken = hashes.map(hash => partOf(parts, hash));
  expect(new Set(taken).size).toBe(hashes.length);
  expect([...hashes].reverse().map(hash => partOf(other, hash))).toEqual([...taken].reverse());
});

it('buckets for which no part is left share one that is nobody else’s', () => {
  const parts = allocateWebParts(0);
  const first = Array.from({ length: partCount(parts) - 1 }, (_, at) => partOf(parts, 1 + 31 * at));
  expect(new Set(first).size).toBe(first.length);
  const late = [100_000, 200_000].map(hash => partOf(parts, hash));
  expect(late[0]).toBe(late[1]);
  expect(first).not.toContain(late[0]);
  expect(first[3]).toBe(partOf(parts, 1 + 31 * 3));
});

it('law 8: the parts of a thousand buckets have as many slots in all as those of a hundred', () => {
  const slots = (buckets: number) => {
    const parts = allocateWebParts(buckets);
    return [parts.keySlots, parts.groupSlots].map(each => each * partCount(parts));
  };
  for (const buckets of [0, 1, 100, 1_000]) {
    const [keys = 0, groups = 0] = slots(buckets);
    expect(keys).toBeLessThanOrEqual(2 ** 24);
    expect(groups).toBeLessThanOrEqual(2 ** 21);
  }
});
