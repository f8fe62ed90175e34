import type { StoreCall } from '../../backend/store.ts';
import type { Generation } from '../../cache/generation.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';
import { Extent, type ExtentSurroundings } from './extent.ts';
import { OverloadedError } from './fill-error.ts';
import type { RangeSource } from './ranged-read.ts';

/** Extents of one content that are on their way at the same time, at the most. */
const extentsPerContent = 16;

/** Extents that may wait for cache memory before new fills are refused. */
const waitingLimit = 256;

/**
 * Fetches what is missing of contents, each byte once however many want it. One for each worker, for the contents
 * that the worker owns.
 */
export class Filler {
  readonly #tier: MemoryTier;
  readonly #surroundings: ExtentSurroundings;
  readonly #extents = new Map<Generation, Set<Extent>>();
  #inFlight = 0;

  constructor(tier: MemoryTier, surroundings: Omit<ExtentSurroundings, 'whenSlotFreed'>) {
    this.#tier = tier;
    this.#surroundings = { ...surroundings, whenSlotFreed: callback => tier.whenFreed(callback) };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The extent that brings the block in which `position` lies, if one is under way. */
  claiming(generation: Generation, position: number): Extent | undefined {
    for (const extent of this.#extents.get(generation) ?? []) if (extent.claims(position)) return extent;
    return undefined;
  }

  /**
   * Has what is missing in `[from, to)` fetched in extents of at most `extentBytes`, as far as not under way already.
   * The byte at `from` is fetched in any case, the rest while the content has not too many extents running.
   *
   * @throws OverloadedError when too many fills wait for memory.
   */
  fetch(generation: Generation, from: number, to: number, extentBytes: number, source: RangeSource): void {
    let position = from;
    while (position < to) {
      const missing = this.#firstUnclaimed(generation, position, to, extentBytes);
      if (!missing) return;
      const isUrgent = missing.start <= from;
      if (!isUrgent && (this.#extents.get(generation)?.size ?? 0) >= extentsPerContent) return;
      if (this.#tier.waiting >= waitingLimit) throw new OverloadedError();
      this.#begin(generation, missing.start, missing.end, source).start();
      position = missing.end;
    }
  }

  /** An extent for a transfer that has begun already, see `Extent.adopt`: its bytes are handed to it by the caller. */
  adopt(
    generation: Generation,
    from: number,
    to: number,
    limitTo: number,
    source: RangeSource,
    call: StoreCall,
  ): Extent {
    const extent = this.#begin(generation, from, to, source);
    extent.adopt(call, limitTo);
    return extent;
  }

  /** Ends what nobody reads any more. */
  stopUnwanted(generation: Generation, isWanted: (from: number, to: number) => boolean): void {
    for (const extent of [...(this.#extents.get(generation) ?? [])]) {
      if (!isWanted(extent.position, extent.to)) extent.stopSoon();
    }
  }

  #begin(generation: Generation, from: number, to: number, source: RangeSource): Extent {
    const extent = new Extent(generation, from, to, source, this.#surroundings, ended => this.#ended(ended));
    const extents = this.#extents.get(generation) ?? new Set();
    this.#extents.set(generation, extents.add(extent));
    this.#inFlight++;
    return extent;
  }

  #ended(extent: Extent): void {
    const extents = this.#extents.get(extent.generation);
    extents?.delete(extent);
    if (extents?.size === 0) this.#extents.delete(extent.generation);
    this.#inFlight--;
  }

  /** The first run of missing bytes in blocks that no extent is going to write into. */
  #firstUnclaimed(generation: Generation, from: number, to: number, extentBytes: number) {
    let position = from;
    for (;;) {
      const missing = generation.firstMissing(position, to, extentBytes);
      if (!missing) return undefined;
      const claiming = this.claiming(generation, missing.start);
      if (!claiming)
        return { start: missing.start, end: this.#untilClaimed(generation, missing.start, missing.end) };
      position = generation.blockEnd(claiming.to - 1);
      if (position >= to) return undefined;
    }
  }

  #untilClaimed(generation: Generation, start: number, end: number): number {
    let until = end;
    for (const extent of this.#extents.get(generation) ?? []) {
      const claimedFrom = generation.blockStart(extent.position);
      if (claimedFrom > start && claimedFrom < until) until = claimedFrom;
    }
    return until;
  }
}
