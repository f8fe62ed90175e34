import { expect, it } from 'vitest';
import { type FreshnessRules, freshUntilMs } from '../../../../src/cache/freshness.ts';
import type { NotedPurge } from '../../../../src/cache/purge-barriers.ts';
import type { ObjectRecord } from '../../../../src/cache/record.ts';
import { type FreshnessDirectives, nothingStated } from '../../../../src/cache/stated-freshness.ts';
import { explainRecord } from '../../../../src/gateway/operate/explain-record.ts';
import { recordFields } from '../../../support/records.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

const receivedMs = Date.UTC(2026, 0, 1);
const uncacheable = { kind: 'uncacheable', isNegative: false, tooLargeBytes: undefined } as const;

function recordWith(stated: Partial<FreshnessDirectives>, more: Partial<ObjectRecord> = {}): ObjectRecord {
  const directives = { ...nothingStated, ...stated };
  return { ...recordFields(0), ...uncacheable, receivedMs, directives, ...more } as ObjectRecord;
}

it.each<[string, Partial<FreshnessDirectives>, Partial<FreshnessRules>, number]>([
  ['s-maxage', { sMaxAgeS: 5, maxAgeS: 7 }, {}, 5],
  ['max-age', { maxAgeS: 7, expiresAfterMs: 9_000 }, {}, 7],
  ['expires', { expiresAfterMs: 9_000 }, {}, 9],
  ['no-cache', { noCache: true, maxAgeS: 7 }, {}, 0],
  ['no-store', { noStore: true, maxAgeS: 7 }, {}, 0],
  ['ttl', {}, {}, 60],
  ['ttl', { maxAgeS: 7 }, { honourCacheControl: false }, 60],
  ['mode: revalidate', { maxAgeS: 7 }, { mode: 'revalidate' }, 0],
  ['mode: bypass', { maxAgeS: 7 }, { mode: 'bypass' }, 0],
  ['ttlByStatus: 200', {}, { namedTtls: [{ status: 200, ttlMs: 3_000 }] }, 3],
  ['heuristicShare', { unchangedForMs: 100_000 }, { heuristicShare: 0.1 }, 10],
])('the lifetime is from %s', (from, stated, rules, lifetimeS) => {
  const policy = { ...defaultPolicy, ...rules };
  const record = recordWith({ ...stated, initialAgeMs: 2_000 });
  const told = explainRecord(record, policy, receivedMs, []);
  expect(told).toMatchObject({ lifetimeFrom: from, lifetimeS, ageOnArrivalS: 2 });
  expect(freshUntilMs(record, policy, receivedMs)).toBe(receivedMs + 1_000 * (lifetimeS - 2));
});

it.each([
  ['negativeTtl', 400, { namedTtls: [{ status: 400, ttlMs: 60_000 }] }, {}, 7],
  ['negativeTtl', 503, {}, { maxAgeS: 600 }, 7],
  ['max-age', 503, {}, { maxAgeS: 6 }, 6],
  ['ttlByStatus: 400', 400, { namedTtls: [{ status: 400, ttlMs: 3_000 }] }, {}, 3],
  ['ttlByStatus: 404', 404, { namedTtls: [{ status: 404, ttlMs: 60_000 }] }, {}, 60],
  [
    'mode: revalidate',
    400,
    { mode: 'revalidate' as const, namedTtls: [{ status: 400, ttlMs: 60_000 }] },
    {},
    0,
  ],
])(
  'the lifetime of an error of a web origin is from %s: %i with %j and %j',
  (from, status, rules, stated, lifetimeS) => {
    const policy = { ...defaultPolicy, ...rules };
    const record = recordWith(
      { ...stated, initialAgeMs: 2_000 },
      { kind: 'readable', answer: { status, vary: [] } },
    );
    const told = explainRecord(record, policy, receivedMs, []);
    expect(told).toMatchObject({ lifetimeFrom: from, lifetimeS, staleFrom: undefined });
    // an error counts from when it came
    expect(freshUntilMs(record, policy, receivedMs)).toBe(receivedMs + 1_000 * (lifetimeS - 2));
  },
);

it('that of a refusal is from negativeTtl', () => {
  const refused = { kind: 'refused', isNegative: true, status: 404, body: Buffer.alloc(0) } as const;
  const told = explainRecord(recordWith({}, refused), defaultPolicy, receivedMs, []);
  expect(told).toMatchObject({ lifetimeFrom: 'negativeTtl', lifetimeS: 5 });
});

it('a soft purge, tags, and until when it may be served stale are told', () => {
  const fields = [{ name: 'cache-tag', value: 'a, b', store: false }];
  const record = recordWith(
    { maxAgeS: 60, unchangedForMs: 5_000 },
    { fields, staleFromMs: receivedMs + 10_000 },
  );
  const policy = { ...defaultPolicy, staleIfErrorMs: 5_000 };
  const purges: NotedPurge[] = [
    { scope: 'prefix', name: 'a/', kind: 'hard', number: 1, raisedMs: undefined },
    { scope: 'key', name: undefined, kind: 'soft', number: 4, raisedMs: receivedMs },
  ];
  const told = explainRecord(record, policy, receivedMs, purges);
  expect(told).toMatchObject({
    ...{ receivedAt: '2026-01-01T00:00:00.000Z', staleFrom: '2026-01-01T00:00:10.000Z', tags: ['a', 'b'] },
    ...{ staleIfErrorUntil: '2026-01-01T00:00:15.000Z', staleWhileRevalidateUntil: undefined },
    askedAfterPurge: 0,
    purges: [
      { of: 'prefix', prefix: 'a/', kind: 'hard', number: 1, raisedAt: undefined },
      { of: 'key', prefix: undefined, kind: 'soft', number: 4, raisedAt: '2026-01-01T00:00:00.000Z' },
    ],
  });
  // what is derived for the gateway's own reckoning is no directive
  expect(told.directives).toEqual({ maxAgeS: 60 });
  const withdrawn = explainRecord({ ...record, isWithdrawn: true }, policy, receivedMs, []);
  expect(withdrawn).toMatchObject({ isWithdrawn: true, staleIfErrorUntil: undefined });
});
