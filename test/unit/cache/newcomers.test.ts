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
