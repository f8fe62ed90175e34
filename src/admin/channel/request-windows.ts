import type { Clock } from '../../base/clock.ts';

/** docs/cards.md, Limits: lengths in seconds, with the number of requests allowed. */
const limits: readonly (readonly [seconds: number, requests: number])[] = [
  [1, 4],
  [30, 60],
  [3_600, 100],
  [7_200, 150],
  [86_400, 1_800],
];

/**
 * Counts requests as the service does: "a fixed rate window with an incremental counter". Each window starts at a
 * multiple of its length; every request counts until the window resets, including throttled ones.
 */
export class RequestWindows {
  readonly #clock: Clock;
  readonly #counters = limits.map(([seconds, limit]) => ({
    lengthMs: seconds * 1_000,
    limit,
    window: -1,
    count: 0,
  }));

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one request; returns the length of the window that it exceeded, or `within`. */
  count(): { readonly kind: 'within' } | { readonly kind: 'throttled'; readonly windowSeconds: number } {
    const nowMs = this.#clock.nowMs();
    let overrun: number | undefined;
    for (const counter of this.#counters) {
      const window = Math.floor(nowMs / counter.lengthMs);
      if (window !== counter.window) Object.assign(counter, { window, count: 0 });
      counter.count++;
      if (counter.count > counter.limit) overrun = counter.lengthMs / 1_000;
    }
    return overrun === undefined ? { kind: 'within' } : { kind: 'throttled', windowSeconds: overrun };
  }

  /** The current usage of each window. */
  levels(): readonly { readonly windowSeconds: number; readonly used: number; readonly limit: number }[] {
    const nowMs = this.#clock.nowMs();
    return this.#counters.map(({ lengthMs, limit, window, count }) => ({
      windowSeconds: lengthMs / 1_000,
      used: Math.floor(nowMs / lengthMs) === window ? count : 0,
      limit,
    }));
  }
}
