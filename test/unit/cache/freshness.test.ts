import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ageS,
  type FreshnessInputs,
  freshUntilMs,
  servedInBackgroundUntilMs,
  servedOnErrorUntilMs,
} from '../../../src/cache/freshness.ts';
import { type FreshnessDirectives, nothingStated } from '../../../src/cache/stated-freshness.ts';

const rules = {
  mode: 'cache' as const,
  ttlMs: 60_000,
  maxTtlMs: 3_600_000,
  negativeTtlMs: 5_000,
  heuristicShare: 0,
  staleWhileRevalidateMs: 0,
  staleIfErrorMs: 0,
  maxStaleMs: 0,
  honourCacheControl: true,
};
const record = (directives: Partial<FreshnessDirectives> = {}): FreshnessInputs => ({
  receivedMs: 1_000_000,
  directives: { ...nothingStated, ...directives },
  isNegative: false,
  isUnsettled: false,
});

it('a record that a write of unknown outcome may have overtaken is never fresh', () => {
  const unsettled = { ...record({ maxAgeS: 10 }), isUnsettled: true };
  expect(freshUntilMs(unsettled, rules, 1_000_000)).toBe(-Infinity);
  expect(freshUntilMs({ ...unsettled, isNegative: true }, rules, 1_000_000)).toBe(-Infinity);
});

describe('a record is fresh', () => {
  it.each([
    ['for ttl where the store said nothing', {}, 60_000],
    ['for max-age', { maxAgeS: 10 }, 10_000],
    ['for s-maxage rather than max-age (RFC 9111 §5.2.2.10)', { maxAgeS: 10, sMaxAgeS: 20 }, 20_000],
    ['until Expires where there is no max-age (RFC 9111 §5.3)', { expiresAfterMs: 7_000 }, 7_000],
    ['not at all when Expires has passed', { expiresAfterMs: 0 }, 0],
    ['for max-age rather than until Expires', { maxAgeS: 3, expiresAfterMs: 7_000 }, 3_000],
    ['never longer than maxTtl', { maxAgeS: 1_000_000 }, 3_600_000],
    ['not at all under no-cache', { noCache: true, maxAgeS: 10 }, 0],
    ['not at all under no-store', { noStore: true, maxAgeS: 10 }, 0],
    [
      'for less by the age that it arrived with (RFC 9111 §4.2.3)',
      { maxAgeS: 10, initialAgeMs: 4_000 },
      6_000,
    ],
    ['no longer than a restored copy (docs/semantics.md 172)', { restoredUntilMs: 1_002_000 }, 2_000],
  ])('%s', (_, directives, lifetimeMs) => {
    expect(freshUntilMs(record(directives), rules, 1_000_000)).toBe(1_000_000 + lifetimeMs);
  });

  it('for ttl whatever the store said, where a bucket does not honour it', () => {
    const stubborn = { ...rules, honourCacheControl: false };
    expect(freshUntilMs(record({ maxAgeS: 1, noCache: true }), stubborn, 1_000_000)).toBe(1_060_000);
  });

  it('for negativeTtl when it is a refusal that says nothing', () => {
    const refusal = { ...record(), isNegative: true };
    expect(freshUntilMs(refusal, rules, 1_000_000)).toBe(1_005_000);
    expect(freshUntilMs({ ...record({ maxAgeS: 100 }), isNegative: true }, rules, 1_000_000)).toBe(1_100_000);
  });

  describe('for a share of the time in which it had not changed (RFC 9111 §4.2.2)', () => {
    const guessing = { ...rules, heuristicShare: 0.1 };
    it.each([
      ['where it says nothing', { unchangedForMs: 50_000 }, 5_000],
      ['at most for maxTtl', { unchangedForMs: 1e12 }, 3_600_000],
      ['but for what it says', { unchangedForMs: 50_000, expiresAfterMs: 0 }, 0],
      ['but for ttl where it has no Last-Modified', {}, 60_000],
      ['but not at all where its status allows no guess', { unchangedForMs: 50_000, mayAssume: false }, 0],
    ])('%s', (_, directives, lifetimeMs) => {
      expect(freshUntilMs(record(directives), guessing, 1_000_000)).toBe(1_000_000 + lifetimeMs);
    });
  });

  it('not for ttl, where it says nothing and its status allows no guess (RFC 9111 §3)', () => {
    expect(freshUntilMs(record({ mayAssume: false }), rules, 1_000_000)).toBe(1_000_000);
  });
});

describe('where the store fails, a stale record may be served', () => {
  const patient = { ...rules, staleIfErrorMs: 30_000 };
  const never = -Infinity;

  it.each([
    ['for as long as the bucket says', {}, 1_090_000],
    ['after what the store said of its freshness', { maxAgeS: 10 }, 1_040_000],
    ['for less where the object says so (RFC 5861 §4)', { staleIfErrorS: 5 }, 1_065_000],
    ['for no longer where the object would allow it', { staleIfErrorS: 500 }, 1_090_000],
    ['until a restored copy expires', { restoredUntilMs: 1_070_000 }, 1_070_000],
    ['never when it must be revalidated (RFC 9111 §4.2.4)', { mustRevalidate: true }, never],
    ['never under no-cache', { noCache: true }, never],
    ['never under no-store, which a bucket may have kept that does not heed it', { noStore: true }, never],
  ])('%s', (_, directives, untilMs) => {
    expect(servedOnErrorUntilMs(record(directives), patient, 1_000_000)).toBe(untilMs);
  });

  it('whatever the object says, where a bucket does not honour it', () => {
    const stubborn = { ...patient, honourCacheControl: false };
    const strict = record({ mustRevalidate: true, noCache: true, staleIfErrorS: 0 });
    expect(servedOnErrorUntilMs(strict, stubborn, 1_000_000)).toBe(1_090_000);
  });

  it.each([
    ['unless the bucket allows it', record(), rules],
    ['unless it is a refusal', { ...record(), isNegative: true }, patient],
    ['unless a web origin has refused it to one request', { ...record(), answer: { status: 403 } }, patient],
    ['unless a web origin had failed itself', { ...record(), answer: { status: 500 } }, patient],
    ['unless a write of unknown outcome may have overtaken it', { ...record(), isUnsettled: true }, patient],
  ])('%s', (_, held, by) => {
    expect(servedOnErrorUntilMs(held, by, 1_000_000)).toBe(never);
  });
});

it.each([404, 410, 301])('a %i of a web origin may be served where it fails, as contents may', status => {
  const patient = { ...rules, staleIfErrorMs: 30_000 };
  const held = { ...record(), answer: { status } };
  expect(servedOnErrorUntilMs(held, patient, 1_000_000)).toBe(1_090_000);
});

it.each([record({ maxAgeS: 100 }), { ...record(), isNegative: true }])(
  'a record received while the clock was ahead is stale once the clock is right',
  dated => {
    expect(freshUntilMs(dated, rules, 999_000)).toBeGreaterThan(1_000_000);
    expect(freshUntilMs(dated, rules, 998_999)).toBe(-Infinity);
  },
);

it('no directive makes a record fresh beyond maxTtl or the end of a restored copy', () => {
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const directives = fc.record({
    maxAgeS: optional(fc.nat()),
    sMaxAgeS: optional(fc.nat()),
    noCache: fc.boolean(),
    noStore: fc.boolean(),
    mustRevalidate: fc.boolean(),
    staleWhileRevalidateS: optional(fc.nat()),
    staleIfErrorS: optional(fc.nat()),
    expiresAfterMs: optional(fc.nat()),
    unchangedForMs: optional(fc.nat()),
    mayAssume: fc.boolean(),
    restoredUntilMs: optional(fc.nat()),
    initialAgeMs: fc.nat(),
  });
  fc.assert(
    fc.property(directives, given => {
      const until = freshUntilMs(record(given), rules, 1_000_000);
      expect(until).toBeLessThanOrEqual(1_000_000 + rules.maxTtlMs);
      expect(until).toBeLessThanOrEqual(given.restoredUntilMs ?? Number.POSITIVE_INFINITY);
    }),
  );
});

describe('a time to live by name', () => {
  const namedTtls = [
    { type: 'text/html', ttlMs: 1_000 },
    { type: 'text/*', ttlMs: 2_000 },
    { status: 200, ttlMs: 3_000 },
    { status: 404, ttlMs: 4_000 },
    { status: 302, ttlMs: 5_000 },
  ];
  const typed = (value: string) => ({ ...record(), fields: [{ name: 'content-type', value, store: false }] });

  it.each<[string, FreshnessInputs, number]>([
    ['a media type, whatever its parameters', typed('Text/HTML; charset=utf-8'), 1_000],
    ['a kind of media types', typed('text/css'), 2_000],
    ['a status, for a type that is not named', typed('textual/html'), 3_000],
    ['a status, for a content without a type', record(), 3_000],
    ['a refusal, in place of negativeTtl', { ...record(), isNegative: true, status: 404 }, 4_000],
    [
      'a refusal whose status is not named: negativeTtl',
      { ...record(), isNegative: true, status: 405 },
      5_000,
    ],
    ['an error page: its status, not its type', { ...typed('text/html'), answer: { status: 404 } }, 4_000],
    ['a status that allows no guess', { ...record({ mayAssume: false }), answer: { status: 302 } }, 5_000],
    [
      'an unnamed status that allows no guess',
      { ...record({ mayAssume: false }), answer: { status: 303 } },
      0,
    ],
    ['what would be guessed otherwise', record({ unchangedForMs: 1e9 }), 3_000],
    ['nothing that states its freshness itself', { ...typed('text/html'), ...record({ maxAgeS: 9 }) }, 9_000],
  ])('is that of %s', (_, given, ttlMs) => {
    const named = { ...rules, heuristicShare: 0.5, namedTtls };
    expect(freshUntilMs(given, named, 1_000_000)).toBe(1_000_000 + ttlMs);
  });

  it('counts for all where what answers state does not', () => {
    const named = { ...rules, honourCacheControl: false, namedTtls };
    expect(freshUntilMs(record({ maxAgeS: 9 }), named, 1_000_000)).toBe(1_003_000);
  });
});

it.each(['revalidate', 'bypass'] as const)(
  'where the mode is %s, nothing is fresh, nor served stale, whatever it states',
  mode => {
    const always = {
      ...rules,
      mode,
      staleIfErrorMs: 60_000,
      staleWhileRevalidateMs: 60_000,
    };
    for (const honourCacheControl of [true, false]) {
      const policy = { ...always, honourCacheControl };
      const given = record({ maxAgeS: 60 });
      expect(freshUntilMs(given, policy, 1_000_000)).toBe(1_000_000);
      expect(servedOnErrorUntilMs(given, policy, 1_000_000)).toBe(-Infinity);
      expect(servedInBackgroundUntilMs(given, policy, 1_000_000)).toBe(-Infinity);
    }
  },
);

it('age counts whole seconds since the store made the answer', () => {
  expect(ageS(record(), 1_002_999)).toBe(2);
  expect(ageS(record({ initialAgeMs: 1_500 }), 1_002_000)).toBe(3);
  expect(ageS(record(), 999_000), 'the clock was set back').toBe(0);
});
