import { beforeEach, expect, it } from 'vitest';
import { FIRST_BYTE_LIMIT_MS, SlotWait } from '../../../../src/gateway/fill/slot-wait.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let wait: SlotWait;
/** The callbacks that are registered, by what they were registered with. */
let registered: Map<() => void, string>;

beforeEach(() => {
  clock = new ManualClock();
  registered = new Map();
  const slots = {
    waitingFirst: () => 0,
    whenFreed: (callback: () => void, rank = 'ahead', group = 0) => {
      registered.set(callback, `${rank} in group ${group}`);
      return () => void registered.delete(callback);
    },
  };
  wait = new SlotWait({ clock, slots }, () => undefined);
});

it('takes the time of all waits together, and is one wait while there is no slot', () => {
  expect([wait.isWaiting, wait.totalMs]).toEqual([false, 0]);
  wait.begin('new', 0);
  clock.advance(40);
  wait.begin('new', 0);
  clock.advance(40);
  expect([wait.isWaiting, wait.totalMs]).toEqual([true, 80]);
  wait.end();
  clock.advance(1_000);
  expect([wait.isWaiting, wait.totalMs]).toEqual([false, 80]);
  wait.begin('new', 0);
  clock.advance(20);
  expect(wait.totalMs).toBe(100);
  wait.end();
  wait.end();
  expect(wait.totalMs).toBe(100);
});

it('has one callback at most, of the rank and group of the last begin', () => {
  wait.begin('none', 1);
  wait.begin('new', 2);
  expect([...registered.values()]).toEqual(['urgent in group 2']);
  wait.end();
  expect(registered.size).toBe(0);
});

it.each([
  ['none', 60_000, 'ahead'],
  ['new', 499, 'urgent'],
  ['new', 500, 'pressing'],
  ['begun', 4_999, 'urgent'],
  ['begun', 5_000, 'pressing'],
] as const)('of readers that are %s it is after %i ms: %s', (awaitedBy, afterMs, rank) => {
  wait.begin(awaitedBy, 0);
  for (let passedMs = 0; passedMs < afterMs; passedMs += Math.min(50, afterMs - passedMs)) {
    clock.advance(Math.min(50, afterMs - passedMs));
    wait.begin(awaitedBy, 0);
  }
  expect([...registered.values()]).toEqual([`${rank} in group 0`]);
});

it('lets a transfer keep its connection for a second of each wait', () => {
  wait.begin('new', 0);
  clock.advance(999);
  expect(wait.keepsConnection).toBe(true);
  clock.advance(1);
  expect(wait.keepsConnection).toBe(false);
  wait.end();
  expect(wait.keepsConnection).toBe(true);
});

it('refuses a reader at its own limit, or with those that were there when the wait began', () => {
  expect(wait.refusalMs(Infinity)).toBe(Infinity);
  expect(wait.refusalMs(500)).toBe(500);
  wait.begin('new', 0);
  clock.advance(200);
  // a second reader joins: it has waited for nothing, but the wait has begun
  expect(wait.refusalMs(FIRST_BYTE_LIMIT_MS)).toBe(FIRST_BYTE_LIMIT_MS);
  expect(wait.refusalMs(100)).toBe(300);
  wait.end();
  clock.advance(200);
  expect(wait.refusalMs(FIRST_BYTE_LIMIT_MS)).toBe(200 + FIRST_BYTE_LIMIT_MS);
});

it('refuses nobody while there are slots', () => {
  const refusalMs = wait.refusalMs(100);
  wait.begin('new', 0);
  clock.advance(99);
  expect(wait.hasRefused(refusalMs)).toBe(false);
  clock.advance(1);
  expect(wait.hasRefused(refusalMs)).toBe(true);
  expect(wait.hasRefused(Infinity)).toBe(false);
  wait.end();
  expect(wait.hasRefused(refusalMs)).toBe(false);
});
