import { expect, it } from 'vitest';
import { isLater } from '../../../../src/gateway/web/made-answer.ts';

it.each([
  ['was asked for later where neither has a date', { requestedMs: 2 }, { requestedMs: 1 }, true],
  ['was asked for later where one has none', { requestedMs: 2 }, { requestedMs: 1, dateMs: 5_000 }, true],
  ['and where it has one itself', { requestedMs: 2, dateMs: 1 }, { requestedMs: 1 }, true],
  ['was made later', { requestedMs: 1, dateMs: 2_000 }, { requestedMs: 2, dateMs: 1_000 }, true],
  ['was made in the same second', { requestedMs: 2, dateMs: 1 }, { requestedMs: 1, dateMs: 1 }, true],
  ['was made earlier', { requestedMs: 2, dateMs: 1_000 }, { requestedMs: 1, dateMs: 2_000 }, false],
])('of two answers that is the newer one which %s', (_what, one, other, isFirst) => {
  const [first, second] = [one, other].map(times => ({ dateMs: undefined, ...times }));
  expect([first && second && isLater(first, second), first && second && isLater(second, first)]).toEqual([
    isFirst,
    !isFirst,
  ]);
});
