import { expect, it } from 'vitest';
import { withoutTrailing } from '../../../src/base/without-trailing.ts';

it.each([
  ['a  ', ' ', 'a'],
  ['a b', ' ', 'a b'],
  ['a \t ', ' \t', 'a'],
  ['a \t ', ' ', 'a \t'],
  ['///', '/', ''],
  ['', ' ', ''],
])('%j without %j at its end is %j', (text, characters, rest) => {
  expect(withoutTrailing(text, characters)).toBe(rest);
});
