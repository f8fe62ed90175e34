import { countersOf, type MetricSnapshot, mergeSnapshots } from '../base/metric-snapshot.ts';
import type { Metrics } from '../base/metrics.ts';
import { objectBytes } from './object-bytes.ts';

/** For a worker that does not answer in time its last metrics are used, so that it does not hide the others. */
const SCRAPE_PATIENCE_MS = 1_000;

/** The worker pool, as far as metrics need it. */
interface MeasuredWorkers {
  latest(name: 'metrics', payload: undefined, patienceMs: number): Promise<MetricSnapshot[]>;
  takeDeparted(name: 'metrics'): MetricSnapshot[];
}

/**
 * The metrics of the whole process, merged over all threads. The counts of a dead worker stay in the sums: if they
 * fell, whoever reads them would take the fall for a new start of the process, and the remaining sum for growth.
 */
export class ProcessMetrics {
  readonly #metrics: Pick<Metrics, 'snapshot'>;
  readonly #pool: MeasuredWorkers;
  #departed: Promise<MetricSnapshot> = Promise.resolve([]);

  /** `metrics` are those of the supervisor. */
  constructor(metrics: Pick<Metrics, 'snapshot'>, pool: MeasuredWorkers) {
    this.#metrics = metrics;
    this.#pool = pool;
  }

  async scrape(): Promise<MetricSnapshot> {
    // begun in one turn, so that a worker that dies meanwhile is counted once
    const departed = this.#addDeparted();
    const live = this.#pool.latest('metrics', undefined, SCRAPE_PATIENCE_MS);
    const merged = await mergeSnapshots([await this.#metrics.snapshot(), ...(await live), await departed]);
    return [...merged, objectBytes(merged)];
  }

  #addDeparted(): Promise<MetricSnapshot> {
    const newly = this.#pool.takeDeparted('metrics').map(countersOf);
    if (newly.length > 0) this.#departed = this.#departed.then(known => mergeSnapshots([known, ...newly]));
    return this.#departed;
  }
}
