import { afterEach, beforeEach, expect, it } from 'vitest';
import { Measurements } from '../../../src/admin/status/measurements.ts';
import { mergeSnapshots } from '../../../src/base/metric-snapshot.ts';
import { objectBytes } from '../../../src/wiring/object-bytes.ts';
import { patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const OBJECTS = 60;
const SIZE_BYTES = 1_500;
/** Granules of 512 bytes. */
const SLOT_BYTES = 2_048;

let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  // records for fewer than all of them
  gateway = await TestGateway.start({ storeUrl: store.url, workers: 2, recordBytes: 100_000 });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

async function measured() {
  const snapshot = await mergeSnapshots(
    await Promise.all(gateway.metrics.map(metrics => metrics.snapshot())),
  );
  const measurements = new Measurements(snapshot);
  const bytes = measurements.by('tidegate_cache_memory_bytes', 'kind');
  const entries = measurements.by('tidegate_cache_memory_entries', 'kind');
  const use = (kind: string) => ({ bytes: bytes.get(kind) ?? 0, count: entries.get(kind) ?? 0 });
  const tier = (name: string) => ({
    bytes: measurements.by('tidegate_cache_bytes', 'tier').get(name),
    count: measurements.by('tidegate_cache_entries', 'tier').get(name),
  });
  return { use, tier, objectBytes: objectBytes(snapshot).values[0]?.value ?? 0 };
}

it('what the memory of the cache is for is counted by kind, and comes to so much for each object', async () => {
  expect((await measured()).objectBytes).toBeNaN();
  for (let index = 0; index < OBJECTS; index++) {
    store.put('b', `${index}.bin`, patternContent(SIZE_BYTES, index));
    for (const worker of [0, 1]) expect((await gateway.get(`/b/${index}.bin`, {}, worker)).status).toBe(200);
  }
  const { use, tier, objectBytes: each } = await measured();
  const [blocks, tables] = [use('blocks'), use('block-tables')];
  expect(blocks).toEqual(tier('memory'));
  expect(blocks).toEqual({ bytes: blocks.count * SLOT_BYTES, count: blocks.count });
  // with two workers, see shared-memory.ts
  expect(tables).toEqual({ bytes: tables.count * (19 + 2 * 4 + 35), count: 4 * blocks.count });
  const [records, packed, near] = [use('records'), use('packed-records'), use('near-records')];
  expect(records.bytes + packed.bytes).toBe(tier('records').bytes);
  expect(records.count + packed.count).toBe(tier('records').count);
  for (const { count } of [records, packed, near]) expect(count).toBeGreaterThan(0);
  for (const { bytes, count } of [records, near]) expect(bytes).toBeGreaterThan(100 * count);
  expect(packed.bytes, 'they lie beside their blocks').toBe(0);
  const all = [blocks, tables, records, packed, near].reduce((sum, { bytes }) => sum + bytes, 0);
  expect(each).toBeCloseTo(all / (records.count + packed.count));
});
