import { expect, it } from 'vitest';
import { SteadyClock } from '../../../../src/alerts/delivery/steady-clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

it('follows elapsed time and no step of the wall clock', () => {
  const machine = new ManualClock(1_000_000);
  const steady = new SteadyClock(machine, undefined);
  machine.advance(500);
  machine.stepWallClock(-400_000);
  machine.advance(500);
  expect(steady.nowMs()).toBe(1_001_000);
  machine.stepWallClock(900_000_000);
  expect(steady.nowMs()).toBe(1_001_000);
});

it('goes on after a restart by what the wall clock says has passed, and by nothing when it was set back', () => {
  const machine = new ManualClock(1_000_000);
  const before = new SteadyClock(machine, undefined);
  machine.stepWallClock(7_000_000);
  machine.advance(500);
  const mark = before.mark();
  expect(mark).toEqual({ steadyMs: 1_000_500, wallMs: 8_000_500 });
  machine.advance(250);
  expect(new SteadyClock(machine, mark).nowMs()).toBe(1_000_750);
  machine.stepWallClock(-5_000_000);
  expect(new SteadyClock(machine, mark).nowMs()).toBe(1_000_500);
});

it('rounds down the moment before which and up the moment by which', () => {
  const machine = new ManualClock(1_000);
  machine.advance(0.5);
  const steady = new SteadyClock(machine, undefined);
  machine.advance(0.25);
  expect([steady.nowMs(), steady.passedMs()]).toEqual([1_000, 1_001]);
});
