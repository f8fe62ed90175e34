import { expect, it } from 'vitest';
import {
  nextSlotMs,
  serviceWindows,
  shareOfWindows,
  slotsLeft,
  withoutReserve,
} from '../../../../src/alerts/delivery/windows.ts';

const limits = (windows: readonly { limit: number }[]) => windows.map(window => window.limit);

it('has the five windows of docs/cards.md', () => {
  expect(serviceWindows.map(({ lengthMs, limit }) => [lengthMs / 1_000, limit])).toEqual([
    [1, 4],
    [30, 60],
    [3600, 100],
    [7200, 150],
    [86400, 1800],
  ]);
});

it('gives each of four gateways a quarter, and nobody less', () => {
  expect(limits(shareOfWindows(serviceWindows, 0.25))).toEqual([1, 15, 25, 37, 450]);
  for (const share of [0.2, 0, -1, 1.1, Number.NaN]) {
    expect(() => shareOfWindows(serviceWindows, share)).toThrow(RangeError);
  }
});

it('keeps a fifth back for what is critical', () => {
  expect(limits(withoutReserve(serviceWindows, 0.2))).toEqual([4, 48, 80, 120, 1440]);
});

it('waits until the length of the window has passed since the reply that is in the way', () => {
  const replies = [100, 200, 300, 400];
  expect(nextSlotMs(serviceWindows, replies, 500)).toBe(1_100);
  expect(nextSlotMs(serviceWindows, replies.slice(1), 500)).toBe(500);
});

it('tells how many requests fit into the tightest window', () => {
  expect(slotsLeft(serviceWindows, [], 0)).toBe(4);
  expect(slotsLeft(serviceWindows, [0, 10, 20], 1_000)).toBe(2);
  expect(slotsLeft(serviceWindows, [0, 10, 20, 30, 40], 900)).toBe(0);
});
