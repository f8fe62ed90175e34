import { expect, it } from 'vitest';
import { headerLines } from '../../../src/http/header-list.ts';

it('a list of headers gives its lines in order', () => {
  expect([...headerLines(['A', '1', 'b', '2'])]).toEqual([
    ['A', '1'],
    ['b', '2'],
  ]);
});
