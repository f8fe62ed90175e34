import { availableParallelism, totalmem } from 'node:os';
import { leastArenaBytes, MIN_PAGES_PER_WORKER } from '../cache/shared-memory.ts';
import type { GatewayConfig } from './gateway-config.ts';
import type { ConfigWarning } from './grant-warnings.ts';
import { largestBlockBytes } from './largest-block.ts';

/** What a start would have. */
export interface Machine {
  readonly memoryBytes: number;
  /** The limit of the control group, as containers have it; undefined without one. */
  readonly memoryLimitBytes: number | undefined;
  readonly cores: number;
}

export function thisMachine(): Machine {
  const memoryBytes = totalmem();
  const limitBytes = process.constrainedMemory();
  // 0, or more than there is: no limit
  const isLimited = limitBytes > 0 && limitBytes < memoryBytes;
  return {
    memoryBytes,
    memoryLimitBytes: isLimited ? limitBytes : undefined,
    cores: availableParallelism(),
  };
}

/** Heap of a worker under load (40 to 85 MiB were measured) and its share of the process. */
const WORKER_BYTES = 100 * 2 ** 20;

/** Warns of a cache that is larger than its configured size, or than what the machine has room for. */
export function* machineWarnings(
  { buckets, cache, workers }: Pick<GatewayConfig, 'buckets' | 'cache' | 'workers'>,
  machine: Machine,
): Generator<ConfigWarning> {
  const count = workers === 'auto' ? machine.cores : workers;
  const blockBytes = largestBlockBytes(buckets);
  const leastBytes = leastArenaBytes(blockBytes, count);
  const { sizeBytes } = cache.memory;
  if (leastBytes > sizeBytes) yield* tooSmall(count, blockBytes, leastBytes);
  yield* tooLarge(Math.max(sizeBytes, leastBytes), count, machine);
}

function* tooSmall(count: number, blockBytes: number, leastBytes: number): Generator<ConfigWarning> {
  const each = `${MIN_PAGES_PER_WORKER} times the largest blockSize (${inMebibytes(blockBytes)})`;
  const consequence = `the cache takes ${inMebibytes(leastBytes)}, because each of the workers (${count}) has at least ${each}`;
  yield { path: ['cache', 'memory', 'size'], consequence };
}

/** The system would end the process once the cache is full. */
function* tooLarge(
  cacheBytes: number,
  count: number,
  { memoryBytes, memoryLimitBytes }: Machine,
): Generator<ConfigWarning> {
  const needsBytes = cacheBytes + count * WORKER_BYTES;
  const hasBytes = memoryLimitBytes ?? memoryBytes;
  if (needsBytes <= hasBytes) return;
  const owner = memoryLimitBytes === undefined ? 'this machine' : 'the control group of this process';
  const consequence = `with the heaps of the workers (${count}) that is ${inMebibytes(needsBytes)}, but ${owner} has ${inMebibytes(hasBytes)}`;
  yield { path: ['cache', 'memory', 'size'], consequence };
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)}MiB`;
}
