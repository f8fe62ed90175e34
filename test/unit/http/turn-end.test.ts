import { expect, it } from 'vitest';
import { atTurnEnd } from '../../../src/http/turn-end.ts';

const endOfTurn = () => new Promise(resolve => setImmediate(resolve));

it('runs tasks in their order, when the turn is over', async () => {
  const told: number[] = [];
  for (let number = 0; number < 3; number++) atTurnEnd({ run: () => told.push(number) });
  expect(told).toEqual([]);
  await endOfTurn();
  expect(told).toEqual([0, 1, 2]);
});

it('lets no task wait for more than a few dozen others', async () => {
  const told: number[] = [];
  for (let number = 0; number < 150; number++) atTurnEnd({ run: () => told.push(number) });
  expect(told.length).toBeGreaterThanOrEqual(100);
  await endOfTurn();
  expect(told).toEqual(Array.from({ length: 150 }, (_, number) => number));
});

it('runs what a task adds', async () => {
  const told: string[] = [];
  atTurnEnd({ run: () => atTurnEnd({ run: () => told.push('added') }) });
  await endOfTurn();
  await endOfTurn();
  expect(told).toEqual(['added']);
});
