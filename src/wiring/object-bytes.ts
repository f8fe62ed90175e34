import { Measurements } from '../admin/status/measurements.ts';
import type { FamilySnapshot, MetricSnapshot } from '../base/metric-snapshot.ts';
import { CACHE_MEMORY_BYTES, fixedKinds } from '../gateway/operate/cache-metrics.ts';

/** What a cached object takes on average, all included that grows with objects; NaN without any. */
export function objectBytes(snapshot: MetricSnapshot): FamilySnapshot {
  const measured = new Measurements(snapshot);
  const bytes = measured.total(CACHE_MEMORY_BYTES, ({ kind }) => !fixedKinds.has(String(kind)));
  const objects = measured.total('tidegate_cache_entries', ({ tier }) => tier === 'records');
  return {
    name: 'tidegate_cache_object_bytes',
    help: 'Memory of the cache for each object, on average: bytes, record and their tables.',
    ...{ type: 'gauge', aggregator: 'first' },
    values: [{ labels: {}, value: objects === 0 ? Number.NaN : bytes / objects }],
  };
}
