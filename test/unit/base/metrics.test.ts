import { expect, it } from 'vitest';
import { mergeSnapshots, renderSnapshot } from '../../../src/base/metric-snapshot.ts';
import { DuplicateMetricError, Metrics } from '../../../src/base/metrics.ts';

function sampled() {
  const metrics = new Metrics();
  const requests = metrics.counter('tidegate_requests_total', 'Requests answered.', ['bucket', 'cache']);
  const seconds = metrics.histogram('tidegate_seconds', 'Time.', ['cache'], [0.1, 1]);
  return { metrics, requests, seconds };
}

it('gives the same cell for the same label values and another for others', () => {
  const { requests } = sampled();
  expect(requests.cell('photos', 'HIT')).toBe(requests.cell('photos', 'HIT'));
  expect(requests.cell('photos', 'HIT')).not.toBe(requests.cell('photos', 'MISS'));
});

it('renders counters and histograms as Prometheus reads them', async () => {
  const { metrics, requests, seconds } = sampled();
  requests.cell('photos', 'HIT').add();
  requests.cell('photos', 'HIT').add(2);
  for (const value of [0.1, 0.5, 7]) seconds.cell('HIT').observe(value);
  const { contentType, text } = await renderSnapshot(await metrics.snapshot(), 'prometheus');
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text.split('\n')).toEqual([
    '# HELP tidegate_requests_total Requests answered.',
    '# TYPE tidegate_requests_total counter',
    'tidegate_requests_total{bucket="photos",cache="HIT"} 3',
    '',
    '# HELP tidegate_seconds Time.',
    '# TYPE tidegate_seconds histogram',
    'tidegate_seconds_bucket{le="0.1",cache="HIT"} 1',
    'tidegate_seconds_bucket{le="1",cache="HIT"} 2',
    'tidegate_seconds_bucket{le="+Inf",cache="HIT"} 3',
    'tidegate_seconds_sum{cache="HIT"} 7.6',
    'tidegate_seconds_count{cache="HIT"} 3',
    '',
  ]);
});

it('renders OpenMetrics with the counter suffix on the samples only', async () => {
  const { metrics, requests } = sampled();
  requests.cell('photos', 'HIT').add();
  const { text } = await renderSnapshot(await metrics.snapshot(), 'openmetrics');
  expect(text).toContain(
    '# TYPE tidegate_requests counter\ntidegate_requests_total{bucket="photos",cache="HIT"} 1',
  );
  expect(text.endsWith('# EOF\n')).toBe(true);
});

it('merges threads by the aggregator of the family, histograms bucket by bucket', async () => {
  const threads = [3, 5].map(value => {
    const { metrics, seconds } = sampled();
    metrics.gauge('tidegate_arena_bytes', 'Shared.', [], 'max').cell().set(100);
    metrics.gauge('tidegate_in_flight', 'Own.').cell().set(value);
    seconds.cell('HIT').observe(value / 10);
    return metrics;
  });
  const merged = await mergeSnapshots(await Promise.all(threads.map(metrics => metrics.snapshot())));
  const values = (name: string) => merged.find(family => family.name === name)?.values;
  expect(values('tidegate_arena_bytes')).toEqual([{ labels: {}, value: 100 }]);
  expect(values('tidegate_in_flight')).toEqual([{ labels: {}, value: 8 }]);
  expect(values('tidegate_seconds')).toContainEqual({
    labels: { le: 1, cache: 'HIT' },
    value: 2,
    metricName: 'tidegate_seconds_bucket',
  });
});

it('refreshes gauges that are read off something when a snapshot is taken', async () => {
  const metrics = new Metrics();
  const entries = metrics.gauge('tidegate_cache_entries', 'Entries.').cell();
  const held = new Set(['a', 'b']);
  metrics.onSnapshot(() => entries.set(held.size));
  expect((await metrics.snapshot())[0]?.values[0]?.value).toBe(2);
});

it('leaves what belongs to the whole process to the main thread, and the watch over event loops to workers', async () => {
  const names = async (thread: 'main' | 'worker') => {
    const metrics = new Metrics();
    metrics.addRuntimeMetrics(thread);
    return (await mergeSnapshots([await metrics.snapshot()])).map(family => family.name);
  };
  expect(await names('main')).toContain('process_start_time_seconds');
  expect((await names('worker')).filter(name => name.startsWith('process_'))).toEqual([]);
  expect(await names('worker')).toContain('nodejs_eventloop_lag_p99_seconds');
  expect((await names('main')).filter(name => name.startsWith('nodejs_eventloop_lag'))).toEqual([]);
});

it('refuses a second declaration of one name', () => {
  const { metrics } = sampled();
  expect(() => metrics.gauge('tidegate_requests_total', 'Again.')).toThrow(DuplicateMetricError);
});
