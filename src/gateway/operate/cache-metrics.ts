import type { CounterCell, Family, Metrics } from '../../base/metrics.ts';
import type { MemoryUse } from '../../cache/memory-use.ts';
import { fixedBytes, type SharedMemory } from '../../cache/shared-memory.ts';
import type { WorkerCache } from '../workers/worker-cache.ts';

/** Errors inside the cache. */
export function cacheErrors(metrics: Metrics): Family<CounterCell> {
  return metrics.counter('tidegate_cache_errors_total', 'Errors of a tier of the cache.', ['tier', 'kind']);
}

export const CACHE_MEMORY_BYTES = 'tidegate_cache_memory_bytes';

const memoryBytes = (metrics: Metrics) =>
  metrics.gauge(CACHE_MEMORY_BYTES, 'Memory of the cache, by what it is for.', ['kind']);

/** Kinds that do not grow with objects. */
export const fixedKinds: ReadonlySet<string> = new Set<keyof ReturnType<typeof fixedBytes>>([
  'ghosts',
  'invalidations',
]);

/** Exports what the cache takes whatever it holds: in one thread, as all share it. */
export function countFixedMemory(metrics: Metrics, memory: SharedMemory): void {
  const bytes = memoryBytes(metrics);
  for (const [kind, fixed] of Object.entries(fixedBytes(memory))) bytes.cell(kind).set(fixed);
}

/** Exports what the cache of this worker holds and does, with every snapshot. */
export function countCache(
  metrics: Metrics,
  objects: WorkerCache,
  others: { readonly use: MemoryUse },
): void {
  const memory = memoryBytes(metrics);
  const kept = metrics.gauge(
    'tidegate_cache_memory_entries',
    'How many the memory of the cache is for, by what it is for.',
    ['kind'],
  );
  const bytes = metrics.gauge('tidegate_cache_bytes', 'Bytes held by a tier of the cache.', ['tier']);
  const capacity = metrics.gauge('tidegate_cache_capacity_bytes', 'Bytes that a tier may hold.', ['tier']);
  const entries = metrics.gauge(
    'tidegate_cache_entries',
    'Blocks held by a tier; records for tier="records".',
    ['tier'],
  );
  const evictions = metrics.counter('tidegate_cache_evictions_total', 'Blocks given up for others.', [
    'tier',
    'reason',
  ]);
  const fills = metrics
    .gauge('tidegate_fills_in_flight', 'Transfers from backends into the cache that are under way.')
    .cell();
  const coalesced = metrics
    .counter('tidegate_coalesced_requests_total', "Requests that waited for another's question to a backend.")
    .cell();
  const compressions = metrics.counter(
    'tidegate_compressions_total',
    'Contents that were to be compressed for `compress`, by what came of it.',
    ['coding', 'outcome'],
  );
  metrics.onSnapshot(() => {
    const { usage } = objects.tier;
    bytes.cell('memory').set(usage.usedBytes);
    capacity.cell('memory').set(usage.capacityBytes);
    entries.cell('memory').set(usage.slots);
    bytes.cell('records').set(objects.table.costBytes);
    capacity.cell('records').set(objects.table.capacityBytes);
    entries.cell('records').set(objects.table.size);
    for (const { kind, bytes, count } of [...objects.tier.use, ...objects.table.use, others.use]) {
      memory.cell(kind).set(bytes);
      kept.cell(kind).set(count);
    }
    evictions.cell('memory', 'capacity').value = usage.evictions;
    fills.set(objects.filler.inFlight);
    coalesced.value = objects.objects.coalesced + objects.web.coalesced;
    for (const { coding, end, count } of objects.encoder.ends) compressions.cell(coding, end).value = count;
  });
}
