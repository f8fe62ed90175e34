import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { tagSlotsOf } from '../../src/cache/tag-slots.ts';
import { type PurgeOrder, purge } from '../../src/gateway/operate/purge.ts';
import { BucketTable } from '../../src/gateway/request/bucket-table.ts';
import { WorkerCache } from '../../src/gateway/workers/worker-cache.ts';
import { bucketOf, readOf, silentStore } from '../support/object-reads.ts';
import { recordFields } from '../support/records.ts';
import { atMost, type Finding, orientation } from './finding.ts';

const ENTRIES = 1_000_000;
/** Most of so many entries are packed then. */
const RECORD_BYTES = 900_000_000;
const mebibyte = 1024 * 1024;

const orders: readonly PurgeOrder[] = [
  { kind: 'prefix', bucket: 'b', prefix: 'half-0/' },
  { kind: 'tag', tag: 'tenth-3' },
  { kind: 'prefix', bucket: 'b', prefix: 'half-1/', soft: true },
  { kind: 'bucket', bucket: 'b' },
];

/** What a purge takes of a worker's thread that holds a million entries, and how long the sweep behind it holds the thread up. */
export async function purgeCost(): Promise<readonly Finding[]> {
  const memory = allocateSharedMemory(8 * mebibyte, mebibyte, 1);
  const clock = {
    ...systemClock,
    after: (ms: number, run: () => void) => systemClock.after(ms, watched(run)),
  };
  const cache = new WorkerCache({
    ...{ memory, worker: 0, recordBytes: RECORD_BYTES, clock },
    ...{ random: Math.random, retried: () => undefined },
  });
  const bucket = bucketOf(silentStore);
  const buckets = new BucketTable(new Map([['b', bucket]]), undefined);
  for (let index = 0; index < ENTRIES; index++) {
    const read = readOf(`half-${index % 2}/${index}.bin`, { bucket });
    const identity = {
      ...{ objectKey: read.objectKey.text, versionId: undefined, entityTag: `"${index}"`, sizeBytes: 1_024 },
    };
    const tagSlots = tagSlotsOf([`tenth-${index % 10}`]);
    const record = { ...recordFields(1_024), content: cache.create(read, identity), tagSlots };
    cache.table.put(read.objectKey, '', { ...record, receivedMs: clock.nowMs() });
  }
  const findings: Finding[] = [orientation('purge: entries held', cache.table.size)];
  let longestMs = 0;
  function watched(run: () => void): () => void {
    return () => {
      const beganMs = performance.now();
      run();
      longestMs = Math.max(longestMs, performance.now() - beganMs);
    };
  }
  for (const order of orders) {
    const beganMs = performance.now();
    purge(order, cache, buckets);
    const name = `purge by ${order.kind}${order.soft ? ', soft' : ''}`;
    findings.push(atMost(`${name}: until it is answered`, performance.now() - beganMs, 10, 'ms'));
    const before = cache.table.size;
    // until the sweep, if there is one, has ended
    for (let size = -1; size !== cache.table.size; await wait(3_000)) size = cache.table.size;
    findings.push(orientation(`${name}: entries given back`, before - cache.table.size));
    findings.push(
      orientation(`${name}: longest slice of the sweep, with what else the machine does`, longestMs, 'ms'),
    );
    longestMs = 0;
  }
  return findings;
}
