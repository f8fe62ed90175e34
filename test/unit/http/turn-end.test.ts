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

it('lets no task wait for more than a few dozen others, and runs none inside of its caller', async () => {
  const told: number[] = [];
  for (let number = 0; number < 150; number++) atTurnEnd({ run: () => told.push(number) });
  expect(told).toEqual([]);
  await new Promise<void>(resolve => process.nextTick(resolve));
  expect(told).toEqual(Array.from({ length: 150 }, (_, number) => number));
});

it('runs the others when one throws, which nobody else is blamed for', async () => {
  const told: string[] = [];
  const thrown = new Promise(resolve => process.once('uncaughtException', resolve));
  atTurnEnd({ run: () => told.push('before') });
  atTurnEnd({
    run: () => {
      throw new Error('one of three');
    },
  });
  atTurnEnd({ run: () => told.push('after') });
  await endOfTurn();
  expect(told).toEqual(['before', 'after']);
  expect(await thrown).toMatchObject({ message: 'one of three' });
});

it('runs what a task adds', async () => {
  const told: string[] = [];
  atTurnEnd({ run: () => atTurnEnd({ run: () => told.push('added') }) });
  await endOfTurn();
  await endOfTurn();
  expect(told).toEqual(['added']);
});
