import { expect, it } from 'vitest';
import { SampleRing } from '../../../../src/admin/status/sample-ring.ts';

it('keeps the latest rows in order, and says which is the oldest', () => {
  const ring = new SampleRing(3, 2);
  expect([ring.added, ring.oldest, ring.column(0, 0)]).toEqual([0, 0, []]);
  for (let value = 1; value <= 5; value++) ring.add([value, value * 10]);
  expect([ring.added, ring.oldest]).toEqual([5, 2]);
  expect(ring.column(0, ring.oldest)).toEqual([3, 4, 5]);
  expect(ring.column(1, 4)).toEqual([50]);
  expect(ring.column(1, 5)).toEqual([]);
});

it('shows nothing of an older row in columns that a new one leaves out', () => {
  const ring = new SampleRing(1, 2);
  ring.add([1, 10]);
  ring.add([2]);
  expect(ring.column(1, ring.oldest)).toEqual([0]);
});
