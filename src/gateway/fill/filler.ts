import type { Generation } from '../../cache/generation.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';
import { BlockWriter } from './block-writer.ts';
import { claiming, firstUnclaimed, untilWhole } from './claims.ts';
import { Extent, type ExtentOwner } from './extent.ts';
import type { ExtentContext } from './extent-context.ts';
import { OverloadedError } from './fill-error.ts';
import type { RangeReceiver, RangeSource } from './ranged-read.ts';
import { EXTENT_LIMIT_BYTES, type Readers } from './readers.ts';
import type { RunningTransfer } from './transfer.ts';

/** Most concurrent extents of one content. */
const EXTENTS_PER_CONTENT = 16;

/** Most extents that may wait for slots before new fills are refused. */
const WAITING_LIMIT = 256;

const noExtents: ReadonlySet<Extent> = new Set();

/**
 * Fetches the missing bytes of contents, each byte once for all readers. One instance per worker, for the contents that
 * the worker owns.
 */
export class Filler implements ExtentOwner {
  readonly #tier: MemoryTier;
  readonly #context: ExtentContext;
  readonly #readers: Readers;
  /** The running extents of each content. */
  readonly #extents = new Map<Generation, Set<Extent>>();
  /** Contents whose store ignored a range: each further ranged request may be answered with the whole content. */
  readonly #rangeless = new WeakSet<Generation>();

  constructor(
    tier: MemoryTier,
    readers: Readers,
    context: Pick<ExtentContext, 'clock' | 'random' | 'retried' | 'faults'>,
  ) {
    this.#tier = tier;
    this.#readers = readers;
    this.#context = { ...context, slots: tier, readers };
  }

  /** Extents that are running. */
  get inFlight(): number {
    let extents = 0;
    for (const { size } of this.#extents.values()) extents += size;
    return extents;
  }

  /** The extent that fetches the block containing `position`, if there is one. */
  claiming(generation: Generation, position: number): Extent | undefined {
    return claiming(this.#of(generation), position);
  }

  /** Whether a running extent will write into a block of `[from, to)`. */
  claimsAny(generation: Generation, from: number, to: number): boolean {
    for (const extent of this.#of(generation)) if (extent.blocks.claims(from, to)) return true;
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
      ? firstUnclaimed(generation, this.#of(generation), from, to, extentBytes)
      : undefined;
    if (!missing) return this.fetchAhead(generation, from, to, extentBytes, source);
    if (this.#isCrowded(generation)) throw new OverloadedError();
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
    while (position < to && !this.#runsEnough(generation) && !this.#isCrowded(generation)) {
      const missing = firstUnclaimed(generation, this.#of(generation), position, to, extentBytes);
      if (!missing) return to;
      this.#begin(generation, missing.start, missing.end, source).start();
      position = missing.end;
    }
    return position;
  }

  /**
   * Creates an extent for a running transfer of `[from, to)`; the caller passes it the bytes. Of a long one only the
   * first bytes are taken, so that nothing is fetched without a reader; one of the whole content is paced by its readers. Of
   * one that nobody waits for, one block is taken.
   */
  adopt(
    generation: Generation,
    from: number,
    to: number,
    source: RangeSource,
    { call, isAwaited }: RunningTransfer,
  ): Extent {
    const isWhole = from === 0 && to === generation.sizeBytes;
    const longestBytes = isAwaited
      ? Math.max(generation.blockBytes, EXTENT_LIMIT_BYTES)
      : generation.blockBytes;
    const extent = this.#begin(generation, from, to, source);
    extent.adopt(call, isWhole && isAwaited ? to : generation.blockStart(from) + longestBytes, isWhole);
    return extent;
  }

  #begin(generation: Generation, from: number, to: number, source: RangeSource): Extent {
    const extent = new Extent(new BlockWriter(generation, from, to), source, this.#context, this);
    const extents = this.#extents.get(generation) ?? new Set();
    this.#extents.set(generation, extents.add(extent));
    return extent;
  }

  /** A reader of `generation` has advanced. */
  advanced(generation: Generation): void {
    for (const extent of this.#of(generation)) extent.readerAdvanced();
  }

  /** `reader` has left: extents that no other reader needs are stopped. */
  readerLeft(generation: Generation, reader: object): void {
    for (const extent of [...this.#of(generation)]) {
      extent.left(reader);
      if (!this.#readers.isWanted(generation, extent.blocks.position, extent.blocks.to)) extent.stopSoon();
    }
  }

  /**
   * Handles a store that ignores ranges. The first transfer of the whole content replaces the extents that have
   * received nothing yet, because their transfers would be the same; their waiters wait for it instead.
   */
  answeredWhole(extent: Extent): RangeReceiver | undefined {
    const { generation, source } = extent;
    const others = [...this.#of(generation)].filter(other => other !== extent);
    if (others.some(other => other.isWhole && other.blocks.claims(extent.blocks.position))) {
      extent.giveWay();
      return undefined;
    }
    const end = untilWhole(generation, this.#of(generation), extent.blocks.position);
    const call = extent.handOver();
    this.#rangeless.add(generation);
    const whole = this.#begin(generation, 0, generation.sizeBytes, source);
    whole.adopt(call, end, true);
    for (const other of others) if (!other.blocks.hasWritten && !other.isWhole) other.giveWay();
    return whole;
  }

  ended(extent: Extent): void {
    const { generation } = extent;
    const extents = this.#extents.get(generation);
    extents?.delete(extent);
    if (extents?.size === 0) this.#extents.delete(generation);
    if (extent.blocks.hasWritten && !extent.isWhole) this.#rangeless.delete(generation);
  }

  #of(generation: Generation): ReadonlySet<Extent> {
    return this.#extents.get(generation) ?? noExtents;
  }

  #runsEnough(generation: Generation): boolean {
    return this.#of(generation).size >= (this.#rangeless.has(generation) ? 1 : EXTENTS_PER_CONTENT);
  }

  /** Whether too many fills are waiting for slots. */
  #isCrowded({ fillGroup }: Generation): boolean {
    return this.#tier.waiting(fillGroup) >= WAITING_LIMIT;
  }
}
