import type { StoreCall } from '../../backend/store.ts';
import type { Generation } from '../../cache/generation.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';
import { Extent, type ExtentOwner } from './extent.ts';
import type { ExtentContext } from './extent-context.ts';
import { OverloadedError } from './fill-error.ts';
import type { RangeReceiver, RangeSource } from './ranged-read.ts';
import type { Readers } from './readers.ts';

/** Extents of one content that are on their way at the same time, at the most. */
const EXTENTS_PER_CONTENT = 16;

/** Extents that may wait for cache memory before new fills are refused. */
const WAITING_LIMIT = 256;

/**
 * Fetches what is missing of contents, each byte once however many want it. One for each worker, for the contents
 * that the worker owns.
 */
export class Filler implements ExtentOwner {
  readonly #tier: MemoryTier;
  readonly #surroundings: ExtentContext;
  readonly #readers: Readers;
  readonly #extents = new Map<Generation, Set<Extent>>();
  /** Contents whose store ignored a range: each further one may be answered with all of the content. */
  readonly #rangeless = new WeakSet<Generation>();
  #inFlight = 0;

  constructor(
    tier: MemoryTier,
    readers: Readers,
    surroundings: Pick<ExtentContext, 'clock' | 'random' | 'retried' | 'faults'>,
  ) {
    this.#tier = tier;
    this.#readers = readers;
    this.#surroundings = {
      ...surroundings,
      whenSlotFreed: (callback, isUrgent) => tier.whenFreed(callback, isUrgent),
      pace: (generation, position) => readers.pace(generation, position),
      isWanted: (generation, from, to) => readers.isWantedSoon(generation, from, to),
      lacksRoom: () => tier.waitingFirst > 0,
    };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The extent that brings the block in which `position` lies, if one is under way. */
  claiming(generation: Generation, position: number): Extent | undefined {
    for (const extent of this.#extents.get(generation) ?? []) if (extent.claims(position)) return extent;
    return undefined;
  }

  /** Whether an extent is under way that is going to write into a block of `[from, to)`. */
  claimsAny(generation: Generation, from: number, to: number): boolean {
    for (const extent of this.#extents.get(generation) ?? []) if (extent.claims(from, to)) return true;
    return false;
  }

  /** Whether the byte at `position` is neither there nor about to come. */
  lacks(generation: Generation, position: number): boolean {
    return generation.availableUntil(position) === position && !this.claiming(generation, position);
  }

  /**
   * Has what is missing in `[from, to)` fetched in extents of at most `extentBytes`, as far as not under way already.
   * The byte at `from` is fetched in any case, the rest as by `fetchAhead`.
   *
   * @returns how far all is there or under way.
   * @throws OverloadedError when the byte at `from` would have to be fetched, and too many fills wait for memory
   */
  fetch(generation: Generation, from: number, to: number, extentBytes: number, source: RangeSource): number {
    const missing = this.lacks(generation, from)
      ? this.#firstUnclaimed(generation, from, to, extentBytes)
      : undefined;
    if (!missing) return this.fetchAhead(generation, from, to, extentBytes, source);
    if (this.#tier.waiting >= WAITING_LIMIT) throw new OverloadedError();
    this.#begin(generation, missing.start, missing.end, source).start();
    return this.fetchAhead(generation, missing.end, to, extentBytes, source);
  }

  /**
   * The same where no byte is waited for: nothing is fetched while the content has enough extents running, or too many
   * fills wait for memory.
   */
  fetchAhead(
    generation: Generation,
    from: number,
    to: number,
    extentBytes: number,
    source: RangeSource,
  ): number {
    let position = from;
    while (position < to && !this.#runsEnough(generation) && this.#tier.waiting < WAITING_LIMIT) {
      const missing = this.#firstUnclaimed(generation, position, to, extentBytes);
      if (!missing) return to;
      this.#begin(generation, missing.start, missing.end, source).start();
      position = missing.end;
    }
    return position;
  }

  /** A reader of `generation` has come further. */
  advanced(generation: Generation): void {
    for (const extent of this.#extents.get(generation) ?? []) extent.readerAdvanced();
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
    extent.adopt(call, limitTo, from === 0 && to === generation.sizeBytes);
    return extent;
  }

  /**
   * The first transfer of all of a content takes the place of the extents that have brought nothing yet: their transfers
   * would be the same. Who waited for them waits for it.
   */
  answeredWhole(extent: Extent): RangeReceiver | undefined {
    const { generation, source } = extent;
    const others = [...(this.#extents.get(generation) ?? [])].filter(other => other !== extent);
    if (others.some(other => other.isWhole && other.claims(extent.position))) {
      extent.giveWay();
      return undefined;
    }
    const end = this.#untilWhole(generation);
    const call = extent.handOver();
    this.#rangeless.add(generation);
    const whole = this.#begin(generation, 0, generation.sizeBytes, source);
    whole.adopt(call, end, true);
    for (const other of others) if (!other.hasWritten && !other.isWhole) other.giveWay();
    return whole;
  }

  /** Ends what nobody reads any more. */
  stopUnwanted(generation: Generation): void {
    for (const extent of [...(this.#extents.get(generation) ?? [])]) {
      if (!this.#readers.isWanted(generation, extent.position, extent.to)) extent.stopSoon();
    }
  }

  ended(extent: Extent): void {
    const { generation } = extent;
    const extents = this.#extents.get(generation);
    extents?.delete(extent);
    if (extents?.size === 0) this.#extents.delete(generation);
    this.#inFlight--;
    if (extent.hasWritten && !extent.isWhole) this.#rangeless.delete(generation);
  }

  #begin(generation: Generation, from: number, to: number, source: RangeSource): Extent {
    const extent = new Extent(generation, from, to, source, this.#surroundings, this);
    const extents = this.#extents.get(generation) ?? new Set();
    this.#extents.set(generation, extents.add(extent));
    this.#inFlight++;
    return extent;
  }

  #runsEnough(generation: Generation): boolean {
    const running = this.#extents.get(generation)?.size ?? 0;
    return running >= (this.#rangeless.has(generation) ? 1 : EXTENTS_PER_CONTENT);
  }

  /** Where a transfer of all of `generation` comes to what another such transfer brings. */
  #untilWhole(generation: Generation): number {
    let until = generation.sizeBytes;
    for (const extent of this.#extents.get(generation) ?? [])
      if (extent.isWhole) until = Math.min(until, generation.blockStart(extent.position));
    return until;
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
