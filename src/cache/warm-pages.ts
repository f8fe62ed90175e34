import type { Clock } from '../base/clock.ts';
import type { SharedMemory } from './shared-memory.ts';

/** Smallest page size of the operating systems we run on. */
const SYSTEM_PAGE_BYTES = 4096;

/** Prefaulted arena memory kept ready for new blocks, all workers together. */
const RESERVE_BYTES = 128 * 1024 * 1024;
const RESERVE_SHARE = 1 / 4;

/** Prefaulted at a time; takes some milliseconds. */
const STEP_BYTES = 8 * 1024 * 1024;
const STEP_INTERVAL_MS = 25;
/** Interval while the reserve is full; the reserve lasts longer than this at any write rate. */
const LOOK_INTERVAL_MS = 100;

/**
 * Prefaults arena memory ahead of use. The operating system allocates a memory page at its first write, and for a large
 * cold read these page faults cost more than copying the bytes. The supervisor, which has little else to do, takes them
 * instead.
 */
export class WarmPages {
  readonly #memory: SharedMemory;
  readonly #clock: Clock;
  readonly #segments: readonly Uint8Array[];
  readonly #used: Int32Array;
  readonly #reservePages: number;
  readonly #stepPages: number;
  /** Prefaulted pages per worker, counted from its first. */
  readonly #ready: number[];

  constructor(memory: SharedMemory, clock: Clock) {
    const { workers, pageBytes, pagesPerWorker } = memory.layout;
    this.#memory = memory;
    this.#clock = clock;
    this.#segments = memory.segments.map(segment => new Uint8Array(segment));
    this.#used = new Int32Array(memory.usedPages);
    this.#reservePages = Math.ceil(
      Math.min(RESERVE_BYTES / workers / pageBytes, pagesPerWorker * RESERVE_SHARE),
    );
    this.#stepPages = Math.max(1, Math.floor(STEP_BYTES / pageBytes));
    this.#ready = new Array<number>(workers).fill(0);
  }

  /** Keeps the reserve full for as long as the process runs. */
  start(): void {
    const next = (pages: number) =>
      this.#clock.after(pages > 0 ? STEP_INTERVAL_MS : LOOK_INTERVAL_MS, () => next(this.step()));
    next(1);
  }

  /** Prefaults some pages if the reserve is not full; returns how many. */
  step(): number {
    const { workers, pagesPerWorker } = this.#memory.layout;
    let left = this.#stepPages;
    for (let worker = 0; worker < workers; worker++) {
      const wanted = Math.min(pagesPerWorker, Atomics.load(this.#used, worker) + this.#reservePages);
      for (; left > 0 && this.#readyOf(worker) < wanted; left--) this.#touch(worker);
    }
    return this.#stepPages - left;
  }

  #readyOf(worker: number): number {
    return this.#ready[worker] ?? 0;
  }

  /** Writes to the next page of `worker` without changing it, because the worker may already be using it. */
  #touch(worker: number): void {
    const { pageBytes, pagesPerWorker } = this.#memory.layout;
    const { pagesPerSegment } = this.#memory;
    const page = worker * pagesPerWorker + this.#readyOf(worker);
    this.#ready[worker] = this.#readyOf(worker) + 1;
    const segment = this.#segments[Math.floor(page / pagesPerSegment)];
    const start = (page % pagesPerSegment) * pageBytes;
    if (!segment) throw new RangeError(`no page ${page}`);
    for (let at = start; at < start + pageBytes; at += SYSTEM_PAGE_BYTES) Atomics.or(segment, at, 0);
  }
}
