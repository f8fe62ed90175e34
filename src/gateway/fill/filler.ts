import type { StoreCall } from '../../backend/store.ts';
import type { Generation } from '../../cache/generation.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';
import { Extent, type ExtentContext, type ExtentOwner } from './extent.ts';
import { OverloadedError } from './fill-error.ts';
import type { RangeReceiver, RangeSource } from './ranged-read.ts';
import { EXTENT_LIMIT_BYTES, type Readers } from './readers.ts';

/** Most concurrent extents of one content. */
const EXTENTS_PER_CONTENT = 16;

/** Most extents that may wait for slots before new fills are refused. */
const WAITING_LIMIT = 256;

/**
 * Fetches the missing bytes of contents, each byte once for all readers. One instance per worker, for the contents that
 * the worker owns.
 */
export class Filler implements ExtentOwner {
  readonly #tier: MemoryTier;
  readonly #context: ExtentContext;
  readonly #readers: Readers;
  readonly #extents = new Map<Generation, Set<Extent>>();
  /** Contents whose store ignored a range: each further ranged request may be answered with the whole content. */
  readonly #rangeless = new WeakSet<Generation>();
  #inFlight = 0;

  constructor(
    tier: MemoryTier,
    readers: Readers,
    context: Pick<ExtentContext, 'clock' | 'random' | 'retried' | 'faults'>,
  ) {
    this.#tier = tier;
    this.#readers = readers;
    this.#context = { ...context, slots: tier, readers };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The extent that fetches the block containing `position`, if there is one. */
  claiming(generation: Generation, position: number): Extent | undefined {
    for (const extent of this.#extents.get(generation) ?? [])
      if (extent.blocks.claims(position)) return extent;
    return undefined;
  }

  /** Whether a running extent will write into a block of `[from, to)`. */
  claimsAny(generation: Generation, from: number, to: number): boolean {
    for (const extent of this.#extents.get(generation) ?? []) if (extent.blocks.claims(from, to)) return true;
    return false;
  }

  /** Whether the byte at `position` is neither held nor being fetched. */
  lacks(generation: Generation, position: number): boolean {
    return generation.availableUntil(position) === position && !this.claiming(generation, position);
  }

  /**
   * Fetches the missing bytes of `[from, to)` that are not being fetched yet, in extents of at most `extentBytes`. The
   * byte at `from` is fetched in any case, the rest as by `fetchAhead`.
   *
   * @returns up to where all bytes are held or being fetched
   * @throws OverloadedError when the byte at `from` needs a new extent and too many fills are waiting for slots
   */
  fetch(generation: Generation, from: number, to: number, extentBytes: number, source: RangeSource): number {
    const missing = this.lacks(generation, from)
      ? this.#firstUnclaimed(generation, from, to, extentBytes)
      : undefined;
    if (!missing) return this.fetchAhead(generation, from, to, extentBytes, source);
    if (this.#tier.waiting(generation.fillGroup) >= WAITING_LIMIT) throw new OverloadedError();
    this.#begin(generation, missing.start, missing.end, source).start();
    return this.fetchAhead(generation, missing.end, to, extentBytes, source);
  }

  /**
   * The same for read-ahead: starts nothing while the content has enough running extents or too many fills are waiting
   * for slots.
   */
  fetchAhead(
    generation: Generation,
    from: number,
    to: number,
    extentBytes: number,
    source: RangeSource,
  ): number {
    let position = from;
    const { fillGroup } = generation;
    while (position < to && !this.#runsEnough(generation) && this.#tier.waiting(fillGroup) < WAITING_LIMIT) {
      const missing = this.#firstUnclaimed(generation, position, to, extentBytes);
      if (!missing) return to;
      this.#begin(generation, missing.start, missing.end, source).start();
      position = missing.end;
    }
    return position;
  }

  /** A reader of `generation` has advanced. */
  advanced(generation: Generation): void {
    for (const extent of this.#extents.get(generation) ?? []) extent.readerAdvanced();
  }

  /**
   * Creates an extent for a running transfer of `[from, to)`; the caller passes it the bytes. Of a long one only the
   * first bytes are taken, so that nothing is fetched without a reader; one of the whole content is paced by its readers.
   */
  adopt(
    generation: Generation,
    from: number,
    to: number,
    source: RangeSource,
    call: StoreCall | undefined,
  ): Extent {
    const isWhole = from === 0 && to === generation.sizeBytes;
    const longestBytes = Math.max(generation.blockBytes, EXTENT_LIMIT_BYTES);
    const extent = this.#begin(generation, from, to, source);
    extent.adopt(call, isWhole ? to : generation.blockStart(from) + longestBytes, isWhole);
    return extent;
  }

  /**
   * Handles a store that ignores ranges. The first transfer of the whole content replaces the extents that have
   * received nothing yet, because their transfers would be the same; their waiters wait for it instead.
   */
  answeredWhole(extent: Extent): RangeReceiver | undefined {
    const { generation, source } = extent;
    const others = [...(this.#extents.get(generation) ?? [])].filter(other => other !== extent);
    if (others.some(other => other.isWhole && other.blocks.claims(extent.blocks.position))) {
      extent.giveWay();
      return undefined;
    }
    const end = this.#untilWhole(generation);
    const call = extent.handOver();
    this.#rangeless.add(generation);
    const whole = this.#begin(generation, 0, generation.sizeBytes, source);
    whole.adopt(call, end, true);
    for (const other of others) if (!other.blocks.hasWritten && !other.isWhole) other.giveWay();
    return whole;
  }

  /** `reader` has left: extents that no other reader needs are stopped. */
  readerLeft(generation: Generation, reader: object): void {
    for (const extent of [...(this.#extents.get(generation) ?? [])]) {
      extent.left(reader);
      if (!this.#readers.isWanted(generation, extent.blocks.position, extent.blocks.to)) extent.stopSoon();
    }
  }

  ended(extent: Extent): void {
    const { generation } = extent;
    const extents = this.#extents.get(generation);
    extents?.delete(extent);
    if (extents?.size === 0) this.#extents.delete(generation);
    this.#inFlight--;
    if (extent.blocks.hasWritten && !extent.isWhole) this.#rangeless.delete(generation);
  }

  #begin(generation: Generation, from: number, to: number, source: RangeSource): Extent {
    const extent = new Extent(generation, from, to, source, this.#context, this);
    const extents = this.#extents.get(generation) ?? new Set();
    this.#extents.set(generation, extents.add(extent));
    this.#inFlight++;
    return extent;
  }

  #runsEnough(generation: Generation): boolean {
    const running = this.#extents.get(generation)?.size ?? 0;
    return running >= (this.#rangeless.has(generation) ? 1 : EXTENTS_PER_CONTENT);
  }

  /** Where the transfer of the whole of `generation` meets what another such transfer has yet to bring. */
  #untilWhole(generation: Generation): number {
    let until = generation.sizeBytes;
    for (const extent of this.#extents.get(generation) ?? [])
      if (extent.isWhole) until = Math.min(until, generation.blockStart(extent.blocks.position));
    return until;
  }

  /** The first run of missing bytes in blocks that no extent will write into. */
  #firstUnclaimed(generation: Generation, from: number, to: number, extentBytes: number) {
    let position = from;
    for (;;) {
      const missing = generation.firstMissing(position, to, extentBytes);
      if (!missing) return undefined;
      const claiming = this.claiming(generation, missing.start);
      if (!claiming)
        return { start: missing.start, end: this.#untilClaimed(generation, missing.start, missing.end) };
      position = generation.blockEnd(claiming.blocks.to - 1);
      if (position >= to) return undefined;
    }
  }

  #untilClaimed(generation: Generation, start: number, end: number): number {
    let until = end;
    for (const extent of this.#extents.get(generation) ?? []) {
      const claimedFrom = generation.blockStart(extent.blocks.position);
      if (claimedFrom > start && claimedFrom < until) until = claimedFrom;
    }
    return until;
  }
}
