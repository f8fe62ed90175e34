import { AggregatorRegistry, Registry, type RegistryContentType } from 'prom-client';

/** How the values of several threads are combined: `max` for the shared arena, `sum` for what each worker owns. */
export type Aggregator = 'sum' | 'max' | 'min' | 'first' | 'average' | 'omit';

/** One measured value. `metricName` differs from the family's name for a histogram's buckets, sum and count. */
export interface SampleSnapshot {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** One metric family in the form of prom-client's `getMetricsAsJSON()`. */
export interface FamilySnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: Aggregator;
  readonly values: readonly SampleSnapshot[];
}

/** All metric families of one thread at one moment; plain data that can be posted to another thread. */
export type MetricSnapshot = readonly FamilySnapshot[];

type LibraryFamily = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/**
 * Merges the snapshots of several threads: samples with equal labels are combined by the aggregator of their family. A
 * single snapshot is unchanged, except for families with `omit`.
 */
export async function mergeSnapshots(snapshots: readonly MetricSnapshot[]): Promise<MetricSnapshot> {
  return fromLibrary(await AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON());
}

/** The families that only grow. Gauges say what is, so they are left out. */
export function countersOf(snapshot: MetricSnapshot): MetricSnapshot {
  return snapshot.filter(({ type }) => type === 'counter' || type === 'histogram');
}

/** Renders the snapshot in the Prometheus text format or in OpenMetrics 1.0. */
export async function renderSnapshot(
  snapshot: MetricSnapshot,
  format: 'prometheus' | 'openmetrics',
): Promise<{ readonly contentType: string; readonly text: string }> {
  const open = format === 'openmetrics';
  const contentType = open ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  const registry: Registry<RegistryContentType> = AggregatorRegistry.aggregate([
    open ? snapshot.map(withoutCounterSuffix) : [...snapshot],
  ]);
  registry.setContentType(contentType);
  return { contentType, text: await registry.metrics() };
}

/** Converts prom-client's families to ours. */
export function fromLibrary(families: readonly LibraryFamily[]): MetricSnapshot {
  return families.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    // declared as a numeric enum, but delivered as the word
    type: String(type),
    aggregator: acrossThreads(name, aggregator),
    values: values.map(sampleFromLibrary),
  }));
}

/**
 * prom-client's aggregators are meant for processes. Among threads, `omit` would lose the start time of the process,
 * which only one thread reports; and `average` would hide the event-loop lag of a busy worker behind that of the idle
 * supervisor.
 */
function acrossThreads(name: string, aggregator: Aggregator): Aggregator {
  if (aggregator === 'omit') return 'first';
  return aggregator === 'average' && name.startsWith('nodejs_eventloop_lag') ? 'max' : aggregator;
}

function sampleFromLibrary(sample: LibraryFamily['values'][number]): SampleSnapshot {
  const labels: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(sample.labels)) if (value !== undefined) labels[name] = value;
  const metricName = 'metricName' in sample ? sample.metricName : undefined;
  return typeof metricName === 'string'
    ? { labels, value: sample.value, metricName }
    : { labels, value: sample.value };
}

/** In OpenMetrics a counter's family name has no `_total`; the library adds it to the samples. */
function withoutCounterSuffix(family: FamilySnapshot): FamilySnapshot {
  return family.type === 'counter' ? { ...family, name: family.name.replace(/_total$/, '') } : family;
}
