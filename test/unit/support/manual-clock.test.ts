import { expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';

it('runs due timers in order, each at its own moment', () => {
  const clock = new ManualClock(1_000);
  const seen: string[] = [];
  clock.after(20, () => seen.push(`second at ${clock.nowMs()}`));
  clock.after(10, () => seen.push(`first at ${clock.nowMs()}`));
  clock.after(15, () => seen.push('never')).cancel();
  clock.advance(30);
  expect(seen).toEqual(['first at 1010', 'second at 1020']);
  expect(clock.monotonicMs()).toBe(30);
});
