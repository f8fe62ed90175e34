import { expect, it } from 'vitest';
import { mergeSnapshots } from '../../../src/base/metric-snapshot.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { countFixedMemory } from '../../../src/gateway/operate/cache-metrics.ts';
import { objectBytes } from '../../../src/wiring/object-bytes.ts';

function worker(kinds: Readonly<Record<string, number>>, records: number) {
  const metrics = new Metrics();
  const bytes = metrics.gauge('tidegate_cache_memory_bytes', '', ['kind']);
  for (const [kind, value] of Object.entries(kinds)) bytes.cell(kind).set(value);
  const entries = metrics.gauge('tidegate_cache_entries', '', ['tier']);
  entries.cell('records').set(records);
  entries.cell('memory').set(1_000);
  return metrics.snapshot();
}

it('is what all workers have taken for objects, over all of these, without what is taken whatever is cached', async () => {
  const supervisor = new Metrics();
  countFixedMemory(supervisor, allocateSharedMemory(0, 65_536, 1));
  const snapshot = await mergeSnapshots([
    await worker({ blocks: 700, records: 200 }, 2),
    await worker({ blocks: 400, records: 100 }, 5),
    await supervisor.snapshot(),
  ]);
  expect(objectBytes(snapshot).values).toEqual([{ labels: {}, value: 200 }]);
});

it('is no number where nothing is cached', () => {
  expect(objectBytes([]).values).toEqual([{ labels: {}, value: Number.NaN }]);
});
