import { expect, it } from 'vitest';
import { SteadyClock } from '../../../../src/alerts/delivery/steady-clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

it('follows elapsed time and no step of the wall clock', () => {
  const machine = new ManualClock(1_000_000);
  const steady = new SteadyClock(machine, 0);
  machine.advance(500);
  machine.stepWallClock(-400_000);
  machine.advance(500);
  expect(steady.nowMs()).toBe(1_001_000);
  machine.stepWallClock(900_000_000);
  expect(steady.nowMs()).toBe(1_001_000);
});

it('begins no earlier than the latest moment that was written down', () => {
  const steady = new SteadyClock(new ManualClock(1_000_000), 5_000_000);
  expect(steady.nowMs()).toBe(5_000_000);
});

it('rounds down the moment before which and up the moment by which', () => {
  const machine = new ManualClock(1_000);
  machine.advance(0.5);
  const steady = new SteadyClock(machine, 0);
  machine.advance(0.25);
  expect([steady.nowMs(), steady.passedMs()]).toEqual([1_000, 1_001]);
});
