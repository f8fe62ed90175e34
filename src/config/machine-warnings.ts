import { availableParallelism, totalmem } from 'node:os';
import type { GatewayConfig } from './gateway-config.ts';
import type { ConfigWarning } from './grant-warnings.ts';

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

/** Warns of a cache that the machine has no room for: the system would end the process once it is full. */
export function* machineWarnings(
  { cache, workers }: Pick<GatewayConfig, 'cache' | 'workers'>,
  { memoryBytes, memoryLimitBytes, cores }: Machine,
): Generator<ConfigWarning> {
  const count = workers === 'auto' ? cores : workers;
  const needsBytes = cache.memory.sizeBytes + count * WORKER_BYTES;
  const hasBytes = memoryLimitBytes ?? memoryBytes;
  if (needsBytes <= hasBytes) return;
  const owner = memoryLimitBytes === undefined ? 'this machine' : 'the control group of this process';
  const consequence = `with the heaps of the workers (${count}) that is ${inMebibytes(needsBytes)}, but ${owner} has ${inMebibytes(hasBytes)}`;
  yield { path: ['cache', 'memory', 'size'], consequence };
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)}MiB`;
}
