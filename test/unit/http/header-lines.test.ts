import { expect, it } from 'vitest';
import { headerLines } from '../../../src/http/header-lines.ts';

it('a list of headers gives its lines in order', () => {
  expect([...headerLines(['A', '1', 'b', '2'])]).toEqual([
    ['A', '1'],
    ['b', '2'],
  ]);
});

it('a name without a value is no line', () => {
  expect([...headerLines(['A', '1', 'b'])]).toEqual([['A', '1']]);
  expect([...headerLines([])]).toEqual([]);
});
