import { MAX_SLOTS_PER_PAGE } from './size-class.ts';

/** Sizes that every thread must agree on. */
export interface MemoryLayout {
  /** Worker threads; each owns an equal run of pages. */
  readonly workers: number;
  /** Bytes of a page: the largest block that any bucket uses. */
  readonly pageBytes: number;
  /** Pages that each worker owns. */
  readonly pagesPerWorker: number;
}

/** The memory that all threads share: plain data, so it can be handed to a thread as it is. */
export interface SharedMemory {
  readonly layout: MemoryLayout;
  /** Block bytes, in page order. */
  readonly segments: readonly SharedArrayBuffer[];
  readonly pagesPerSegment: number;
  /** Int32 per slot: raised whenever the slot's content changes hands, so that an old reference is recognised. */
  readonly tags: SharedArrayBuffer;
  /** Int32 per worker and slot: how often that worker holds the slot. */
  readonly pins: readonly SharedArrayBuffer[];
  /** Int32 per worker and owner, a row for each worker: how many different slots of each owner it holds. */
  readonly held: SharedArrayBuffer;
  /** Int32 per owner: fills of its contents that need a slot, and that readers wait for. */
  readonly needed: SharedArrayBuffer;
  /** Uint8 per slot: 1 when a reader has come back to it since it was filled or last looked at by eviction. */
  readonly visited: SharedArrayBuffer;
  /** Int32 per key slot, see `Epochs`. */
  readonly epochs: SharedArrayBuffer;
  /** Int32 per worker: pages that it has begun to use, from its first on. */
  readonly usedPages: SharedArrayBuffer;
  /** As long as the segments, where blocks are checked, see `WrittenBytes`. */
  readonly written?: readonly SharedArrayBuffer[];
}

/** Keys share epochs by hash; a collision costs a needless miss and nothing else. */
export const EPOCH_SLOTS = 65_536;

const LARGEST_SEGMENT_BYTES = 1024 * 1024 * 1024;

/**
 * Allocates the arena and its tables once, at the start. The system gives the memory page by page as it is first used.
 *
 * @param arenaBytes bytes for blocks, all workers together; every worker gets at least eight pages.
 * @param blocks whether what blocks say of themselves is checked each time that bytes are handed out.
 */
export function allocateSharedMemory(
  arenaBytes: number,
  pageBytes: number,
  workers: number,
  blocks: 'checked' | 'unchecked' = 'unchecked',
): SharedMemory {
  const pagesPerWorker = Math.max(8, Math.floor(arenaBytes / pageBytes / workers));
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
  return {
    layout: { workers, pageBytes, pagesPerWorker },
    segments: arena(),
    pagesPerSegment,
    tags: int32PerSlot(),
    pins: Array.from({ length: workers }, int32PerSlot),
    held: new SharedArrayBuffer(workers * workers * Int32Array.BYTES_PER_ELEMENT),
    needed: new SharedArrayBuffer(workers * Int32Array.BYTES_PER_ELEMENT),
    visited: new SharedArrayBuffer(slots),
    epochs: new SharedArrayBuffer(EPOCH_SLOTS * Int32Array.BYTES_PER_ELEMENT),
    usedPages: new SharedArrayBuffer(workers * Int32Array.BYTES_PER_ELEMENT),
    ...(blocks === 'checked' && { written: arena() }),
  };
}

/** Lets go of everything that the dead thread of `worker` held, and tells the others that its references are void. */
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
