import type { RetryVerdict } from './reply.ts';

/** Service staff advised to wait "nearly 10-15 seconds" after throttling; other failures may be shorter. */
const firstDelayMs = { throttled: 20_000, retry: 1_000 } as const;
const LONGEST_DELAY_MS = 5 * 60_000;
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/**
 * How long to wait after the `failures`th consecutive failure (1 or more) of a channel, in milliseconds: exponential,
 * half of it jitter from `random` (0 ≤ x < 1), at most five minutes, but at least the service's Retry-After (capped at
 * one hour). See docs/cards.md, Errors 2.
 */
export function backOffMs(verdict: RetryVerdict, failures: number, random: () => number): number {
  const doublings = Math.min(failures - 1, 30);
  const fullMs = Math.min(LONGEST_DELAY_MS, firstDelayMs[verdict.kind] * 2 ** doublings);
  const delayMs = Math.round(fullMs / 2 + (fullMs / 2) * random());
  const askedMs = verdict.kind === 'throttled' ? (verdict.retryAfterMs ?? 0) : 0;
  return Math.max(delayMs, Math.min(askedMs, LONGEST_RETRY_AFTER_MS));
}
