import { expect, it } from 'vitest';
import { describeDuration, formatMoment } from '../../../src/base/time-text.js';

it.each([
  [0, '0 s'],
  [-5, '0 s'],
  [0.42, '0.42 ms'],
  [9.949, '9.9 ms'],
  [9.95, '10 ms'],
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
])('says %d ms as %s', (durationMs, text) => {
  expect(describeDuration(durationMs)).toBe(text);
});

it('says a moment, in UTC', () => {
  expect(formatMoment(Date.UTC(2026, 0, 1, 12, 30, 5, 999))).toBe('2026-01-01 12:30:05 UTC');
  expect(formatMoment('2026-01-01T12:30:05.678Z')).toBe('2026-01-01 12:30:05 UTC');
});
