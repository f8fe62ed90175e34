import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextSlotMs, serviceWindows } from '../../src/alerts/delivery/windows.ts';

/** A service that counts in fixed windows of an unknown phase, as docs/cards.md, Limits describes. */
class FixedWindows {
  readonly #counts = serviceWindows.map(() => ({ window: Number.NaN, count: 0 }));
  readonly #phases: readonly number[];

  constructor(phases: readonly number[]) {
    this.#phases = phases;
  }

  /** Counts one request and tells whether all windows still hold it. */
  count(nowMs: number): boolean {
    let fits = true;
    serviceWindows.forEach(({ lengthMs, limit }, index) => {
      const window = Math.floor((nowMs + (this.#phases[index] ?? 0)) / lengthMs);
      const state = this.#counts[index];
      if (!state) return;
      if (state.window !== window) Object.assign(state, { window, count: 0 });
      state.count++;
      fits &&= state.count <= limit;
    });
    return fits;
  }
}

const request = fc.record({
  // bursts, lulls and long nights
  pauseMs: fc.oneof(
    { weight: 20, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.nat(4_000_000) },
  ),
  latencyMs: fc.oneof({ weight: 8, arbitrary: fc.nat(50) }, { weight: 1, arbitrary: fc.nat(30_000) }),
  countedAt: fc.double({ min: 0, max: 1, noNaN: true }),
});

it('never is over any window of any phase, over simulated days', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(86_400_000), { minLength: 5, maxLength: 5 }),
      fc.array(request, { minLength: 200, maxLength: 3_000, size: 'max' }),
      (phases, requests) => {
        const service = new FixedWindows(phases);
        const replies: number[] = [];
        let nowMs = 0;
        for (const { pauseMs, latencyMs, countedAt } of requests) {
          nowMs = nextSlotMs(serviceWindows, replies, nowMs + pauseMs);
          expect(service.count(nowMs + Math.floor(latencyMs * countedAt))).toBe(true);
          nowMs += latencyMs;
          replies.push(nowMs);
        }
      },
    ),
    { numRuns: 40 },
  );
});

it('never waits longer than some window makes it', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 5, maxLength: 400, size: 'max' }), requests => {
      const replies: number[] = [];
      let nowMs = 0;
      for (const { pauseMs, latencyMs } of requests) {
        nowMs += pauseMs;
        const slotMs = nextSlotMs(serviceWindows, replies, nowMs);
        const fullJustBefore = serviceWindows.some(
          ({ lengthMs, limit }) => replies.filter(replyMs => replyMs > slotMs - 1 - lengthMs).length >= limit,
        );
        expect(slotMs === nowMs || fullJustBefore).toBe(true);
        nowMs = slotMs + latencyMs;
        replies.push(nowMs);
      }
    }),
    { numRuns: 100 },
  );
});
