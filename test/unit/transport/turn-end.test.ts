import { expect, it } from 'vitest';
import { atTurnEnd } from '../../../src/transport/turn-end.ts';

const failed = (error: unknown) => {
  throw error;
};

const endOfTurn = () => new Promise(resolve => setImmediate(resolve));

it('runs tasks in their order, when the turn is over', async () => {
  const told: number[] = [];
  for (let number = 0; number < 3; number++) atTurnEnd({ run: () => told.push(number), failed });
  expect(told).toEqual([]);
  await endOfTurn();
  expect(told).toEqual([0, 1, 2]);
});

it('lets no task wait for more than a few dozen others, and runs none inside of its caller', async () => {
  const told: number[] = [];
  for (let number = 0; number < 150; number++) atTurnEnd({ run: () => told.push(number), failed });
  expect(told).toEqual([]);
  await new Promise<void>(resolve => process.nextTick(resolve));
  expect(told).toEqual(Array.from({ length: 150 }, (_, number) => number));
});

it('runs the others when one throws, which takes what it threw', async () => {
  const told: unknown[] = [];
  atTurnEnd({ run: () => told.push('before'), failed });
  atTurnEnd({
    run: () => {
      throw new Error('one of three');
    },
    failed: error => told.push(error),
  });
  atTurnEnd({ run: () => told.push('after'), failed });
  await endOfTurn();
  expect(told).toEqual(['before', new Error('one of three'), 'after']);
});

it('runs what a task adds', async () => {
  const told: string[] = [];
  atTurnEnd({ run: () => atTurnEnd({ run: () => told.push('added'), failed }), failed });
  await endOfTurn();
  await endOfTurn();
  expect(told).toEqual(['added']);
});
