import type { Clock } from '../base/clock.ts';
import type { SharedMemory } from './shared-memory.ts';

/** The system's own pages are not smaller than this. */
const SYSTEM_PAGE_BYTES = 4096;

/** Memory of the arena that is kept ready for new blocks, all workers together. */
const RESERVE_BYTES = 128 * 1024 * 1024;
const RESERVE_SHARE = 1 / 4;

/** Touched at one go: some milliseconds of work. */
const STEP_BYTES = 8 * 1024 * 1024;
const STEP_INTERVAL_MS = 25;
/** While nothing is missing; the reserve lasts for longer than this however fast blocks are written. */
const LOOK_INTERVAL_MS = 100;

/**
 * Keeps a reserve of memory ready that blocks are going to be written into. The system finds each page of memory only
 * when it is first written to, which costs a large read that nobody has made before more than copying its bytes; here
 * the supervisor, which has little to do, takes that upon it.
 */
export class WarmPages {
  readonly #memory: SharedMemory;
  readonly #clock: Clock;
  readonly #segments: readonly Uint8Array[];
  readonly #used: Int32Array;
  readonly #reservePages: number;
  readonly #stepPages: number;
  /** Pages that are ready, by worker, from the worker's first on. */
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

  /** Fills the reserve now and then, for as long as the process runs. */
  start(): void {
    const next = (pages: number) =>
      this.#clock.after(pages > 0 ? STEP_INTERVAL_MS : LOOK_INTERVAL_MS, () => next(this.step()));
    next(1);
  }

  /** Makes some pages ready where the reserve is not full; gives how many. */
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

  /** Writes to the next page of `worker` without changing it: the worker may be using it already. */
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
