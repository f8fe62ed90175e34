import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LatencyHistogram } from '../../../../src/backend/hedge/latency-histogram.ts';

it('gives a quantile that is never too low, and a tenth too high at most', () => {
  const latencies = fc.array(fc.double({ min: 0.2, max: 60_000, noNaN: true }), {
    minLength: 1,
    maxLength: 300,
  });
  fc.assert(
    fc.property(latencies, fc.double({ min: 0.5, max: 0.999, noNaN: true }), (given, quantile) => {
      const histogram = new LatencyHistogram();
      for (const latency of given) histogram.add(latency, 0);
      const sorted = given.toSorted((one, other) => one - other);
      const exact = sorted[Math.ceil(quantile * sorted.length) - 1] ?? Number.NaN;
      const told = histogram.quantileMs(quantile, 1, 0) ?? Number.NaN;
      expect(told).toBeGreaterThanOrEqual(exact * 0.999);
      expect(told).toBeLessThanOrEqual(exact * 1.1);
    }),
  );
});

it('tells nothing of a few latencies, nor of those that are long past', () => {
  const histogram = new LatencyHistogram();
  for (let index = 0; index < 99; index++) histogram.add(10, 0);
  expect(histogram.quantileMs(0.99, 100, 0)).toBeUndefined();
  histogram.add(10, 0);
  expect(histogram.quantileMs(0.99, 100, 59_999)).toBeLessThan(11);
  expect(histogram.quantileMs(0.99, 100, 60_000)).toBeUndefined();
});

it('takes latencies of any length', () => {
  const histogram = new LatencyHistogram();
  histogram.add(0, 0);
  expect(histogram.quantileMs(0.5, 1, 0)).toBeLessThan(0.2);
  for (let index = 0; index < 9; index++) histogram.add(1e12, 0);
  expect(histogram.quantileMs(0.99, 1, 0)).toBeGreaterThan(300_000);
});
