import { expect, it } from 'vitest';
import { RestartBackoff } from '../../../src/server/restart-backoff.ts';

it('waits ever longer for a thread that keeps dying, up to ten seconds', () => {
  const backoff = new RestartBackoff();
  const delays = Array.from({ length: 9 }, () => backoff.nextDelayMs(5));
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
});

it('begins anew after a life of a minute', () => {
  const backoff = new RestartBackoff();
  backoff.nextDelayMs(5);
  backoff.nextDelayMs(5);
  expect(backoff.nextDelayMs(60_000)).toBe(100);
});
