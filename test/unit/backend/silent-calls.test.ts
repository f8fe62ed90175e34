import { beforeEach, expect, it } from 'vitest';
import { FirstByteTimes } from '../../../src/backend/silent-calls.ts';

let firstBytes: FirstByteTimes;

beforeEach(() => {
  firstBytes = new FirstByteTimes();
});

function add(count: number, durationMs: number, nowMs: number): void {
  for (let index = 0; index < count; index++) firstBytes.add(durationMs, nowMs);
}

it('before anything was answered, and when answers are quick, calls are silent after a second and a half', () => {
  expect(firstBytes.silenceLimitMs(0)).toBe(1_500);
  add(3, 10, 0);
  expect(firstBytes.silenceLimitMs(0)).toBe(1_500);
});

it('knows whether something was answered that was asked later', () => {
  expect(firstBytes.hasAnsweredSince(0)).toBe(false);
  firstBytes.add(50, 1_000);
  firstBytes.add(800, 1_010);
  expect(firstBytes.hasAnsweredSince(949)).toBe(true);
  expect(firstBytes.hasAnsweredSince(950)).toBe(false);
});

it('one slow answer among many quick ones is enough to be waited for, twice as long', () => {
  add(1, 2_000, 0);
  add(1_000, 10, 10_000);
  expect(firstBytes.silenceLimitMs(20_000)).toBe(4_000);
});

it.each([
  [29_000, 4_000],
  [59_000, 4_000],
  [60_000, 1_500],
])(
  'a slow answer counts for half a minute at least and a minute at most: at %i ms the limit is %i ms',
  (nowMs, limitMs) => {
    add(1, 2_000, 0);
    add(20, 10, nowMs);
    expect(firstBytes.silenceLimitMs(nowMs)).toBe(limitMs);
  },
);

it('after a minute without answers the slowest is forgotten', () => {
  add(100, 5_000, 0);
  expect(firstBytes.silenceLimitMs(60_000)).toBe(1_500);
});
