import { expect, it } from 'vitest';
import { lonePoints } from '../../../../../src/admin/status/page/lone-points.js';

it.each([
  [[], []],
  [[1], [0]],
  [[null, 0, null], [1]],
  [[1, 2, null, 3, null, 4, 5], [3]],
  [
    [1, null, null, 2],
    [0, 3],
  ],
  [[null, null], []],
])('of %j no line leads to those at %j', (values, expected) => {
  expect(lonePoints(values)).toEqual(expected);
});
