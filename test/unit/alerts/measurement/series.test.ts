import { expect, it } from 'vitest';
import { quantile } from '../../../../src/alerts/measurement/series.ts';

const buckets = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([le, value]) => ({ labels: { le }, value }));

it('interpolates within the bucket that the quantile falls into', () => {
  const observed = buckets({ '1': 50, '2': 100, '+Inf': 100 });
  expect(quantile(observed, 0.5)).toEqual({ value: 1, count: 100 });
  expect(quantile(observed, 0.75)).toEqual({ value: 1.5, count: 100 });
});

it('says the highest bound for what lies beyond it', () => {
  expect(quantile(buckets({ '1': 0, '2': 1, '+Inf': 100 }), 0.99).value).toBe(2);
});

it('adds up several series of the same bound', () => {
  const twice = [...buckets({ '1': 5, '+Inf': 10 }), ...buckets({ '1': 5, '+Inf': 10 })];
  expect(quantile(twice, 0.5)).toEqual({ value: 1, count: 20 });
});

it('has no value where nothing was observed', () => {
  expect(quantile([], 0.99)).toEqual({ value: Number.NaN, count: 0 });
  expect(quantile(buckets({ '1': 0, '+Inf': 0 }), 0.99).count).toBe(0);
});
