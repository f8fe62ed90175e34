import { beforeEach, expect, it } from 'vitest';
import { FirstBytes } from '../../../src/backend/first-bytes.ts';

let firstBytes: FirstBytes;

beforeEach(() => {
  firstBytes = new FirstBytes();
});

function add(count: number, durationMs: number, nowMs: number): void {
  for (let index = 0; index < count; index++) firstBytes.add(durationMs, nowMs);
}

it('with few answers no call is silent for too long', () => {
  add(2, 10, 0);
  expect(firstBytes.silenceLimitMs(0)).toBeUndefined();
  add(1, 10, 0);
  expect(firstBytes.silenceLimitMs(0)).toBe(1_500);
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

it('after a minute without answers nothing is known', () => {
  add(100, 10, 0);
  expect(firstBytes.silenceLimitMs(60_000)).toBeUndefined();
});
