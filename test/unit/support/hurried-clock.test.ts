import { expect, it } from 'vitest';
import { hurried } from '../../support/hurried-clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';

it('goes so many times as fast, and keeps short waits as they are', () => {
  const clock = new ManualClock();
  const fast = hurried(clock, 5);
  const [nowMs, monotonicMs] = [fast.nowMs(), fast.monotonicMs()];
  const rung: string[] = [];
  fast.after(10_000, () => rung.push('long'));
  fast.after(500, () => rung.push('short'));
  clock.advance(499);
  expect(rung).toEqual([]);
  clock.advance(1);
  expect(rung).toEqual(['short']);
  clock.advance(1_500);
  expect(rung).toEqual(['short', 'long']);
  expect([fast.nowMs() - nowMs, fast.monotonicMs() - monotonicMs]).toEqual([10_000, 10_000]);
});
