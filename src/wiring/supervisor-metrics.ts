/** Part of the supervisor's composition root: its own metrics; those of requests are counted in the workers. */
import { type CounterCell, type Family, Metrics } from '../base/metrics.ts';

interface SupervisorMetrics {
  readonly metrics: Metrics;
  readonly storeRestarts: CounterCell;
  readonly workerRestarts: CounterCell;
  readonly purges: Family<CounterCell>;
  readonly events: Family<CounterCell>;
}

export function supervisorMetrics(version: string): SupervisorMetrics {
  const metrics = new Metrics();
  metrics.addRuntimeMetrics('main');
  metrics.gauge('tidegate_build_info', 'The version that runs.', ['version'], 'first').cell(version).set(1);
  const restarts = (thread: string, what: string) =>
    metrics.counter(`tidegate_${thread}_restarts_total`, `${what} that died and were replaced.`).cell();
  return {
    metrics,
    storeRestarts: restarts('store', 'Embedded stores'),
    workerRestarts: restarts('worker', 'Workers'),
    purges: metrics.counter('tidegate_purges_total', 'Purges, by what they named.', ['kind']),
    events: metrics.counter('tidegate_events_total', 'Change events of stores, by what they led to.', [
      'result',
    ]),
  };
}
