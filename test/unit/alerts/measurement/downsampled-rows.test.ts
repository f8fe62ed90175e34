import { expect, it } from 'vitest';
import {
  DownsampledRows,
  LONGEST_BASELINE_MS,
  LONGEST_WINDOW_MS,
} from '../../../../src/alerts/measurement/downsampled-rows.ts';

const ladder = [
  { spacingMs: 0, keepMs: 10 },
  { spacingMs: 5, keepMs: 40 },
];

function filled(untilMs: number): DownsampledRows {
  const rows = new DownsampledRows(ladder);
  for (let atMs = 0; atMs <= untilMs; atMs++) rows.add({ atMs, values: new Float64Array() });
  return rows;
}

it('finds the exact row where rows are fine, the last one before where they are coarse', () => {
  const rows = filled(100);
  expect(rows.latest?.atMs).toBe(100);
  expect(rows.at(93)?.atMs).toBe(93);
  expect(rows.at(78)?.atMs).toBe(75);
});

it('gives the oldest row for a moment before all rows', () => {
  expect(filled(100).at(3)?.atMs).toBe(60);
  expect(filled(4).at(-10)?.atMs).toBe(0);
});

it('has no row before the first was added', () => {
  expect(new DownsampledRows(ladder).latest).toBeUndefined();
  expect(new DownsampledRows(ladder).at(0)).toBeUndefined();
});

it('keeps what the longest window is compared with, to its beginning', () => {
  const rows = new DownsampledRows();
  const everyMs = 30_000;
  const reachMs = LONGEST_WINDOW_MS + LONGEST_BASELINE_MS;
  for (let atMs = 0; atMs <= 2 * reachMs; atMs += everyMs) {
    rows.add({ atMs, values: new Float64Array() });
    if (atMs > reachMs) expect(rows.at(atMs - reachMs)?.atMs).toBeLessThanOrEqual(atMs - reachMs);
  }
});
