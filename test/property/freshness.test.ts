import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageS, freshUntilMs } from '../../src/cache/freshness.ts';
import { statedFreshness } from '../../src/cache/stated-freshness.ts';
import { parseCacheControl } from '../../src/http/cache-control.ts';
import { formatHttpDate } from '../../src/http/http-date.ts';

const rules = {
  ...{ mode: 'cache' as const, ttlMs: 60_000, maxTtlMs: 1e12, negativeTtlMs: 5_000, heuristicShare: 0.1 },
  ...{ staleWhileRevalidateMs: 0, staleIfErrorMs: 0, maxStaleMs: 0 },
  honourCacheControl: true,
};
const startMs = Date.UTC(2026, 0, 1);
const seconds = fc.nat(100_000);
const absent = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
/** By how much the clock of the origin is ahead or behind. */
const skewS = fc.integer({ min: -100_000, max: 100_000 });

/** An answer that says some of what an origin may say, with the clocks of both sides. */
const answer = fc.record({
  sMaxAgeS: absent(seconds),
  maxAgeS: absent(seconds),
  expiresAfterS: absent(fc.integer({ min: -1000, max: 100_000 })),
  unchangedForS: absent(seconds),
  ageS: absent(seconds),
  hasDate: fc.boolean(),
  skewS,
  delayMs: fc.nat(10_000),
});
type Given = typeof answer extends fc.Arbitrary<infer Answer> ? Answer : never;

function recordOf(given: Given) {
  const sentMs = startMs + 1000 * given.skewS;
  const date = (afterS: number) => formatHttpDate(sentMs + 1000 * afterS);
  const said = [];
  if (given.sMaxAgeS !== undefined) said.push(`s-maxage=${given.sMaxAgeS}`);
  if (given.maxAgeS !== undefined) said.push(`max-age=${given.maxAgeS}`);
  const receivedMs = startMs + given.delayMs;
  const stated = statedFreshness({
    ...{ status: 200, control: parseCacheControl(said.join(', ')), requestedMs: startMs, receivedMs },
    expires: given.expiresAfterS === undefined ? undefined : date(given.expiresAfterS),
    lastModified: given.unchangedForS === undefined ? undefined : date(-given.unchangedForS),
    age: given.ageS?.toString(),
    date: given.hasDate ? date(0) : undefined,
  });
  return { receivedMs, directives: { ...stated, noStore: false }, isNegative: false, isUnsettled: false };
}

/** RFC 9111 §4.2.1, word by word. */
function statedLifetimeS(given: Given): number | undefined {
  if (given.sMaxAgeS !== undefined) return given.sMaxAgeS;
  if (given.maxAgeS !== undefined) return given.maxAgeS;
  return given.hasDate && given.expiresAfterS !== undefined ? Math.max(0, given.expiresAfterS) : undefined;
}

describe('whatever an origin says, and whatever its clock does (RFC 9111 §4.2)', () => {
  it('an answer is fresh as long as its lifetime is greater than its current age, and no longer', () => {
    fc.assert(
      fc.property(answer, seconds, (given, residentS) => {
        const lifetimeS = statedLifetimeS(given);
        fc.pre(lifetimeS !== undefined && (given.hasDate || given.expiresAfterS === undefined));
        const record = recordOf(given);
        const nowMs = record.receivedMs + 1000 * residentS;
        const currentAgeMs = record.directives.initialAgeMs + nowMs - record.receivedMs;
        expect(freshUntilMs(record, rules, nowMs) > nowMs).toBe(1000 * (lifetimeS ?? 0) > currentAgeMs);
        expect(ageS(record, nowMs)).toBe(Math.floor(currentAgeMs / 1000));
      }),
    );
  });

  it('it is never younger than its Age, than the way that it took and than the time that it is held', () => {
    fc.assert(
      fc.property(answer, seconds, (given, residentS) => {
        const record = recordOf(given);
        const nowMs = record.receivedMs + 1000 * residentS;
        const leastMs = 1000 * (given.ageS ?? 0) + given.delayMs + 1000 * residentS;
        expect(ageS(record, nowMs)).toBeGreaterThanOrEqual(Math.floor(leastMs / 1000));
      }),
    );
  });

  it('a clock that runs ahead makes no answer fresh for longer, nor does one that is slow', () => {
    fc.assert(
      fc.property(answer, given => {
        const dated = { ...given, hasDate: true };
        const exact = recordOf({ ...dated, skewS: 0 });
        const until = freshUntilMs(recordOf(dated), rules, exact.receivedMs);
        expect(until).toBeLessThanOrEqual(freshUntilMs(exact, rules, exact.receivedMs));
      }),
    );
  });

  it('a guess is at most its share of the time without a change, and is made only where nothing is stated', () => {
    fc.assert(
      fc.property(answer, given => {
        const record = recordOf(given);
        const { initialAgeMs, unchangedForMs = 600_000 } = record.directives;
        const lifetimeMs = freshUntilMs(record, rules, record.receivedMs) - record.receivedMs + initialAgeMs;
        const isStated = [given.sMaxAgeS, given.maxAgeS, given.expiresAfterS].some(
          said => said !== undefined,
        );
        if (!isStated) expect(lifetimeMs).toBeCloseTo(0.1 * unchangedForMs, 3);
        expect(lifetimeMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
