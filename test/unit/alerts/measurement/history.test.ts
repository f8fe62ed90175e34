import { describe, expect, it } from 'vitest';
import { MeasurementHistory } from '../../../../src/alerts/measurement/history.ts';
import type { Measure } from '../../../../src/alerts/measurement/measure.ts';
import { total } from '../../../../src/alerts/measurement/series.ts';
import { MeasuredGateway } from '../../../support/measured-gateway.ts';

const FAMILY = 'tidegate_backend_requests_total';
const byBackend: Measure = { family: FAMILY, kind: 'counter', by: ['backend'] };
const lag: Measure = { family: 'lag_seconds', kind: 'gauge', by: [] };

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

function measured() {
  const gateway = new MeasuredGateway();
  const history = new MeasurementHistory([byBackend, lag]);
  return { gateway, history, record: (atMs: number) => history.record(gateway.snapshot(), atMs) };
}

it('adds up what the rule does not tell apart', () => {
  const { gateway, history, record } = measured();
  record(0);
  gateway.add(FAMILY, { backend: 'main', status: '200' }, 3);
  gateway.add(FAMILY, { backend: 'main', status: '500' }, 4);
  gateway.add(FAMILY, { backend: 'other', status: '200' }, 5);
  record(5_000);
  expect(history.increase(byBackend, MINUTE_MS)).toEqual({
    coveredMs: 5_000,
    series: [
      { labels: { backend: 'main' }, value: 7 },
      { labels: { backend: 'other' }, value: 5 },
    ],
  });
});

it('counts nothing that happened before it looked for the first time', () => {
  const { gateway, history, record } = measured();
  gateway.add(FAMILY, { backend: 'main' }, 1_000);
  record(0);
  gateway.add(FAMILY, { backend: 'main' }, 1);
  record(5_000);
  expect(total(history.increase(byBackend, MINUTE_MS).series)).toBe(1);
});

it('adds nothing when a counter shrinks, for a dead worker took its part along, and counts on from there', () => {
  const { gateway, history, record } = measured();
  gateway.add(FAMILY, { backend: 'main' }, 100);
  record(0);
  gateway.set(FAMILY, { backend: 'main' }, 60);
  record(5_000);
  expect(total(history.increase(byBackend, MINUTE_MS).series)).toBe(0);
  gateway.set(FAMILY, { backend: 'main' }, 67);
  record(10_000);
  expect(total(history.increase(byBackend, MINUTE_MS).series)).toBe(7);
});

it('sees a gauge as it is in the latest sample', () => {
  const { gateway, history, record } = measured();
  gateway.set('lag_seconds', {}, 0.5);
  record(0);
  gateway.set('lag_seconds', {}, 0.1);
  record(5_000);
  expect(history.current(lag)).toEqual([{ labels: {}, value: 0.1 }]);
});

it('knows nothing before the first sample and covers nothing with one', () => {
  const { history, record } = measured();
  expect(history.increase(byBackend, MINUTE_MS)).toEqual({ series: [], coveredMs: 0 });
  record(0);
  expect(history.increase(byBackend, MINUTE_MS).coveredMs).toBe(0);
});

describe('over days', () => {
  const { gateway, history, record } = measured();
  for (let atMs = 0; atMs <= 80 * HOUR_MS; atMs += 10_000) {
    gateway.add(FAMILY, { backend: 'main' });
    record(atMs);
  }

  it.each([
    [30_000, 3],
    [5 * MINUTE_MS, 30],
    [HOUR_MS, 360],
    [6 * HOUR_MS, 2_160],
    [24 * HOUR_MS, 8_640],
    [72 * HOUR_MS, 25_920],
  ])('knows how much grew in the last %i ms, within the spacing of its rows', (windowMs, count) => {
    const { series, coveredMs } = history.increase(byBackend, windowMs);
    expect(coveredMs).toBeGreaterThanOrEqual(windowMs);
    expect(total(series)).toBeGreaterThanOrEqual(count);
    expect(total(series)).toBeLessThanOrEqual(count + 60);
  });

  it('knows the same hour of the day before', () => {
    const { series, coveredMs } = history.increase(byBackend, HOUR_MS, 23.5 * HOUR_MS);
    expect(coveredMs).toBe(HOUR_MS);
    expect(total(series)).toBe(360);
  });
});
