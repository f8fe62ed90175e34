import { expect, it } from 'vitest';
import type { MetricSnapshot } from '../../../src/base/metric-snapshot.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ProcessMetrics } from '../../../src/wiring/process-metrics.ts';

/** A worker that has answered `requests` requests, each within 50 ms, and answers one now. */
function worker(requests: number): Promise<MetricSnapshot> {
  const metrics = new Metrics();
  metrics.counter('tidegate_requests_total', '', ['bucket']).cell('photos').add(requests);
  metrics.gauge('tidegate_requests_in_flight', '').cell().set(1);
  const firstByte = metrics.histogram('tidegate_request_first_byte_seconds', '', [], [0.1, 1]).cell();
  for (let each = 0; each < requests; each++) firstByte.observe(0.05);
  return metrics.snapshot();
}

/** Stands for a pool: tests put in who runs and who has died since the last scrape. */
class Workers {
  running: MetricSnapshot[] = [];
  departed: MetricSnapshot[] = [];

  async latest(): Promise<MetricSnapshot[]> {
    return this.running;
  }

  takeDeparted(): MetricSnapshot[] {
    return this.departed.splice(0);
  }
}

function sums(snapshot: MetricSnapshot) {
  const sum = (name: string, metricName = name) =>
    snapshot
      .filter(family => family.name === name)
      .flatMap(({ values }) => values)
      .filter(sample => (sample.metricName ?? name) === metricName)
      .reduce((total, { value }) => total + value, 0);
  return {
    requests: sum('tidegate_requests_total'),
    inFlight: sum('tidegate_requests_in_flight'),
    observed: sum('tidegate_request_first_byte_seconds', 'tidegate_request_first_byte_seconds_count'),
  };
}

it('the counts of dead workers stay in the sums, and their gauges do not', async () => {
  const workers = new Workers();
  const metrics = new ProcessMetrics(new Metrics(), workers);
  workers.running = [await worker(100), await worker(50)];
  expect(sums(await metrics.scrape())).toEqual({ requests: 150, inFlight: 2, observed: 150 });

  workers.departed = workers.running.splice(0, 1);
  expect(sums(await metrics.scrape())).toEqual({ requests: 150, inFlight: 1, observed: 150 });

  workers.running.push(await worker(3));
  expect(sums(await metrics.scrape())).toEqual({ requests: 153, inFlight: 2, observed: 153 });

  workers.departed = workers.running.splice(0, 2);
  expect(sums(await metrics.scrape())).toEqual({ requests: 153, inFlight: 0, observed: 153 });
});

it('of two scrapes at one time both have the counts of the dead', async () => {
  const workers = new Workers();
  const metrics = new ProcessMetrics(new Metrics(), workers);
  workers.departed = [await worker(7)];
  const [one, other] = await Promise.all([metrics.scrape(), metrics.scrape()]);
  expect([sums(one).requests, sums(other).requests]).toEqual([7, 7]);
});
