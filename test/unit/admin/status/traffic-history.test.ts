import { beforeEach, describe, expect, it } from 'vitest';
import { TrafficHistory } from '../../../../src/admin/status/traffic-history.ts';
import type { MetricSnapshot } from '../../../../src/base/metric-snapshot.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const START_MS = Date.UTC(2026, 0, 1);

let clock: ManualClock;
let history: TrafficHistory;
let worker: ReturnType<typeof countingWorker>;

/** The counters of a worker, which begin at 0. */
function countingWorker() {
  const metrics = new Metrics();
  const requests = metrics.counter('tidegate_requests_total', '', ['bucket', 'operation', 'status', 'cache']);
  const sent = metrics.counter('tidegate_response_bytes_total', '', ['bucket', 'cache']);
  const received = metrics.counter('tidegate_backend_bytes_total', '', ['backend']);
  const uploaded = metrics.counter('tidegate_request_bytes_total', '', ['bucket']);
  const firstByte = metrics.histogram('tidegate_request_first_byte_seconds', '', ['cache'], [0.1, 0.2, 1]);
  return {
    snapshot: () => metrics.snapshot(),
    receive(sizeBytes: number) {
      uploaded.cell('photos').add(sizeBytes);
    },
    answer(count: number, { bucket = 'photos', status = '200', cache = 'HIT', seconds = 0.05 } = {}) {
      requests.cell(bucket, 'GetObject', status, cache).add(count);
      sent.cell(bucket, cache).add(count * 100);
      if (cache === 'MISS') received.cell('main').add(count * 1_000);
      for (let each = 0; each < count; each++) firstByte.cell(cache).observe(seconds);
    },
  };
}

beforeEach(() => {
  clock = new ManualClock(START_MS);
  history = new TrafficHistory(clock);
  worker = countingWorker();
});

async function sample(snapshot: MetricSnapshot | Promise<MetricSnapshot> = worker.snapshot()) {
  clock.advance(5_000);
  history.record(await snapshot);
}

it('is empty until there are two samples to compare', async () => {
  worker.answer(7);
  await sample();
  expect(history.report()).toMatchObject({ next: 0, samples: { atMs: [], requests: [] }, buckets: [] });
  worker.answer(2);
  await sample();
  expect(history.report()).toMatchObject({
    startedAt: '2026-01-01T00:00:00.000Z',
    next: 1,
    samples: { atMs: [START_MS + 10_000], seconds: [5], requests: [2] },
  });
});

it('counts per sample what was asked, hit, failed and transferred', async () => {
  await sample();
  worker.answer(6);
  worker.answer(2, { cache: 'MISS' });
  worker.answer(1, { cache: 'BYPASS', status: '503' });
  await sample();
  worker.receive(300);
  await sample();
  worker.answer(1, { cache: 'STALE' });
  await sample();
  expect(history.report().samples).toMatchObject({
    seconds: [5, 5, 5],
    requests: [9, 0, 1],
    errors: [1, 0, 0],
    reads: [8, 0, 1],
    hits: [6, 0, 1],
    sentBytes: [900, 0, 100],
    storeBytes: [2_000, 0, 0],
    receivedBytes: [0, 300, 0],
  });
});

it('tells the percentiles of each interval by itself, interpolated within a bucket, and none where nobody asked', async () => {
  await sample();
  worker.answer(100, { seconds: 0.15 });
  await sample();
  await sample();
  worker.answer(90, { seconds: 0.05 });
  worker.answer(10, { seconds: 0.9, cache: 'MISS' });
  await sample();
  const { firstByteP50S, firstByteP99S } = history.report().samples;
  expect(firstByteP50S).toEqual([expect.closeTo(0.15, 5), null, expect.closeTo(0.0556, 3)]);
  expect(firstByteP99S).toEqual([expect.closeTo(0.199, 5), null, expect.closeTo(0.92, 5)]);
});

it('compares with the sample before, also when times are no whole milliseconds', async () => {
  // differences of such times are not exact in floating point
  for (let waitMs = 300.1; waitMs < 1e9; waitMs *= 5) {
    clock.advance(waitMs);
    worker.answer(1);
    history.record(await worker.snapshot());
  }
  expect(history.report().samples.requests).toEqual(Array(9).fill(1));
});

it('loses nothing of what happens between two samples at one time', async () => {
  await sample();
  worker.answer(2);
  history.record(await worker.snapshot());
  worker.answer(3);
  await sample();
  expect(history.report().samples).toMatchObject({ seconds: [5], requests: [5] });
});

it('a worker that died and begins again at 0 makes no negative count, and what follows is right', async () => {
  await sample();
  worker.answer(50);
  worker.answer(50, { cache: 'MISS' });
  await sample();
  worker = countingWorker();
  worker.answer(3);
  await sample();
  worker.answer(4);
  await sample();
  const { requests, reads, hits, sentBytes, storeBytes } = history.report().samples;
  expect([requests[0], requests[2]]).toEqual([100, 4]);
  for (const value of [requests, reads, hits, sentBytes, storeBytes].flat())
    expect(value).toBeGreaterThanOrEqual(0);
});

it('keeps an hour and no more, and gives a page only what it has not seen', async () => {
  for (let count = 0; count <= 730; count++) {
    worker.answer(1);
    await sample();
  }
  const { next, samples } = history.report();
  expect([next, samples.requests.length]).toEqual([730, 720]);
  expect(samples.atMs.at(-1)).toBe(clock.nowMs());
  expect(samples.atMs[0]).toBe(clock.nowMs() - 719 * 5_000);
  await sample();
  expect(history.report(next).samples.atMs).toEqual([clock.nowMs()]);
  expect(history.report(3).samples.atMs).toHaveLength(720);
});

it('gives all to a page that knew an earlier process', async () => {
  await sample();
  await sample();
  expect(history.report(500)).toMatchObject({ next: 1, samples: { requests: [0] } });
});

it('keeps samples in order when the wall clock is set back', async () => {
  await sample();
  await sample();
  clock.stepWallClock(-3_600_000);
  await sample();
  const { atMs } = history.report().samples;
  expect(atMs).toEqual([clock.nowMs() - 5_000, clock.nowMs()]);
});

describe('by bucket', () => {
  it('tells the reads and hits over time and of the last minute', async () => {
    await sample();
    worker.answer(3);
    worker.answer(1, { bucket: 'films', cache: 'MISS' });
    await sample();
    for (let count = 0; count < 12; count++) await sample();
    worker.answer(1, { cache: 'MISS' });
    await sample();
    const [photos, films] = history.report().buckets;
    expect(photos).toMatchObject({ name: 'photos', reads: [3, ...Array(12).fill(0), 1] });
    expect(films).toMatchObject({ name: 'films', reads: [1, ...Array(13).fill(0)] });
    expect(photos?.hits.reduce((sum, hits) => sum + hits)).toBe(3);
    expect(history.readsOfLastMinute().get('photos')).toEqual({ hits: 0, all: 1 });
  });

  it('buckets beyond the sixteenth share a place without a name', async () => {
    await sample();
    for (let bucket = 0; bucket < 20; bucket++) worker.answer(1, { bucket: `b${bucket}` });
    await sample();
    const { buckets } = history.report();
    expect(buckets.map(({ name }) => name)).toEqual([
      ...Array.from({ length: 16 }, (_, bucket) => `b${bucket}`),
      null,
    ]);
    expect(buckets.at(-1)).toEqual({ name: null, reads: [4], hits: [4] });
  });

  it('a bucket that nobody reads takes no place', async () => {
    await sample();
    worker.answer(1, { bucket: 'listed', cache: 'BYPASS' });
    worker.answer(1);
    await sample();
    expect(history.report().buckets.map(({ name }) => name)).toEqual(['photos']);
  });
});
