import { expect, it } from 'vitest';
import { SlotWait } from '../../../../src/gateway/fill/slot-wait.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** A wait whose notifications, like those of the memory, may already be queued when they are forgotten. */
function setup() {
  const clock = new ManualClock();
  const queued: (() => void)[] = [];
  let retries = 0;
  const slots = {
    waitingFirst: () => 0,
    whenFreed: (callback: () => void) => {
      queued.push(callback);
      return () => undefined;
    },
  };
  const wait = new SlotWait({ clock, slots }, () => retries++);
  return { clock, queued, wait, retries: () => retries };
}

it('retries once, whether a slot was freed or time has passed', () => {
  const { clock, queued, wait, retries } = setup();
  wait.begin('new', 0);
  queued[0]?.();
  clock.advance(50);
  expect(retries()).toBe(1);
  wait.begin('new', 0);
  clock.advance(50);
  queued[1]?.();
  expect(retries()).toBe(2);
});

it('does not retry once it has ended, though a notification was on its way', () => {
  const { clock, queued, wait, retries } = setup();
  wait.begin('new', 0);
  wait.end();
  queued[0]?.();
  clock.advance(1_000);
  expect(retries()).toBe(0);
});
