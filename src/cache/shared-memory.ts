import type { HashKey } from './keyed-hash.ts';
import type { BucketName } from './object-key.ts';
import { allocateBarriers, type BarrierMemory } from './purge-barriers.ts';
import { MAX_SLOTS_PER_PAGE } from './size-class.ts';

/** The layout that every thread must agree on. */
interface MemoryLayout {
  /** Worker threads; each owns an equal share of the pages. */
  readonly workers: number;
  /** Size of a page: the largest block size of any bucket. */
  readonly pageBytes: number;
  /** Pages that each worker owns. */
  readonly pagesPerWorker: number;
}

/** The memory shared by all threads; plain data that can be posted to a thread. */
export interface SharedMemory {
  readonly layout: MemoryLayout;
  /** Block bytes, in page order. */
  readonly segments: readonly SharedArrayBuffer[];
  readonly pagesPerSegment: number;
  /** Int32 per slot: incremented when the slot gets another content, so that stale references are recognised. */
  readonly tags: SharedArrayBuffer;
  /** One Int32 per slot for each worker: how many pins that worker has on the slot. */
  readonly pins: readonly SharedArrayBuffer[];
  /**
   * Int32 per pair of worker and owner, one row per worker: how many distinct slots of the owner the worker has pinned.
   */
  readonly held: SharedArrayBuffer;
  /** Int32 per owner: urgent fills that wait for a slot. */
  readonly needed: SharedArrayBuffer;
  /** Uint8 per slot: 1 when it was read again since it was filled or last inspected by eviction. */
  readonly visited: SharedArrayBuffer;
  /** Int32 per key slot, see `Epochs`. */
  readonly epochs: SharedArrayBuffer;
  /** Int32 per bucket slot, see `Epochs`. */
  readonly bucketEpochs: SharedArrayBuffer;
  /** The buckets with a slot of their own. Part of the memory, because all threads must agree on the slots. */
  readonly namedBuckets: readonly BucketName[];
  /** Secret: decides which keys share a slot, see `EpochSlots`. */
  readonly epochKey: HashKey;
  /** One Int32 per key slot for each worker: writes under way, see `OpenWrites`. */
  readonly openWrites: readonly SharedArrayBuffer[];
  /** The same per bucket slot. */
  readonly openBucketWrites: readonly SharedArrayBuffer[];
  /** Int32 per key slot, see `UnsettledKeys`. */
  readonly unsettled: SharedArrayBuffer;
  /** Int32 per bucket slot, see `UnsettledKeys`. */
  readonly unsettledBuckets: SharedArrayBuffer;
  /** See `PurgeBarriers`. */
  readonly barriers: BarrierMemory;
  /** Int32 per worker: pages in use, counted from its first. */
  readonly usedPages: SharedArrayBuffer;
  /** As large as the segments; only where blocks are checked, see `WrittenBytes`. */
  readonly written?: readonly SharedArrayBuffer[];
}

/**
 * Keys share these slots by hash. Raising one makes the records of all its keys misses: each costs a question to the
 * store, a GET where the object is read; blocks of a content that is still the same stay.
 */
export const EPOCH_SLOTS = 65_536;

/**
 * Of keys at web origins, and of keys of objects: at an origin whoever may read may also send requests that change something,
 * and must not reach the objects of others by that.
 */
const KEY_SLOT_KINDS = 2;

/** Buckets that are not named in the configuration share these. */
export const UNNAMED_BUCKET_SLOTS = 4_096;

/** Fewer pages could not be shared out between the stores that fill them and the readers that hold them. */
export const MIN_PAGES_PER_WORKER = 8;

const LARGEST_SEGMENT_BYTES = 1024 * 1024 * 1024;

/** The arena takes so many bytes at least, however few were asked for. */
export function leastArenaBytes(pageBytes: number, workers: number): number {
  return MIN_PAGES_PER_WORKER * pageBytes * workers;
}

interface SharedMemoryOptions {
  /** Whether blocks verify that the bytes they hand out were written. Default: unchecked. */
  readonly blocks?: 'checked' | 'unchecked';
  /** Buckets with an epoch of their own. Default: none. */
  readonly namedBuckets?: readonly BucketName[];
  /** Has to be secret where clients may choose keys or names of buckets. */
  readonly epochKey?: HashKey;
}

/**
 * Allocates the arena and its tables once, at the start. The operating system provides each page at its first use.
 *
 * @param arenaBytes bytes for blocks, all workers together; at least `leastArenaBytes`
 */
export function allocateSharedMemory(
  arenaBytes: number,
  pageBytes: number,
  workers: number,
  { blocks = 'unchecked', namedBuckets = [], epochKey = [0, 0] }: SharedMemoryOptions = {},
): SharedMemory {
  const pagesPerWorker = Math.max(MIN_PAGES_PER_WORKER, Math.floor(arenaBytes / pageBytes / workers));
  const pages = pagesPerWorker * workers;
  const slots = pages * MAX_SLOTS_PER_PAGE;
  const pagesPerSegment = Math.max(1, Math.floor(LARGEST_SEGMENT_BYTES / pageBytes));
  const arena = () =>
    Array.from(
      { length: Math.ceil(pages / pagesPerSegment) },
      (_, segment) =>
        new SharedArrayBuffer(Math.min(pagesPerSegment, pages - segment * pagesPerSegment) * pageBytes),
    );
  const int32 = (length: number) => new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT);
  const int32PerSlot = () => int32(slots);
  const int32PerKeySlot = () => int32(KEY_SLOT_KINDS * EPOCH_SLOTS);
  const int32PerBucketSlot = () => int32(namedBuckets.length + UNNAMED_BUCKET_SLOTS);
  return {
    layout: { workers, pageBytes, pagesPerWorker },
    segments: arena(),
    pagesPerSegment,
    tags: int32PerSlot(),
    pins: Array.from({ length: workers }, int32PerSlot),
    held: int32(workers * workers),
    needed: int32(workers),
    visited: new SharedArrayBuffer(slots),
    epochs: int32PerKeySlot(),
    bucketEpochs: int32PerBucketSlot(),
    namedBuckets,
    epochKey,
    openWrites: Array.from({ length: workers }, int32PerKeySlot),
    openBucketWrites: Array.from({ length: workers }, int32PerBucketSlot),
    unsettled: int32PerKeySlot(),
    unsettledBuckets: int32PerBucketSlot(),
    barriers: allocateBarriers(),
    usedPages: int32(workers),
    ...(blocks === 'checked' && { written: arena() }),
  };
}

/** Releases all pins of a dead worker and invalidates the other workers' references to its slots. */
export function releaseWorker(memory: SharedMemory, worker: number): void {
  const pins = memory.pins[worker];
  if (!pins) throw new RangeError(`no worker ${worker}`);
  new Int32Array(pins).fill(0);
  const { workers } = memory.layout;
  new Int32Array(memory.held).fill(0, worker * workers, (worker + 1) * workers);
  Atomics.store(new Int32Array(memory.needed), worker, 0);
  const tags = new Int32Array(memory.tags);
  const ownSlots = memory.layout.pagesPerWorker * MAX_SLOTS_PER_PAGE;
  for (let slot = worker * ownSlots; slot < (worker + 1) * ownSlots; slot++) Atomics.add(tags, slot, 1);
}
