import { expect, it } from 'vitest';
import {
  describeDuration,
  formatCount,
  formatMoment,
  formatRate,
  formatShare,
} from '../../../src/alerts/wording.ts';

it.each([
  [0, '0 s'],
  [180, '180 ms'],
  [4_720, '4.7 s'],
  [45_000, '45 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [7_500_000, '2 h 5 min'],
  [86_400_000, '1 d'],
  [90_061_000, '1 d 1 h'],
  [86_405_000, '1 d'],
  [59_999, '1 min'],
])('says %i ms as %s', (durationMs, text) => {
  expect(describeDuration(durationMs)).toBe(text);
});

it('says shares, counts, rates and moments briefly', () => {
  expect([0.0531, 0.00144, 1, 0.5].map(formatShare)).toEqual(['5.3 %', '0.14 %', '100 %', '50 %']);
  expect([7, 1_234, 1_204_882].map(formatCount)).toEqual(['7', '1 234', '1 204 882']);
  expect(formatRate(24.666)).toBe('24.7 a second');
  expect(formatMoment(Date.UTC(2026, 0, 1, 12, 30, 5, 999))).toBe('2026-01-01 12:30:05 UTC');
});
