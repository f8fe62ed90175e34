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

interface Holding {
  readonly entries: number;
  /** Held of each; 0: nothing but the record. */
  readonly blockBytes: number;
}

/** The first purge of a process runs code that is not compiled yet. */
const holdings: readonly Holding[] = [
  { entries: 1_900, blockBytes: 16_384 },
  { entries: 200_000, blockBytes: 0 },
];

/** Takes a packed record with its name. */
const RECORD_SLOT_BYTES = 1_024;

/** Fewer are put again before each purge. */
const FEW = 10_000;
/** Most of so many entries are packed then. */
const RECORD_BYTES = 900_000_000;
const mebibyte = 1024 * 1024;

const orders: readonly PurgeOrder[] = [
  { kind: 'prefix', bucket: 'b', prefix: 'half-0/' },
  { kind: 'tag', tag: 'tenth-3' },
  { kind: 'prefix', bucket: 'b', prefix: 'half-1/', soft: true },
  { kind: 'bucket', bucket: 'b' },
];

/** What a purge takes of a worker's thread, whatever it holds, and how long the sweep behind it holds the thread up. */
export async function purgeCost(): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const held of holdings) findings.push(...(await purgesOf(held)));
  return findings;
}

async function purgesOf({ entries, blockBytes }: Holding): Promise<readonly Finding[]> {
  let longestMs = 0;
  const watched = (run: () => void) => () => {
    const beganMs = performance.now();
    run();
    longestMs = Math.max(longestMs, performance.now() - beganMs);
  };
  const clock = {
    ...systemClock,
    after: (ms: number, run: () => void) => systemClock.after(ms, watched(run)),
  };
  // packed entries without bytes lie in it, too
  const arenaBytes = entries * Math.max(RECORD_SLOT_BYTES, 2 * blockBytes);
  const cache = new WorkerCache({
    ...{ memory: allocateSharedMemory(arenaBytes, mebibyte, 1), worker: 0, recordBytes: RECORD_BYTES, clock },
    ...{ random: Math.random, retried: () => undefined },
  });
  const bucket = bucketOf(silentStore);
  const buckets = new BucketTable(new Map([['b', bucket]]), undefined);
  const hold = () => {
    for (let index = 0; index < entries; index++) {
      const read = readOf(`half-${index % 2}/${index}.bin`, { bucket });
      const identity = {
        ...{ objectKey: read.objectKey.text, versionId: undefined },
        ...{ entityTag: `"${index}"`, sizeBytes: blockBytes || 1_024 },
      };
      const content = cache.create(read, identity);
      const record = { ...recordFields(identity.sizeBytes), content };
      const tagSlots = tagSlotsOf([`tenth-${index % 10}`]);
      const { latest: barrier } = cache.barriers;
      cache.table.put(read.objectKey, '', { ...record, tagSlots, barrier, receivedMs: clock.nowMs() });
      if (blockBytes === 0 || !content.openBlock(0)) continue;
      content.write(0, Buffer.alloc(blockBytes));
      content.closeBlock(0);
    }
  };
  const findings: Finding[] = [];
  for (const order of orders) {
    if (order === orders[0] || entries < FEW) hold();
    const what = `${entries} entries${blockBytes > 0 ? ' with bytes' : ''}: purge by ${order.kind}`;
    const name = `${what}${order.soft ? ', soft' : ''}`;
    const before = cache.table.size;
    findings.push(orientation(`${name}: entries held`, before));
    const beganMs = performance.now();
    purge(order, cache, buckets);
    findings.push(atMost(`${name}: until it is answered`, performance.now() - beganMs, 10, 'ms'));
    // until the sweep, if there is one, has ended
    for (let size = -1; size !== cache.table.size; await wait(entries < FEW ? 300 : 3_000))
      size = cache.table.size;
    findings.push(orientation(`${name}: entries given back`, before - cache.table.size));
    findings.push(
      orientation(`${name}: longest slice of the sweep, with what else the machine does`, longestMs, 'ms'),
    );
    longestMs = 0;
  }
  return findings;
}
