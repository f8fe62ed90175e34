import { expect, it } from 'vitest';
import { formatCount, formatRate, formatShare } from '../../../src/alerts/wording.ts';

it('says shares, counts and rates briefly', () => {
  expect([0.0531, 0.00144, 1, 0.5].map(formatShare)).toEqual(['5.3 %', '0.14 %', '100 %', '50 %']);
  expect([7, 1_234, 1_204_882].map(formatCount)).toEqual(['7', '1 234', '1 204 882']);
  expect(formatRate(24.666)).toBe('24.7 a second');
});
