import { AggregatorRegistry, Registry, type RegistryContentType } from 'prom-client';

/** How the values of several workers become one: a shared arena reports `max`, what each worker owns `sum`. */
export type Aggregator = 'sum' | 'max' | 'min' | 'first' | 'average' | 'omit';

/** One measured value; `metricName` differs from the family's for a histogram's buckets, sum and count. */
export interface SampleSnapshot {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** One family as prom-client's `getMetricsAsJSON()` gives it. */
export interface FamilySnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: Aggregator;
  readonly values: readonly SampleSnapshot[];
}

/** Every family of one thread at one moment: plain data that travels between threads. */
export type MetricSnapshot = readonly FamilySnapshot[];

type LibraryFamily = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/**
 * Several threads' snapshots as one: samples with equal labels are combined as their family says.
 * With one snapshot it is the identity, but for families that say `omit`.
 */
export async function mergeSnapshots(snapshots: readonly MetricSnapshot[]): Promise<MetricSnapshot> {
  return fromLibrary(await AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON());
}

/** The snapshot as text, in Prometheus' own form or in that of OpenMetrics 1.0, with its content type. */
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

/** The library's families as ours. */
export function fromLibrary(families: readonly LibraryFamily[]): MetricSnapshot {
  return families.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    // declared as a numeric enum, delivered as the word
    type: String(type),
    aggregator: acrossThreads(name, aggregator),
    values: values.map(sampleFromLibrary),
  }));
}

/**
 * The library thinks of processes. Among threads the start of the process is known once (`omit` would lose
 * it), and the mean of a busy worker's lag and an idle supervisor's would hide the busy one.
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

/** OpenMetrics names a counter's family without the suffix of its samples; the library adds that to them. */
function withoutCounterSuffix(family: FamilySnapshot): FamilySnapshot {
  return family.type === 'counter' ? { ...family, name: family.name.replace(/_total$/, '') } : family;
}
