import { expect, it } from 'vitest';
import { GhostList } from '../../../src/cache/ghost-list.ts';

it('a content is remembered once, as long as no more than so much was added after it', () => {
  const ghosts = new GhostList(64, 100);
  ghosts.add(1, 60);
  ghosts.add(2, 40);
  expect([ghosts.take(1), ghosts.take(1)]).toEqual([true, false]);
  ghosts.add(3, 60);
  ghosts.add(4, 41);
  expect([ghosts.take(2), ghosts.take(3), ghosts.take(4)]).toEqual([false, false, true]);
});

it('one that is added again is remembered from then on', () => {
  const ghosts = new GhostList(64, 100);
  ghosts.add(1, 50);
  ghosts.add(2, 50);
  ghosts.add(1, 50);
  ghosts.add(3, 50);
  expect([ghosts.take(1), ghosts.take(2)]).toEqual([true, false]);
});

it('where places run out, the one that was added first is forgotten', () => {
  const ghosts = new GhostList(8, 1_000);
  for (let hash = 1; hash <= 9; hash++) ghosts.add(hash, 1);
  expect(Array.from({ length: 9 }, (_, index) => ghosts.take(index + 1))).toEqual([
    false,
    ...Array.from({ length: 8 }, () => true),
  ]);
});

it('nothing is remembered at first, whatever its hash', () => {
  expect(new GhostList(8, 1_000).take(0)).toBe(false);
});
