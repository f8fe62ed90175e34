import { expect, it } from 'vitest';
import { WallClockSteps } from '../../../src/base/wall-clock-steps.ts';

it.each([
  ['both run on', [0, 1_000, 5_000_000], [0, 1_000, 5_000_000], [false, false, false]],
  [
    'the wall clock is set forward, and both run on',
    [0, 9_000_000, 9_000_001],
    [0, 0, 1],
    [false, false, false],
  ],
  ['it is set back', [0, -1_001, -1_000], [0, 0, 1], [false, true, false]],
  ['it is set back, and later again', [0, -2_000, -4_000], [0, 0, 0], [false, true, true]],
  ['it is set back and has reached its time again', [0, 3_600_000], [0, 7_200_000], [false, true]],
  ['it is corrected by a second', [0, -1_000, 0], [0, 0, 1_000], [false, false, false]],
  ['it is set back after it was set forward', [0, 5_000, 0], [0, 0, 0], [false, false, true]],
])('%s', (_, wall, monotonic, stepped) => {
  const steps = new WallClockSteps();
  expect(wall.map((wallMs, index) => steps.hasSteppedBack(wallMs, monotonic[index] ?? 0))).toEqual(stepped);
});
