import { expect, it } from 'vitest';
import { Succession } from '../../../../src/gateway/request/succession.ts';

it('a bucket has moved once any later configuration has moved it', () => {
  const [first, second, third] = [new Succession(), new Succession(), new Succession()];
  first.replacedBy(second, new Set([1]));
  expect([first.hasMoved(1), first.hasMoved(2), second.hasMoved(1)]).toEqual([true, false, false]);
  second.replacedBy(third, new Set([2]));
  expect([first.hasMoved(1), first.hasMoved(2), second.hasMoved(2), third.hasMoved(2)]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(first.hasMoved(3)).toBe(false);
});

it('where every bucket may have moved, each has', () => {
  const first = new Succession();
  first.replacedBy(new Succession(), 'every');
  expect(first.hasMoved(7)).toBe(true);
});
