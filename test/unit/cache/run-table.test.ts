import { expect, it } from 'vitest';
import { RunTable } from '../../../src/cache/run-table.ts';

it('numbers that were given up are used again before new ones, each once', () => {
  const runs = new RunTable(1, 16);
  const numbers = Array.from({ length: 8 }, (_, index) => runs.create(index, 1));
  expect(numbers).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  for (const run of [0, 5, 2]) runs.remove(run);
  const again = [0, 2, 5].map(start => runs.create(start, 1));
  expect(new Set(again)).toEqual(new Set([0, 2, 5]));
  expect(runs.create(8, 1)).toBe(8);
  expect(runs.startOf(8)).toBe(8);
});
