import { describe, expect, it } from 'vitest';
import { isReusable, staleUse } from '../../../src/cache/reuse.ts';
import { type FreshnessDirectives, nothingStated } from '../../../src/cache/stated-freshness.ts';
import { parseRequestDirectives } from '../../../src/http/request-directives.ts';

const rules = {
  ...{ mode: 'cache' as const, ttlMs: 60_000, maxTtlMs: 3_600_000, negativeTtlMs: 5_000, heuristicShare: 0 },
  ...{ staleWhileRevalidateMs: 0, staleIfErrorMs: 0, maxStaleMs: 0, honourCacheControl: true },
};
/** Received at 0, fresh for 100 s. */
const record = (directives: Partial<FreshnessDirectives> = {}) => ({
  ...{ receivedMs: 0, isNegative: false, isUnsettled: false },
  directives: { ...nothingStated, maxAgeS: 100, ...directives },
});
const asks = (header: string) => parseRequestDirectives(header, undefined);

describe('a record of 40 s that is fresh for 60 s more answers', () => {
  it.each([
    ['', true],
    ['max-age=40', true],
    ['max-age=39', false],
    ['max-age=0', false],
    ['min-fresh=60', true],
    ['min-fresh=61', false],
    ['no-cache', false],
    ['no-store', true],
    ['only-if-cached', true],
    ['max-stale', true],
    ['max-age=39, max-stale', false],
  ])('a request with %j: %j (RFC 9111 §5.2.1)', (header, isAnswer) => {
    expect(isReusable(record(), rules, asks(header), 40_000)).toBe(isAnswer);
  });

  it('max-age=0 not even at once', () => {
    expect(isReusable(record(), rules, asks('max-age=0'), 0)).toBe(false);
  });

  it('nobody once it is stale', () => {
    expect(isReusable(record(), rules, asks('max-stale'), 100_000)).toBe(false);
    expect(isReusable(record(), rules, undefined, 100_000)).toBe(false);
  });
});

describe('a record that is stale for 10 s answers', () => {
  const nowMs = 110_000;
  const patient = { ...rules, maxStaleMs: 3_600_000 };
  const later = { ...rules, staleWhileRevalidateMs: 20_000 };
  const use = 'stale-while-revalidate';
  type Case = [string, Partial<FreshnessDirectives>, typeof rules, string, string | undefined];
  it.each<Case>([
    ['max-stale: no client that names no number', {}, patient, 'max-stale=10.5', undefined],
    ['max-stale: a client that takes older ones', {}, patient, 'max-stale=11', 'max-stale'],
    ['max-stale: a client that takes any', {}, patient, 'max-stale', 'max-stale'],
    ['max-stale: no client that takes younger ones', {}, patient, 'max-stale=10', undefined],
    [
      'max-stale: not beyond what is configured',
      {},
      { ...rules, maxStaleMs: 10_000 },
      'max-stale',
      undefined,
    ],
    ['max-stale: not where the client limits the age', {}, patient, 'max-stale, max-age=109', undefined],
    ['max-stale: where it is as young as that', {}, patient, 'max-stale, max-age=110', 'max-stale'],
    ['§4.2.4: not with must-revalidate', { mustRevalidate: true }, patient, 'max-stale', undefined],
    ['§4.2.4: not with no-cache', { noCache: true }, patient, 'max-stale', undefined],
    ['nobody else', {}, patient, '', undefined],
    ['RFC 5861 §3: anybody for as long as is configured', {}, later, '', use],
    ['for no longer', {}, { ...later, staleWhileRevalidateMs: 10_000 }, '', undefined],
    ['for as long as it says itself', { staleWhileRevalidateS: 11 }, patient, '', use],
    ['for no longer than it says itself', { staleWhileRevalidateS: 10 }, later, '', undefined],
    ['not only because it says so', { staleWhileRevalidateS: 11 }, rules, '', undefined],
    ['where both allow it, for the shorter time', { staleWhileRevalidateS: 500 }, later, '', use],
    ['not with must-revalidate', { mustRevalidate: true }, later, '', undefined],
    ['not with no-cache', { noCache: true }, later, '', undefined],
    ['not a restored copy after its expiry', { restoredUntilMs: 105_000 }, later, '', undefined],
    ['no client that wants no-cache', {}, later, 'no-cache', undefined],
    ['no client that limits the age', {}, later, 'max-age=500', undefined],
    ['no client that wants it fresh', {}, later, 'min-fresh=0', undefined],
    ['no client that takes less', {}, { ...later, maxStaleMs: 60_000 }, 'max-stale=5', undefined],
  ])('%s', (_, directives, by, header, expected) => {
    expect(staleUse(record(directives), by, asks(header), nowMs)).toBe(expected);
  });

  it.each([
    ['a refusal', { isNegative: true }],
    ['what a write of unknown outcome may have changed', { isUnsettled: true }],
    ['what a web origin has refused to one request', { answer: { status: 403 } }],
    ['what a web origin has failed at', { answer: { status: 503 } }],
  ])('not %s', (_, different) => {
    const held = { ...record({ maxAgeS: undefined, staleWhileRevalidateS: 600 }), ...different };
    expect(staleUse(held, { ...later, ttlMs: 100_000 }, undefined, nowMs)).toBeUndefined();
    expect(staleUse(held, { ...patient, ttlMs: 100_000 }, asks('max-stale'), nowMs)).toBeUndefined();
  });
});
