import { beforeEach, expect, it } from 'vitest';
import type { QueueEntry } from '../../../src/backend/queue-entry.ts';
import { FirstByteTimes, SilentCalls } from '../../../src/backend/silent-calls.ts';

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

/** Calls that were sent at `sentMs` and are not answered; an answered one for undefined. */
function running(...sentMs: (number | undefined)[]): QueueEntry[] {
  const unused = () => {
    throw new Error('nothing is done with calls here');
  };
  return sentMs.map((silentSinceMs, index) => ({
    object: String(index),
    client: undefined,
    isTimed: true,
    isAnswered: silentSinceMs === undefined,
    silentSinceMs,
    pausedSinceMs: undefined,
    keptUntilMs: undefined,
    start: unused,
    stoodStill: unused,
    endedBy: unused,
  }));
}

const sixteen = { connections: 16, queueWaitMs: 4_000 };

it('of calls that are silent for long, all but an eighth of the connections give way once a later one was answered', () => {
  const silent = new SilentCalls(sixteen);
  const calls = running(0, undefined, 0, 0, 0, 9_000);
  silent.answered(100, 9_000);
  const { calls: given, count } = silent.toGiveUp(calls, 7, 10_000);
  expect(given).toEqual([calls[0], calls[2]]);
  expect(count).toBe(7);
});

it('while no later call was answered, a few are tried at a time, and the next ones a quarter of the wait later', () => {
  const silent = new SilentCalls(sixteen);
  const calls = running(0, 0, 0, 0, 0, 0);
  expect(silent.toGiveUp(calls, 7, 10_000)).toEqual({ calls: calls.slice(0, 4), count: 2 });
  expect(silent.toGiveUp(calls, 7, 10_999).calls).toEqual([]);
  expect(silent.toGiveUp(calls, 1, 11_000)).toEqual({ calls: calls.slice(0, 4), count: 1 });
});

it('nobody gives way while the answers of the store take as long', () => {
  const silent = new SilentCalls(sixteen);
  silent.answered(6_000, 9_000);
  expect(silent.toGiveUp(running(0, 0, 0, 0), 7, 10_000).calls).toEqual([]);
});
