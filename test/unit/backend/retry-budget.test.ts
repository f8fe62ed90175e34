import { expect, it } from 'vitest';
import { RetryBudget } from '../../../src/backend/retry-budget.ts';

/** How many calls may be sent again. */
function takeAll(budget: RetryBudget): number {
  let taken = 0;
  while (budget.take()) taken++;
  return taken;
}

it('each connection may be replaced once, and then one call is sent again for ten that are answered', () => {
  const budget = new RetryBudget(16);
  expect(takeAll(budget)).toBe(16);
  for (let answer = 0; answer < 9; answer++) budget.answered();
  expect(takeAll(budget)).toBe(0);
  for (let answer = 0; answer < 21; answer++) budget.answered();
  expect(takeAll(budget)).toBe(3);
});

it('answers save up no more than that', () => {
  const budget = new RetryBudget(2);
  for (let answer = 0; answer < 1_000; answer++) budget.answered();
  expect(takeAll(budget)).toBe(2);
});
