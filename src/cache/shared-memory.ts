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
  /** One Int32 per key slot for each worker: writes under way, see `OpenWrites`. */
  readonly openWrites: readonly SharedArrayBuffer[];
  /** Int32 per key slot, see `UnsettledKeys`. */
  readonly unsettled: SharedArrayBuffer;
  /** Int32 per worker: pages in use, counted from its first. */
  readonly usedPages: SharedArrayBuffer;
  /** As large as the segments; only where blocks are checked, see `WrittenBytes`. */
  readonly written?: readonly SharedArrayBuffer[];
}

/** Keys share epoch slots by hash; a collision costs an unnecessary question to the store and nothing else. */
export const EPOCH_SLOTS = 65_536;

/** The same for buckets. */
export const BUCKET_EPOCH_SLOTS = 4_096;

/** Fewer pages could not be shared out between the stores that fill them and the readers that hold them. */
export const MIN_PAGES_PER_WORKER = 8;

const LARGEST_SEGMENT_BYTES = 1024 * 1024 * 1024;

/** The arena takes so many bytes at least, however few were asked for. */
export function leastArenaBytes(pageBytes: number, workers: number): number {
  return MIN_PAGES_PER_WORKER * pageBytes * workers;
}

/**
 * Allocates the arena and its tables once, at the start. The operating system provides each page at its first use.
 *
 * @param arenaBytes bytes for blocks, all workers together; at least `leastArenaBytes`
 * @param blocks whether blocks verify that the bytes they hand out were written
 */
export function allocateSharedMemory(
  arenaBytes: number,
  pageBytes: number,
  workers: number,
  blocks: 'checked' | 'unchecked' = 'unchecked',
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
  const int32PerSlot = () => new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT);
  const int32PerKeySlot = () => new SharedArrayBuffer(EPOCH_SLOTS * Int32Array.BYTES_PER_ELEMENT);
  return {
    layout: { workers, pageBytes, pagesPerWorker },
    segments: arena(),
    pagesPerSegment,
    tags: int32PerSlot(),
    pins: Array.from({ length: workers }, int32PerSlot),
    held: new SharedArrayBuffer(workers * workers * Int32Array.BYTES_PER_ELEMENT),
    needed: new SharedArrayBuffer(workers * Int32Array.BYTES_PER_ELEMENT),
    visited: new SharedArrayBuffer(slots),
    epochs: int32PerKeySlot(),
    bucketEpochs: new SharedArrayBuffer(BUCKET_EPOCH_SLOTS * Int32Array.BYTES_PER_ELEMENT),
    openWrites: Array.from({ length: workers }, int32PerKeySlot),
    unsettled: int32PerKeySlot(),
    usedPages: new SharedArrayBuffer(workers * Int32Array.BYTES_PER_ELEMENT),
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
