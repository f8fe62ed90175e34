import { expect, it } from 'vitest';
import {
  LastMinuteGauges,
  lastMinute,
  lastMinuteMeasures,
} from '../../../../src/alerts/engine/last-minute.ts';
import { MeasurementHistory } from '../../../../src/alerts/measurement/history.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { MeasuredGateway } from '../../../support/measured-gateway.ts';

const STEP_MS = 5_000;
const bounds = [0.01, 0.1, 1];

/** A history of `gateway` with a sample every five seconds of `phases`, each of a minute. */
function historyOf(...phases: readonly ((gateway: MeasuredGateway) => void)[]): MeasurementHistory {
  const history = new MeasurementHistory(lastMinuteMeasures);
  const gateway = new MeasuredGateway();
  let atMs = 0;
  history.record(gateway.snapshot(), atMs);
  for (const load of phases)
    for (let passedMs = 0; passedMs < 60_000; passedMs += STEP_MS) {
      load(gateway);
      atMs += STEP_MS;
      history.record(gateway.snapshot(), atMs);
    }
  return history;
}

function well(gateway: MeasuredGateway): void {
  gateway.add('tidegate_requests_total', { status: '200', cache: 'HIT' }, 9);
  gateway.add('tidegate_requests_total', { status: '200', cache: 'MISS' }, 1);
  gateway.add('tidegate_backend_requests_total', { backend: 'main', status: '200' }, 1);
  gateway.observe('tidegate_request_first_byte_seconds', { cache: 'HIT' }, bounds, 0.005, 10);
}

function down(gateway: MeasuredGateway): void {
  gateway.add('tidegate_requests_total', { status: '200', cache: 'HIT' }, 1);
  gateway.add('tidegate_requests_total', { status: '503', cache: 'MISS' }, 3);
  gateway.add('tidegate_backend_requests_total', { backend: 'main', status: 'unreachable' }, 3);
  gateway.observe('tidegate_request_first_byte_seconds', { cache: 'MISS' }, bounds, 0.9, 4);
}

it('shows an outage by the last minute, whatever the hours before were like', () => {
  const figures = lastMinute(historyOf(well, well, well, well, down));
  expect(figures).toMatchObject({
    ...{ requests: 48, errorRatio: 0.75, hitRatio: 0.25 },
    backends: { main: { requests: 36, failed: 36, errorRatio: 1 } },
  });
  expect(figures.firstByteS.p50).toBeGreaterThan(0.1);
});

it('shows that an outage is over once the minute is over', () => {
  const figures = lastMinute(historyOf(down, down, well));
  expect(figures).toMatchObject({ errorRatio: 0, hitRatio: 0.9, backends: { main: { errorRatio: 0 } } });
  expect(figures.firstByteS.p99).toBeLessThanOrEqual(0.01);
});

it('shows no figures where there is nothing to measure', () => {
  const idle = lastMinute(historyOf(well, () => undefined));
  expect(idle).toMatchObject({ requests: 0, errorRatio: null, hitRatio: null });
  expect(idle.firstByteS).toEqual({ p50: null, p99: null });
});

it('gives the figures as metrics', async () => {
  const metrics = new Metrics();
  const gauges = new LastMinuteGauges(metrics);
  const values = async (name: string) => {
    const family = (await metrics.snapshot()).find(each => each.name === name);
    return (family?.values ?? []).map(({ value }) => value);
  };
  gauges.show(lastMinute(historyOf(well, down)));
  expect(await values('tidegate_last_minute_hit_ratio')).toEqual([0.25]);
  expect(await values('tidegate_last_minute_error_ratio')).toEqual([0.75]);
  expect(await values('tidegate_backend_last_minute_error_ratio')).toEqual([1]);
  expect((await values('tidegate_last_minute_first_byte_seconds'))[1]).toBeGreaterThan(0.1);
  gauges.show(lastMinute(historyOf(() => undefined)));
  expect(await values('tidegate_last_minute_error_ratio')).toEqual([Number.NaN]);
});
