import { expect, it } from 'vitest';
import { Newcomers } from '../../../src/cache/newcomers.ts';

it('gives the one whose place is next, once, and none before all places are taken', () => {
  const newcomers = new Newcomers(3);
  for (const name of ['a', 'b', 'c']) {
    expect(newcomers.takeOldest()).toBe('');
    newcomers.add(name);
  }
  expect([newcomers.takeOldest(), newcomers.takeOldest()]).toEqual(['a', '']);
  newcomers.add('d');
  expect(newcomers.takeOldest()).toBe('b');
  newcomers.add('e');
  newcomers.add('f');
  expect(newcomers.takeOldest()).toBe('d');
});

it('lets one of thirty-two stay', () => {
  const newcomers = new Newcomers(2);
  const taken = Array.from({ length: 98 }, (_, index) => {
    const oldest = newcomers.takeOldest();
    newcomers.add(`n${index}`);
    return oldest;
  });
  expect(taken.slice(2).filter(name => name === '')).toHaveLength(3);
  expect(taken.slice(2, 33)).toEqual(Array.from({ length: 31 }, (_, index) => `n${index}`));
});
