import { expect, it } from 'vitest';
import { readContentHead } from '../../../../src/gateway/fill/content-head.ts';
import type { LookupResult } from '../../../../src/gateway/read/object-source.ts';
import { uncacheableRecord } from '../../../../src/gateway/read/reply-record.ts';
import {
  bypassed,
  CacheReports,
  cacheHit,
  fromFallback,
  refusedByStore,
  withShownKey,
} from '../../../../src/gateway/request/cache-status.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

const record = uncacheableRecord(readContentHead({ status: 200, fields: [] }), {
  method: 'GET',
  requestedMs: 0,
  receivedMs: 0,
  epoch: 0,
  barrier: 0,
  isUnsettled: false,
});
const hit: LookupResult = { record, ...cacheHit };
const fetched: LookupResult = { ...hit, how: 'fetched', forwarded: 'uri-miss', forwardStatus: 206 };

it.each<[string, LookupResult, 'all' | 'some' | 'none', string, string]>([
  ['known, all bytes there', hit, 'all', 'HIT', 'tidegate; hit; ttl=42'],
  ['known, some bytes there', hit, 'some', 'PARTIAL', 'tidegate; fwd=partial; stored'],
  ['known, no bytes there', hit, 'none', 'MISS', 'tidegate; fwd=partial; stored'],
  ['asked', fetched, 'none', 'MISS', 'tidegate; fwd=uri-miss; fwd-status=206'],
  [
    'asked by another, and kept',
    { ...fetched, isStored: true, isCollapsed: true },
    'none',
    'MISS',
    'tidegate; fwd=uri-miss; fwd-status=206; stored; collapsed',
  ],
  [
    'asked about, and the same',
    { ...fetched, how: 'revalidated', forwarded: 'stale', forwardStatus: 200, isStored: true },
    'all',
    'REVALIDATED',
    'tidegate; fwd=stale; fwd-status=200; stored',
  ],
  [
    'asked because the client wanted it, and the same',
    { ...fetched, how: 'revalidated', forwarded: 'request', forwardStatus: 200, isStored: true },
    'all',
    'REVALIDATED',
    'tidegate; fwd=request; fwd-status=200; stored',
  ],
  [
    'stale, and asked about later',
    { ...hit, how: 'stale', staleUse: 'stale-while-revalidate' },
    'all',
    'STALE',
    'tidegate; hit; ttl=42; detail=stale-while-revalidate',
  ],
  [
    'stale, and the store failed',
    { ...hit, how: 'stale', staleUse: 'stale-if-error', forwarded: 'stale', forwardStatus: 503 },
    'all',
    'STALE',
    'tidegate; fwd=stale; fwd-status=503; ttl=42; detail=stale-if-error',
  ],
])('RFC 9211: %s', (_, found, coverage, result, cacheStatus) => {
  expect(new CacheReports().of(found, coverage, 42)).toMatchObject({ result, cacheStatus });
});

it('a hit says how many seconds it has left, each time anew', () => {
  const reports = new CacheReports();
  expect(reports.of(hit, 'all', 1).cacheStatus).toBe('tidegate; hit; ttl=1');
  expect(reports.of(hit, 'all', 0).cacheStatus).toBe('tidegate; hit; ttl=0');
  expect(reports.of(hit, 'all', 1).cacheStatus).toBe('tidegate; hit; ttl=1');
});

it.each<[number, 'hit' | 'stale', number]>([
  [59_000, 'hit', 1],
  [59_999, 'hit', 1],
  [60_000, 'hit', 0],
  [60_500, 'hit', 0],
  [60_000, 'stale', -1],
  [60_001, 'stale', -1],
  [60_999, 'stale', -1],
  [61_000, 'stale', -1],
  [61_001, 'stale', -2],
  [59_500, 'stale', 1],
])(
  'RFC 9211 §2.4: %i ms after an answer that is fresh for a minute, a %s has ttl=%i',
  (afterMs, how, ttl) => {
    const found: LookupResult = { ...hit, how, staleUse: how === 'stale' ? 'max-stale' : undefined };
    const { cacheStatus } = new CacheReports().ofRecord(record, found, 'all', defaultPolicy, afterMs);
    expect(cacheStatus).toMatch(new RegExp(`; ttl=${ttl}(;|$)`));
  },
);

it.each([
  ['k', 'main/b/k'],
  ['a "quoted\\" k', 'main/b/a %22quoted%5C%22 k'],
  ['100%/ü\n\u{1f600}', 'main/b/100%25/%C3%BC%0A%F0%9F%98%80'],
])('RFC 9211 §2.7: the key of %j is told as a string that is one', (key, text) => {
  const told = (showKey: boolean) =>
    withShownKey(bypassed('GET'), { showKey }, { backend: 'main', bucket: 'b', key }).cacheStatus;
  expect(told(true)).toBe(`tidegate; fwd=bypass; key="${text}"`);
  expect(told(false)).toBe('tidegate; fwd=bypass');
});

it('what goes around the cache says why, and a refusal what the store said', () => {
  expect(bypassed('GET')).toEqual({ result: 'BYPASS', cacheStatus: 'tidegate; fwd=bypass' });
  expect(bypassed('PUT', 'operation').cacheStatus).toBe('tidegate; fwd=method; detail=operation');
  expect(bypassed('GET', 'sse-c').cacheStatus).toBe('tidegate; fwd=bypass; detail=sse-c');
  expect(refusedByStore('stale', 403)).toEqual({
    result: 'MISS',
    cacheStatus: 'tidegate; fwd=stale; fwd-status=403',
  });
});

it.each([
  ['tidegate; hit; ttl=42', 'tidegate; hit; ttl=42; detail=fallback'],
  ['tidegate; fwd=stale; ttl=-3; detail=stale-if-error', 'tidegate; fwd=stale; ttl=-3; detail=fallback'],
  ['tidegate; fwd=bypass; detail=sse-c', 'tidegate; fwd=bypass; detail=fallback'],
])('what the fallback has answered says so: %s', (cacheStatus, expected) => {
  expect(fromFallback({ result: 'HIT', cacheStatus })).toEqual({ result: 'HIT', cacheStatus: expected });
});
