import { expect, it } from 'vitest';
import { backOffMs } from '../../../../src/alerts/delivery/back-off.ts';
import type { RetryVerdict } from '../../../../src/alerts/delivery/reply.ts';

const failed: RetryVerdict = { kind: 'retry', reason: 'ECONNRESET' };
const least = () => 0;
const most = () => 1 - Number.EPSILON;

it('doubles with every failure in a row, up to five minutes', () => {
  const delays = [1, 2, 3, 4, 9, 10, 1_000].map(failures => backOffMs(failed, failures, most));
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
});

it('jitters over the upper half of the delay', () => {
  expect(backOffMs(failed, 3, least)).toBe(2_000);
  expect(backOffMs(failed, 3, () => 0.5)).toBe(3_000);
});

it('waits at least ten seconds after throttling', () => {
  expect(backOffMs({ kind: 'throttled' }, 1, least)).toBe(10_000);
});

it('never comes back sooner than the service asked, nor later than an hour for its sake', () => {
  expect(backOffMs({ kind: 'throttled', retryAfterMs: 45_000 }, 1, least)).toBe(45_000);
  expect(backOffMs({ kind: 'throttled', retryAfterMs: 999_999_000 }, 1, least)).toBe(3_600_000);
});
