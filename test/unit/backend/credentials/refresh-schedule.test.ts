import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renewalDelayMs, retryDelayMs } from '../../../../src/backend/credentials/refresh-schedule.ts';

const random = () => fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it('what is valid for longer than a few seconds is renewed within its time, with room for a second try', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4_000, max: 2 ** 40 }), random(), (leftMs, chance) => {
      const delayMs = renewalDelayMs(leftMs, chance);
      expect(delayMs).toBeGreaterThanOrEqual(1_000);
      expect(leftMs - delayMs).toBeGreaterThanOrEqual(Math.min(10 * 60_000, leftMs / 3) - 0.001);
      expect(leftMs - delayMs).toBeLessThanOrEqual(Math.max(15 * 60_000, leftMs / 2));
    }),
  );
});

it('a failure is never followed at once, nor later than after a minute', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), random(), (failures, chance) => {
      expect(retryDelayMs(failures, chance)).toBeGreaterThanOrEqual(500);
      expect(retryDelayMs(failures, chance)).toBeLessThanOrEqual(60_000);
    }),
  );
});
