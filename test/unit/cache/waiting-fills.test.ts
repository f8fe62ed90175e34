import { expect, it } from 'vitest';
import type { SlotWaitRank } from '../../../src/cache/slot-waiters.ts';
import { WaitingFills } from '../../../src/cache/waiting-fills.ts';

/** Groups from 10 on have used up their share. */
function waiting() {
  const needed = new Int32Array(1);
  const called: string[] = [];
  const fills = new WaitingFills(needed, group => group < 10);
  const add = (name: string, how: SlotWaitRank, group = 0) =>
    fills.add(() => void called.push(name), how, group);
  return { fills, add, called, needs: () => needed[0] };
}

it('all are called once, the urgent ones first, when a slot is freed', async () => {
  const { fills, add, called } = waiting();
  add('ahead', 'ahead');
  add('urgent', 'urgent');
  add('for its share', 'urgent', 10);
  fills.notify();
  expect(called).toEqual([]);
  await Promise.resolve();
  expect(called).toEqual(['urgent', 'ahead', 'for its share']);
  fills.notify();
  await Promise.resolve();
  expect(called).toHaveLength(3);
});

it('a group waits with its like: for any slot, or for its share', () => {
  const { fills, add } = waiting();
  add('one', 'urgent', 0);
  add('other', 'ahead', 1);
  add('third', 'ahead', 10);
  expect([0, 9, 10].map(group => [fills.waiting(group), fills.waitingFirst(group)])).toEqual([
    [2, 1],
    [2, 1],
    [1, 0],
  ]);
});

it('a reader in another thread is told of the pressing ones that any slot helps', () => {
  const { fills, add, needs } = waiting();
  add('patient', 'ahead');
  add('urgent', 'urgent');
  add('for its share', 'pressing', 10);
  expect(needs()).toBe(0);
  const forget = add('pressing', 'pressing');
  const forgetOther = add('also pressing', 'pressing');
  expect([needs(), fills.waitingFirst(0)]).toEqual([2, 3]);
  forget();
  forget();
  expect([needs(), fills.waiting(0)]).toEqual([1, 3]);
  fills.notify();
  expect(needs()).toBe(0);
  forgetOther();
  expect(needs()).toBe(0);
});

it('a slot that a reader has released helps nobody who waits for a share', async () => {
  const { fills, add, called } = waiting();
  add('for its share', 'urgent', 10);
  fills.released();
  await Promise.resolve();
  expect(called).toEqual([]);
  add('for any', 'ahead');
  fills.released();
  await Promise.resolve();
  expect(called).toEqual(['for any', 'for its share']);
});
