import { beforeEach, describe, expect, it } from 'vitest';
import { Traffic } from '../../../../../src/admin/status/page/traffic.js';
import type { TrafficReport } from '../../../../../src/admin/status/traffic-history.ts';

const START_MS = Date.UTC(2026, 0, 1);
const STARTED = '2026-01-01T00:00:00.000Z';

let traffic: Traffic;

beforeEach(() => {
  traffic = new Traffic();
});

/** The samples `from` to `to` of one process; sample N answered N requests, of which one failed. */
function report(from: number, to: number, changes: Partial<TrafficReport> = {}): TrafficReport {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return {
    startedAt: STARTED,
    next: to + 1,
    samples: {
      atMs: numbers.map(number => START_MS + number * 5_000),
      seconds: numbers.map(() => 5),
      requests: numbers,
      errors: numbers.map(number => Math.min(1, number)),
      reads: numbers,
      hits: numbers.map(() => 0),
      sentBytes: numbers.map(number => number * 10),
      storeBytes: numbers.map(() => 0),
      receivedBytes: numbers.map(() => 0),
      firstByteP50S: numbers.map(() => null),
      firstByteP99S: numbers.map(number => number / 1_000),
    },
    buckets: [],
    ...changes,
  };
}

it('adds what is new to what it has', () => {
  expect(traffic.add(report(0, 1))).toBe(true);
  expect(traffic.next).toBe(2);
  expect(traffic.add(report(2, 2))).toBe(true);
  expect(traffic.add({ ...report(3, 2), next: 3 })).toBe(true);
  expect(traffic.times()).toEqual([0, 5, 10].map(seconds => START_MS / 1_000 + seconds));
  expect(traffic.rates('requests')).toEqual([0, 0.2, 0.4]);
  expect(traffic.ratios('errors', 'requests')).toEqual([null, 1, 0.5]);
  expect(traffic.values('firstByteP99S')).toEqual([0, 0.001, 0.002]);
});

describe('begins anew', () => {
  it.each([
    ['another process', { ...report(0, 4), startedAt: '2026-01-01T00:05:00.000Z' }],
    ['a clock that was set back', report(2, 3, { samples: report(0, 1).samples })],
  ])('with %s', (_, other) => {
    traffic.add(report(0, 2));
    expect(traffic.add(other)).toBe(false);
    expect([traffic.next, traffic.length]).toEqual([0, 0]);
    expect(traffic.add(report(0, 4))).toBe(true);
    expect(traffic.length).toBe(5);
  });
});

it('tells the mean rate of the last minute, and none before the first sample', () => {
  expect(traffic.lastMinute('requests')).toBeNull();
  traffic.add(report(0, 19));
  // the last twelve samples, 8 to 19
  expect(traffic.lastMinute('requests')).toBeCloseTo((12 * (8 + 19)) / 2 / 60);
});

it('keeps no more than an hour', () => {
  traffic.add(report(0, 719));
  traffic.add(
    report(720, 900, { buckets: [{ name: 'a', reads: Array(181).fill(1), hits: Array(181).fill(1) }] }),
  );
  expect(traffic.length).toBe(721);
  expect(traffic.times()[0]).toBe(START_MS / 1_000 + 180 * 5);
  expect(traffic.hitRatios(1)[0]?.values).toHaveLength(721);
});

it('a bucket that is read later, or no longer, has no hit ratio meanwhile', () => {
  traffic.add(report(0, 1, { buckets: [{ name: 'a', reads: [4, 0], hits: [1, 0] }] }));
  traffic.add(
    report(2, 3, {
      buckets: [
        { name: null, reads: [0, 9], hits: [0, 9] },
        { name: '__proto__', reads: [5, 5], hits: [0, 5] },
      ],
    }),
  );
  expect(traffic.hitRatios(9)).toEqual([
    { name: '__proto__', reads: 10, values: [null, null, 0, 1] },
    { name: null, reads: 9, values: [null, null, null, 1] },
    { name: 'a', reads: 4, values: [0.25, null, null, null] },
  ]);
  expect(traffic.hitRatios(1)).toHaveLength(1);
});
