import { expect, it } from 'vitest';
import { HoleTable } from '../../../src/cache/hole-table.ts';
import { RunTable } from '../../../src/cache/run-table.ts';

it('what becomes free in a window that is set aside joins no hole beside it before it is given back', () => {
  const runs = new RunTable(1, 40);
  const holes = new HoleTable(runs);
  const [left, first, second, right] = [0, 10, 20, 30].map(start => runs.create(start, 10)) as [
    number,
    number,
    number,
    number,
  ];
  holes.add(left);
  holes.add(right);
  holes.setAside(10, 30);
  holes.add(first);
  holes.add(second);
  expect([holes.take(11), holes.granules]).toEqual([undefined, 40]);
  holes.giveBack();
  expect(holes.take(40)).toBe(left);
});

it('a block gets the smallest hole that holds it', () => {
  const runs = new RunTable(1, 40);
  const holes = new HoleTable(runs);
  const [long, , short] = [
    [0, 16],
    [16, 4],
    [20, 8],
    [28, 12],
  ].map(([start = 0, length = 0]) => runs.create(start, length));
  if (long !== undefined) holes.add(long);
  if (short !== undefined) holes.add(short);
  expect([holes.take(7), holes.take(9)]).toEqual([short, long]);
});
