import { expect, it } from 'vitest';
import { RestartBackoff } from '../../../src/server/restart-backoff.ts';

const delaysOf = (alone: boolean) => {
  const backoff = new RestartBackoff();
  return Array.from({ length: 9 }, () => backoff.nextDelayMs(5, alone));
};

it('replaces a thread at once, and one that keeps dying after ever longer waits, up to five seconds', () => {
  expect(delaysOf(false)).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

it('waits for half a second at most while there is no other thread', () => {
  expect(delaysOf(true)).toEqual([0, 100, 200, 400, 500, 500, 500, 500, 500]);
});

it('begins anew after a life of ten seconds', () => {
  const backoff = new RestartBackoff();
  backoff.nextDelayMs(5, false);
  backoff.nextDelayMs(5, false);
  expect(backoff.nextDelayMs(10_000, false)).toBe(0);
});
