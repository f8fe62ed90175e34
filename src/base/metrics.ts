import { collectDefaultMetrics, Registry } from 'prom-client';
import { lengthPrefixed } from './length-prefixed.ts';
import {
  type Aggregator,
  type FamilySnapshot,
  fromLibrary,
  type MetricSnapshot,
  type SampleSnapshot,
} from './metric-snapshot.ts';

/** A value that only increases. */
export class CounterCell {
  value = 0;

  add(count = 1): void {
    this.value += count;
  }
}

/** A value that goes up and down. */
export class GaugeCell {
  value = 0;

  set(value: number): void {
    this.value = value;
  }

  add(count = 1): void {
    this.value += count;
  }
}

/** A distribution over fixed bounds. */
export class HistogramCell {
  readonly bounds: readonly number[];
  /** Observations per bucket, not cumulative; the last element counts those above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Counts one observation; a bucket includes its upper bound. */
  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

/** A metric with one cell per combination of label values. */
export class Family<Cell> {
  readonly #labelNames: readonly string[];
  readonly #create: () => Cell;
  readonly #cells = new Map<string, { labels: Record<string, string>; cell: Cell }>();

  constructor(labelNames: readonly string[], create: () => Cell) {
    this.#labelNames = labelNames;
    this.#create = create;
  }

  /**
   * The cell of these label values, which are in the order of the label names. Equal values give the same cell. The
   * look-up is too slow for the hot path: keep the cell. Callers must bound the number of label sets.
   */
  cell(...labelValues: readonly string[]): Cell {
    const id = idOf(labelValues);
    const known = this.#cells.get(id);
    if (known) return known.cell;
    const labels: Record<string, string> = {};
    for (const [index, name] of this.#labelNames.entries()) labels[name] = labelValues[index] ?? '';
    const cell = this.#create();
    this.#cells.set(id, { labels, cell });
    return cell;
  }

  /** What the cell of these label values is about has gone: it is exported no more. */
  remove(...labelValues: readonly string[]): void {
    this.#cells.delete(idOf(labelValues));
  }

  /** Every cell with its labels, in the order of creation. */
  cells(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly cell: Cell }> {
    return this.#cells.values();
  }
}

function idOf(labelValues: readonly string[]): string {
  return labelValues.map(lengthPrefixed).join('');
}

/** Sampling interval of the event-loop delay. */
const WATCHED_MS = 10;
const UNWATCHED_MS = 60_000;

/**
 * The metrics of one thread. Each family is declared once with its full name (`tidegate_requests_total`). Counting is a
 * plain number update; labels are processed only when a snapshot is taken.
 */
export class Metrics {
  readonly #defaults = new Registry();
  readonly #families = new Map<string, () => FamilySnapshot>();
  readonly #beforeSnapshot: (() => void)[] = [];

  counter(name: string, help: string, labelNames: readonly string[] = []): Family<CounterCell> {
    const family = new Family(labelNames, () => new CounterCell());
    this.#declare(name, () => ({ name, help, type: 'counter', aggregator: 'sum', values: plain(family) }));
    return family;
  }

  gauge(
    name: string,
    help: string,
    labelNames: readonly string[] = [],
    aggregator: Aggregator = 'sum',
  ): Family<GaugeCell> {
    const family = new Family(labelNames, () => new GaugeCell());
    this.#declare(name, () => ({ name, help, type: 'gauge', aggregator, values: plain(family) }));
    return family;
  }

  /** `bucketsSeconds` are the ascending upper bounds of the buckets; the +Inf bucket is added. */
  histogram(
    name: string,
    help: string,
    labelNames: readonly string[],
    bucketsSeconds: readonly number[],
  ): Family<HistogramCell> {
    const family = new Family(labelNames, () => new HistogramCell(bucketsSeconds));
    this.#declare(name, () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: distribution(name, family),
    }));
    return family;
  }

  /** Calls `refresh` before each snapshot, for gauges whose value is read on demand. */
  onSnapshot(refresh: () => void): void {
    this.#beforeSnapshot.push(refresh);
  }

  /**
   * Adds the metrics of Node.js itself. Those of the process (`process_*`) are reported by the main thread only, so
   * that the sum over threads does not count them several times. Event-loop lag is reported by the workers only: that
   * is where clients notice it, and measuring it wakes a thread a hundred times per second.
   */
  addRuntimeMetrics(thread: 'main' | 'worker'): void {
    const isMain = thread === 'main';
    const eventLoopMonitoringPrecision = isMain ? UNWATCHED_MS : WATCHED_MS;
    collectDefaultMetrics({ register: this.#defaults, eventLoopMonitoringPrecision });
    const ofOthers = isMain ? 'nodejs_eventloop_lag' : 'process_';
    for (const { name } of this.#defaults.getMetricsAsArray()) {
      if (name.startsWith(ofOthers)) this.#defaults.removeSingleMetric(name);
    }
  }

  /** All families with their current values, in the form of prom-client's `getMetricsAsJSON()`. */
  async snapshot(): Promise<MetricSnapshot> {
    for (const refresh of this.#beforeSnapshot) refresh();
    const ours = [...this.#families.values()].map(read => read());
    const defaults = fromLibrary(await this.#defaults.getMetricsAsJSON());
    return [...ours, ...defaults];
  }

  #declare(name: string, read: () => FamilySnapshot): void {
    if (this.#families.has(name)) throw new DuplicateMetricError(name);
    this.#families.set(name, read);
  }
}

/** A metric name was declared twice. */
export class DuplicateMetricError extends Error {
  readonly code = 'DUPLICATE_METRIC';

  constructor(name: string) {
    super(`the metric ${name} is declared twice`);
  }
}

function plain(family: Family<{ readonly value: number }>): SampleSnapshot[] {
  return Array.from(family.cells(), ({ labels, cell }) => ({ labels, value: cell.value }));
}

function distribution(name: string, family: Family<HistogramCell>): SampleSnapshot[] {
  const samples: SampleSnapshot[] = [];
  for (const { labels, cell } of family.cells()) {
    let count = 0;
    for (const [bucket, observed] of cell.counts.entries()) {
      count += observed;
      const le = cell.bounds[bucket] ?? '+Inf';
      samples.push({ labels: { le, ...labels }, value: count, metricName: `${name}_bucket` });
    }
    samples.push({ labels, value: cell.sum, metricName: `${name}_sum` });
    samples.push({ labels, value: count, metricName: `${name}_count` });
  }
  return samples;
}
