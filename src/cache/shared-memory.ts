import { GRANULE_BYTES } from './granules.ts';
import type { HashKey } from './keyed-hash.ts';
import type { BucketName } from './object-key.ts';
import { allocateBarriers, type BarrierMemory } from './purge-barriers.ts';
import { allocateWebParts, partCount, type WebParts } from './web-parts.ts';

/** The layout that every thread must agree on. */
interface MemoryLayout {
  /** Worker threads; each owns an equal share of the pages. */
  readonly workers: number;
  /** Size of a page, in whole granules: the largest block size of any bucket. */
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
  /**
   * Int32 per granule, as are most tables of slots: raised when the slot that begins there gets another content, so that stale
   * references are recognised, see `SlotPins`.
   */
  readonly tags: SharedArrayBuffer;
  /** One Int32 per granule for each worker: how many pins that worker has on the slot. */
  readonly pins: readonly SharedArrayBuffer[];
  /**
   * Int32 per pair of worker and owner, one row per worker: how many distinct slots of the owner the worker has pinned.
   */
  readonly held: SharedArrayBuffer;
  /** Int32 per owner: urgent fills that wait for a slot. */
  readonly needed: SharedArrayBuffer;
  /** Uint8 per granule: how often it was read again, as far as eviction counts that. */
  readonly visits: SharedArrayBuffer;
  /** Uint32 per granule: of the slot that begins there, while something is told at its end, see `SlotTexts`. */
  readonly textMarks: SharedArrayBuffer;
  /** For each worker two Int32 per place, and five places for four granules, see `SlotIndex`. */
  readonly indexes: readonly SharedArrayBuffer[];
  /** Int32 per key slot, first of objects and then of web origins, see `Epochs`. */
  readonly epochs: SharedArrayBuffer;
  /** Int32 per bucket slot, see `Epochs`. */
  readonly bucketEpochs: SharedArrayBuffer;
  /** The buckets with a slot of their own. Part of the memory, because all threads must agree on the slots. */
  readonly namedBuckets: readonly BucketName[];
  /** Secret: decides which keys share a slot, see `EpochSlots`. */
  readonly epochKey: HashKey;
  /** Which of the slots of keys and groups are for which web origin. */
  readonly webParts: WebParts;
  /** One Int32 per key slot of objects for each worker: writes under way, see `OpenWrites`. */
  readonly openWrites: readonly SharedArrayBuffer[];
  /** The same per bucket slot. */
  readonly openBucketWrites: readonly SharedArrayBuffer[];
  /** Int32 per key slot, see `UnsettledKeys`. */
  readonly unsettled: SharedArrayBuffer;
  /** Int32 per bucket slot, see `UnsettledKeys`. */
  readonly unsettledBuckets: SharedArrayBuffer;
  /** Int32 per key slot, see `NameChanges`. */
  readonly nameChanges: SharedArrayBuffer;
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

/** Buckets that are not named in the configuration share these. */
export const UNNAMED_BUCKET_SLOTS = 4_096;

/** Fewer pages could not be shared out between the stores that fill them and the readers that hold them. */
export const MIN_PAGES_PER_WORKER = 8;

const LARGEST_SEGMENT_BYTES = 1024 * 1024 * 1024;

/** Of the index: a search is short while some are not used. */
const PLACES_PER_GRANULE = 5 / 4;

/** Of each granule: tag 4, visits 1, the mark of a text 4, the index 10, and the pins of one worker. */
const SHARED_BYTES = 19;
const PIN_BYTES = 4;

/**
 * The same of the worker that owns it, where each slot has one granule: `RunTable` 24, the place of the owner of the slot 4, the
 * hash of its content 4, and a byte each for holes, for the place in the queues, and for what is unread.
 */
const OWNER_BYTES = 35;

/** The ghost list of a worker, for each granule. */
const GHOST_BYTES = 3;

/** The share of memory for blocks and their tables that is left for blocks. */
export function blockShare(workers: number): number {
  return GRANULE_BYTES / (GRANULE_BYTES + tableBytes(workers) + GHOST_BYTES);
}

/** What the tables of slots take for each granule. Of what was never used the system gives them no memory. */
export function tableBytes(workers: number): number {
  return SHARED_BYTES + PIN_BYTES * workers + OWNER_BYTES;
}

/** What is taken whatever is cached, by kind: by the ghost lists, and by what tells records that no longer hold. */
export function fixedBytes(memory: SharedMemory): Readonly<Record<'ghosts' | 'invalidations', number>> {
  const { layout, barriers } = memory;
  const invalidating = [
    ...[memory.epochs, memory.bucketEpochs, memory.unsettled, memory.unsettledBuckets],
    memory.nameChanges,
    ...[...memory.openWrites, ...memory.openBucketWrites],
    ...[barriers.counters, barriers.lengths, barriers.names, barriers.tags],
  ];
  return {
    ghosts: layout.workers * granulesPerWorker(layout) * GHOST_BYTES,
    invalidations: invalidating.reduce((sum, { byteLength }) => sum + byteLength, 0),
  };
}

/** Granules that each worker owns; the slots of worker 0 have the first numbers. */
export function granulesPerWorker({ pageBytes, pagesPerWorker }: MemoryLayout): number {
  return (pagesPerWorker * pageBytes) / GRANULE_BYTES;
}

/** The arena takes so many bytes at least, however few were asked for. */
export function leastArenaBytes(pageBytes: number, workers: number): number {
  return MIN_PAGES_PER_WORKER * pageBytes * workers;
}

/** The lowest bit of a tag: whether something is told in the slot, see `SlotTexts`. */
export const TOLD = 1;

/** Only one thread at a time may write the tag of a slot. */
export function raiseTag(tags: Int32Array, slot: number): void {
  Atomics.add(tags, slot, 2 - (Atomics.load(tags, slot) & TOLD));
}

interface SharedMemoryOptions {
  /** Whether blocks verify that the bytes they hand out were written. Default: unchecked. */
  readonly blocks?: 'checked' | 'unchecked';
  /** Buckets with an epoch of their own. Default: none. */
  readonly namedBuckets?: readonly BucketName[];
  /** How many buckets are at web origins. Default: 0. */
  readonly webBuckets?: number;
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
  { blocks = 'unchecked', namedBuckets = [], webBuckets = 0, epochKey = [0, 0] }: SharedMemoryOptions = {},
): SharedMemory {
  if (pageBytes % GRANULE_BYTES !== 0) throw new RangeError(`${pageBytes} bytes are not whole granules`);
  const pagesPerWorker = Math.max(MIN_PAGES_PER_WORKER, Math.floor(arenaBytes / pageBytes / workers));
  const pages = pagesPerWorker * workers;
  const pagesPerSegment = Math.max(1, Math.floor(LARGEST_SEGMENT_BYTES / pageBytes));
  const arena = () =>
    Array.from(
      { length: Math.ceil(pages / pagesPerSegment) },
      (_, segment) =>
        new SharedArrayBuffer(Math.min(pagesPerSegment, pages - segment * pagesPerSegment) * pageBytes),
    );
  const int32 = (length: number) => new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT);
  const granules = workers * granulesPerWorker({ workers, pageBytes, pagesPerWorker });
  const int32PerGranule = () => int32(granules);
  const webParts = allocateWebParts(webBuckets);
  const int32PerKeySlot = () => int32(EPOCH_SLOTS + partCount(webParts) * webParts.keySlots);
  const int32PerBucketSlot = () => int32(namedBuckets.length + UNNAMED_BUCKET_SLOTS);
  return {
    layout: { workers, pageBytes, pagesPerWorker },
    segments: arena(),
    pagesPerSegment,
    tags: int32PerGranule(),
    pins: Array.from({ length: workers }, int32PerGranule),
    held: int32(workers * workers),
    needed: int32(workers),
    visits: new SharedArrayBuffer(granules),
    textMarks: new SharedArrayBuffer(granules * Uint32Array.BYTES_PER_ELEMENT),
    indexes: Array.from({ length: workers }, () =>
      int32(2 * Math.ceil((PLACES_PER_GRANULE * granules) / workers)),
    ),
    epochs: int32PerKeySlot(),
    bucketEpochs: int32PerBucketSlot(),
    namedBuckets,
    epochKey,
    webParts,
    openWrites: Array.from({ length: workers }, () => int32(EPOCH_SLOTS)),
    openBucketWrites: Array.from({ length: workers }, int32PerBucketSlot),
    unsettled: int32PerKeySlot(),
    unsettledBuckets: int32PerBucketSlot(),
    nameChanges: int32PerKeySlot(),
    barriers: allocateBarriers(partCount(webParts) * webParts.groupSlots),
    usedPages: int32(workers),
    ...(blocks === 'checked' && { written: arena() }),
  };
}

/** Releases all pins of a dead worker, invalidates the other workers' references to its slots, and forgets what was in them. */
export function releaseWorker(memory: SharedMemory, worker: number): void {
  const pins = memory.pins[worker];
  if (!pins) throw new RangeError(`no worker ${worker}`);
  new Int32Array(pins).fill(0);
  const { workers } = memory.layout;
  new Int32Array(memory.held).fill(0, worker * workers, (worker + 1) * workers);
  Atomics.store(new Int32Array(memory.needed), worker, 0);
  const index = memory.indexes[worker];
  if (index) new Int32Array(index).fill(0);
  const tags = new Int32Array(memory.tags);
  const ownSlots = granulesPerWorker(memory.layout);
  for (let slot = worker * ownSlots; slot < (worker + 1) * ownSlots; slot++) raiseTag(tags, slot);
}
