import { expect, it } from 'vitest';
import { NameMemo } from '../../../src/base/name-memo.ts';

it('keeps as many names as it may, and none that is too long', () => {
  const memo = new NameMemo<number>({ names: 3, nameLength: 8 });
  memo.set('a'.repeat(9), 0);
  for (let index = 1; index <= 5; index++) memo.set(`name-${index}`, index);
  expect(memo.size).toBe(3);
  expect(memo.get('a'.repeat(9))).toBeUndefined();
  expect([1, 2, 3, 4, 5].map(index => memo.get(`name-${index}`))).toEqual([1, 2, 3, undefined, undefined]);
});

it('knows no name that every object has', () => {
  const memo = new NameMemo<number>({ names: 3, nameLength: 20 });
  expect(['constructor', '__proto__', 'toString'].map(name => memo.get(name))).toEqual(
    Array(3).fill(undefined),
  );
});
