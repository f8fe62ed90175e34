import { availableParallelism, totalmem } from 'node:os';
import { leastArenaBytes, MIN_PAGES_PER_WORKER } from '../cache/shared-memory.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { LEAST_CACHE_BYTES } from './gateway-schema.ts';
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

/** What the process takes before its workers start: 105 MiB were measured. */
const PROCESS_BYTES = 100 * 2 ** 20;

/** What each worker adds before anything is cached: 57 MiB were measured. */
const IDLE_WORKER_BYTES = 50 * 2 ** 20;

/** Heap of a worker under load (40 to 85 MiB were measured) and its share of the process. */
const WORKER_BYTES = 100 * 2 ** 20;

type Sized = Pick<GatewayConfig, 'buckets' | 'cache' | 'workers'>;

/** Warns of a cache that is larger than its configured size, or than what the machine has room for under load. */
export function* machineWarnings(config: Sized, machine: Machine): Generator<ConfigWarning> {
  const { count, blockBytes, leastBytes, cacheBytes } = needsOf(config, machine);
  if (leastBytes > config.cache.memory.sizeBytes) yield* tooSmall(count, blockBytes, leastBytes);
  yield* tooLarge(cacheBytes, count, machine);
}

/**
 * Refuses a cache for which the machine, or the control group, has no room even while nobody asks for anything: the system would
 * end the process once it is full.
 *
 * @param source names the configuration in messages
 * @throws ConfigError
 */
export function refuseWhatDoesNotFit(config: Sized, source: string, machine: Machine = thisMachine()): void {
  const { count, leastBytes, cacheBytes } = needsOf(config, machine);
  const needsBytes = cacheBytes + PROCESS_BYTES + count * IDLE_WORKER_BYTES;
  const { hasBytes, owner } = roomOf(machine);
  if (needsBytes <= hasBytes) return;
  const fitsBytes = hasBytes - PROCESS_BYTES - count * WORKER_BYTES;
  const advice =
    fitsBytes < Math.max(leastBytes, LEAST_CACHE_BYTES)
      ? `no size fits beside so many workers (${count})`
      : `${inMebibytes(fitsBytes)} would fit`;
  const problem = `cache.memory.size does not fit: the cache of ${inMebibytes(cacheBytes)} and the process itself with its workers (${count}) take ${inMebibytes(needsBytes)}, but ${owner} has ${inMebibytes(hasBytes)}; ${advice}`;
  throw new ConfigError(source, [problem]);
}

function needsOf({ buckets, cache, workers }: Sized, machine: Machine) {
  const count = workers === 'auto' ? machine.cores : workers;
  const blockBytes = largestBlockBytes(buckets);
  const leastBytes = leastArenaBytes(blockBytes, count);
  return { count, blockBytes, leastBytes, cacheBytes: Math.max(cache.memory.sizeBytes, leastBytes) };
}

function roomOf({ memoryBytes, memoryLimitBytes }: Machine) {
  return memoryLimitBytes === undefined
    ? { hasBytes: memoryBytes, owner: 'this machine' }
    : { hasBytes: memoryLimitBytes, owner: 'the control group of this process' };
}

function* tooSmall(count: number, blockBytes: number, leastBytes: number): Generator<ConfigWarning> {
  const each = `${MIN_PAGES_PER_WORKER} times the largest blockSize (${inMebibytes(blockBytes)})`;
  const consequence = `the cache takes ${inMebibytes(leastBytes)}, because each of the workers (${count}) has at least ${each}`;
  yield { path: ['cache', 'memory', 'size'], consequence };
}

/** The system would end the process once the cache is full and many ask. */
function* tooLarge(cacheBytes: number, count: number, machine: Machine): Generator<ConfigWarning> {
  const needsBytes = cacheBytes + PROCESS_BYTES + count * WORKER_BYTES;
  const { hasBytes, owner } = roomOf(machine);
  if (needsBytes <= hasBytes) return;
  const consequence = `with the heaps of the process and its workers (${count}) that is ${inMebibytes(needsBytes)}, but ${owner} has ${inMebibytes(hasBytes)}`;
  yield { path: ['cache', 'memory', 'size'], consequence };
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)}MiB`;
}
