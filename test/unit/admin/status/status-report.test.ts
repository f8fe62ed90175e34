import { expect, it } from 'vitest';
import { statusReport } from '../../../../src/admin/status/status-report.ts';
import { mergeSnapshots } from '../../../../src/base/metric-snapshot.ts';
import { Metrics } from '../../../../src/base/metrics.ts';

const facts = {
  version: '1.2.3',
  startedMs: Date.UTC(2026, 0, 1),
  nowMs: Date.UTC(2026, 0, 1, 0, 1, 30, 900),
  gatewayUrl: 'http://127.0.0.1:8080',
  notReady: [],
  trouble: { warnings: [], isFiring: false },
  lastMinute: {
    ...{ requests: 10, errorRatio: 0.25, hitRatio: 0.5 },
    firstByteS: { p50: 0.002, p99: 0.4 },
    backends: { main: { requests: 4, failed: 1, errorRatio: 0.25 } },
  },
  readsByBucket: new Map([['photos', { hits: 3, all: 4 }]]),
  workers: [{ index: 0, state: 'up' }],
  backends: [{ name: 'main', type: 's3', location: 'https://s3.example.test' }],
  buckets: [{ name: 'photos', backend: 'main', access: 'public' }],
  links: { runbook: '/runbook#{rule}' },
};

function measured() {
  const metrics = new Metrics();
  const requests = metrics.counter('tidegate_requests_total', '', ['bucket', 'operation', 'status', 'cache']);
  requests.cell('photos', 'GetObject', '200', 'HIT').add(6);
  requests.cell('photos', 'GetObject', '206', 'REVALIDATED').add(1);
  requests.cell('photos', 'GetObject', '200', 'MISS').add(3);
  requests.cell('_other', 'ListBucket', '503', 'BYPASS').add(2);
  metrics.counter('tidegate_response_bytes_total', '', ['bucket', 'cache']).cell('photos', 'HIT').add(5_000);
  metrics.counter('tidegate_request_bytes_total', '', ['bucket']).cell('photos').add(700);
  const asked = metrics.counter('tidegate_backend_requests_total', '', ['backend', 'operation', 'status']);
  asked.cell('main', 'GetObject', '206').add(3);
  asked.cell('main', 'GetObject', '404').add(1);
  asked.cell('main', 'GetObject', '500').add(1);
  asked.cell('main', 'GetObject', 'timeout').add(1);
  asked.cell('main', 'GetObject', 'aborted').add(1);
  metrics.gauge('tidegate_cache_bytes', '', ['tier']).cell('memory').set(100);
  metrics.gauge('tidegate_cache_capacity_bytes', '', ['tier']).cell('memory').set(1_000);
  metrics.gauge('tidegate_cache_entries', '', ['tier']).cell('memory').set(7);
  return metrics.snapshot();
}

it('counts requests by outcome, and as hits what needed no byte from a store', async () => {
  expect(statusReport(facts, await measured()).requests).toEqual({
    total: 12,
    inFlight: 0,
    serverErrors: 2,
    byCache: { HIT: 6, REVALIDATED: 1, MISS: 3, BYPASS: 2 },
    hitRatio: 0.7,
  });
});

it('counts the bytes that were sent, and those received from clients and stores', async () => {
  expect(statusReport(facts, await measured()).bytes).toEqual({
    sent: 5_000,
    fromClients: 700,
    fromBackends: 0,
  });
});

it('tells whether an alert fires, or is only about to', () => {
  for (const isFiring of [true, false])
    expect(statusReport({ ...facts, trouble: { warnings: ['slowFirstByte'], isFiring } }, [])).toMatchObject({
      warnings: ['slowFirstByte'],
      firing: isFiring,
    });
});

it('tells what an object takes, once there is one', async () => {
  expect(statusReport(facts, []).objectBytes).toBeNull();
  const metrics = new Metrics();
  const each = metrics.gauge('tidegate_cache_object_bytes', '').cell();
  each.set(Number.NaN);
  expect(statusReport(facts, await metrics.snapshot()).objectBytes).toBeNull();
  each.set(1_700);
  expect(statusReport(facts, await metrics.snapshot()).objectBytes).toBe(1_700);
});

it('has no hit ratio before anything could be hit', () => {
  expect(statusReport(facts, []).requests.hitRatio).toBeNull();
});

it('a bucket that nobody read in the last minute has no hit ratio', () => {
  for (const reads of [new Map(), new Map([['photos', { hits: 0, all: 0 }]])])
    expect(statusReport({ ...facts, readsByBucket: reads }, []).buckets[0]?.hitRatio).toBeNull();
});

it('shows for "*" what was asked of buckets without a name of their own', async () => {
  const other = { name: '*', backend: 'main', access: 'verify' };
  const readsByBucket = new Map([['_other', { hits: 1, all: 2 }]]);
  const { buckets } = statusReport({ ...facts, buckets: [other], readsByBucket }, await measured());
  expect(buckets).toEqual([{ ...other, requests: 2, bytes: 0, hitRatio: 0.5 }]);
});

it('counts as errors of a backend what brought no usable answer', async () => {
  expect(statusReport(facts, await measured()).backends).toEqual([
    {
      ...{ name: 'main', type: 's3', location: 'https://s3.example.test' },
      ...{ requests: 7, errors: 2, lastMinute: 0.25, bytes: 0 },
    },
  ]);
});

it('shows the circuit breaker of a backend that has one', async () => {
  const breaker = new Metrics();
  breaker.gauge('tidegate_backend_breaker_state', 'x', ['backend']).cell('main').set(2);
  const snapshot = await mergeSnapshots([await measured(), await breaker.snapshot()]);
  expect(statusReport(facts, snapshot).backends).toMatchObject([{ name: 'main', breaker: 'open' }]);
});

it('shows buckets, tiers, the time and the state', async () => {
  const report = statusReport({ ...facts, notReady: ['worker 0 is waiting'] }, await measured());
  expect(report.buckets).toEqual([
    { name: 'photos', backend: 'main', access: 'public', requests: 10, bytes: 5_000, hitRatio: 0.75 },
  ]);
  expect(report.cache).toEqual([{ tier: 'memory', bytes: 100, capacityBytes: 1_000, entries: 7 }]);
  expect(report).toMatchObject({
    uptimeS: 90,
    startedAt: '2026-01-01T00:00:00.000Z',
    ready: false,
    reasons: ['worker 0 is waiting'],
  });
});
