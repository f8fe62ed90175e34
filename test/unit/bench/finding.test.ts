import { expect, it } from 'vitest';
import { atMost, exactly, orientation, tableOf, verdictOf } from '../../bench/finding.ts';

it.each([
  [atMost('ratio', 1.2, 1.2), 'reached'],
  [atMost('ratio', 1.201, 1.2), 'missed'],
  [atMost('ratio', Number.NaN, 1.2), 'missed'],
  [atMost('ratio', Number.POSITIVE_INFINITY, 1.2), 'missed'],
  [exactly('requests', 1, 1), 'reached'],
  [exactly('requests', 0, 1), 'missed'],
  [exactly('requests', Number.NaN, 1), 'missed'],
  [orientation('time', 5), 'orientation'],
])('judges %o as %s', (finding, verdict) => {
  expect(verdictOf(finding)).toBe(verdict);
});

it('prints figure, measured value, target and verdict on one line each', () => {
  const lines = tableOf([atMost('share', 0.3, 0.25), exactly('requests', 1, 1)]).split('\n');
  expect(lines[0]).toMatch(/^share +0\.300 +at most 0\.250 +missed$/);
  expect(lines[1]).toMatch(/^requests +1 +exactly 1 +reached$/);
});
