/** Part of the supervisor's composition root: the memory of the cache, and operations on the caches of all workers. */
import { randomBytes } from 'node:crypto';
import { AdminError } from '../admin/admin-route.ts';
import type { Purge } from '../admin/purge-route.ts';
import type { CounterCell, Family } from '../base/metrics.ts';
import type { BucketName } from '../cache/object-key.ts';
import { allocateSharedMemory, blockShare, type SharedMemory } from '../cache/shared-memory.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { largestBlockBytes, smallestBlockBytes } from '../config/largest-block.ts';
import { isAtWebOrigin, isKnownBucket } from '../config/other-buckets.ts';
import { keysOf } from '../config/restricted-keys.ts';
import { type NearBytes, nearBytesOf } from '../gateway/workers/near-shares.ts';
import { MAX_KEY_BYTES } from '../s3/address.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { pathKeyProblem, pathPrefixProblem } from '../s3/path-key.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import type { RunningConfig } from './running-config.ts';
import type { WorkerControl } from './thread-contracts.ts';

/** Of `cache.memory.size`, for records that are in use, and more where several workers or short blocks have more of them. The rest is for blocks. */
const RECORD_SHARE = 1 / 32;
const LARGER_RECORD_SHARE = 1 / 16;

/** Blocks shorter than this are short: each costs some hundred bytes on the heap. */
const SHORT_BLOCK_BYTES = 32 * 1024;

/** The shares of `cache.memory.size`. */
interface CacheMemory {
  readonly shared: SharedMemory;
  readonly recordBytesPerWorker: number;
  readonly nearBytesPerWorker: NearBytes;
}

/** Whether blocks are checked: an environment variable, because it is for debugging the gateway itself. */
export function checksBlocks({
  TIDEGATE_CHECK_BLOCKS: asked,
}: Readonly<Record<string, string | undefined>>): boolean {
  return asked === '1';
}

/** Allocates the memory of the cache for `workers` threads. */
export function allocateCache(
  { cache, backends, buckets }: GatewayConfig,
  workers: number,
  isChecked: boolean,
): CacheMemory {
  const { sizeBytes } = cache.memory;
  const recordBytes = sizeBytes * recordShare(workers, smallestBlockBytes(buckets));
  const near = nearBytesOf(sizeBytes, workers);
  const nearBytes = workers * (near.webBytes + near.objectBytes);
  const atOrigins = Object.values(buckets).filter(({ backend }) => backends[backend]?.type === 'http');
  return {
    shared: allocateSharedMemory(
      (sizeBytes - recordBytes - nearBytes) * blockShare(workers),
      largestBlockBytes(buckets),
      workers,
      {
        blocks: isChecked ? 'checked' : 'unchecked',
        namedBuckets: namedBuckets(buckets),
        webBuckets: atOrigins.length,
        epochKey: [randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE()],
      },
    ),
    // lru-cache takes whole numbers only
    recordBytesPerWorker: Math.floor(recordBytes / workers),
    nearBytesPerWorker: near,
  };
}

function recordShare(workers: number, smallestBlockBytes: number): number {
  return workers > 1 || smallestBlockBytes < SHORT_BLOCK_BYTES ? LARGER_RECORD_SHARE : RECORD_SHARE;
}

/** Buckets that have a name in the configuration, as their backends call them: some may be named more than once. */
function namedBuckets(buckets: GatewayConfig['buckets']): BucketName[] {
  return Object.entries(buckets).flatMap(([name, { backend, bucket = name }]) =>
    name === EVERY_OTHER_BUCKET ? [] : [{ backend, bucket }],
  );
}

/** Purges in every worker; resolves when all have confirmed. */
export function purgeEverywhere(
  running: RunningConfig,
  pool: Pick<WorkerPool<WorkerControl>, 'callAll'>,
  purges: Family<CounterCell>,
): Purge {
  return async request => {
    if (request.kind !== 'tag') {
      const config = running.current;
      if (!isKnownBucket(config, request.bucket)) return { kind: 'unknown-bucket' };
      refuseNoKey(config, request);
      const problem = aliasProblem(config, request);
      if (problem !== undefined) return { kind: 'alias', problem };
    }
    // each raises the barriers, which all share: only workers know the buckets, the configuration of one of them may be older
    // than another's, and each counts what it holds
    const purged = await pool.callAll(
      'purge',
      request.kind === 'object' ? { ...request, kind: 'key' } : request,
    );
    purges.cell(request.kind).add();
    let [objects, bytes] = [0, 0];
    for (const counted of purged) {
      if (counted.kind === 'pending') return counted;
      objects += counted.objects;
      bytes += counted.bytes;
    }
    return { kind: 'purged', objects, bytes };
  };
}

/**
 * @param where said before what is wrong
 * @throws AdminError for what nothing in the bucket can be called: keys at a web origin are paths, or URLs, as long as these may be
 */
export function refuseNoKey(config: GatewayConfig, named: NamedObjects, where = ''): void {
  const isAtOrigin = isAtWebOrigin(config, named.bucket);
  const limitBytes = isAtOrigin ? config.limits.headersBytes : MAX_KEY_BYTES;
  if (Buffer.byteLength(named.key ?? named.prefix ?? '') > limitBytes)
    throw new AdminError(
      400,
      'KEY_TOO_LONG',
      `${where}the keys of the bucket have at most ${limitBytes} bytes`,
    );
  if (isAtOrigin && !mayBePath(named))
    throw new AdminError(
      400,
      'NO_PATH',
      `${where}the bucket is at a web origin, whose keys are paths: they begin with a slash`,
    );
}

function mayBePath({ key, prefix = '' }: NamedObjects): boolean {
  const begins = ['/', 'http://', 'https://'];
  return key === undefined
    ? begins.some(begin => begin.startsWith(prefix) || prefix.startsWith(begin))
    : begins.some(begin => key.startsWith(begin));
}

interface NamedObjects {
  readonly bucket: string;
  readonly key?: string;
  readonly prefix?: string;
}

/**
 * Why nothing can be cached under the key or prefix of a request: the bucket's store may treat it as another key, and
 * such reads are refused.
 */
export function aliasProblem(
  { backends, buckets }: GatewayConfig,
  request: NamedObjects,
): string | undefined {
  const bucket = Object.hasOwn(buckets, request.bucket)
    ? buckets[request.bucket]
    : buckets[EVERY_OTHER_BUCKET];
  const backend = bucket && backends[bucket.backend];
  if (!backend || keysOf(backend) === 'exact') return undefined;
  const { key, prefix = '' } = request;
  const { keyPrefix } = bucket;
  const problem = key === undefined ? pathPrefixProblem(keyPrefix + prefix) : pathKeyProblem(keyPrefix + key);
  return (
    problem &&
    `the store of this bucket takes keys as paths, and this one may mean something else: ${problem}`
  );
}
