import type { MemoryTier } from './memory-tier.ts';
import type { PackedEntry } from './packed-entry.ts';

/** Share of the limit that entries without bytes keep while others would have to lose theirs. */
const BARE_SHARE = 1 / 8;

/** How many blocks are evicted at most to make one entry lose its last one; some are of entries that are not packed. */
const EVICTIONS = 8;

/**
 * The packed entries of a worker. Where they cost too much, those without bytes go first, beyond their share; of the others
 * those whose bytes are the next to be evicted: what is worth its place in the arena is worth its record.
 */
export class PackedEntries {
  readonly #tier: Pick<MemoryTier, 'evictForRecord' | 'free'>;
  /** By `ObjectKey.text`, in the order in which they were packed. */
  readonly #holding = new Map<string, PackedEntry>();
  /** Those without a block, in the order in which they lost the last one. */
  readonly #bare = new Map<string, PackedEntry>();
  #costBytes = 0;
  #bareBytes = 0;

  constructor(tier: Pick<MemoryTier, 'evictForRecord' | 'free'>) {
    this.#tier = tier;
  }

  get size(): number {
    return this.#holding.size + this.#bare.size;
  }

  get costBytes(): number {
    return this.#costBytes;
  }

  get(text: string): PackedEntry | undefined {
    return this.#holding.get(text) ?? this.#bare.get(text);
  }

  /** May be read on while entries come and go. */
  *names(): Generator<string> {
    yield* this.#holding.keys();
    yield* this.#bare.keys();
  }

  *[Symbol.iterator](): IterableIterator<PackedEntry> {
    yield* this.#holding.values();
    yield* this.#bare.values();
  }

  add(entry: PackedEntry): void {
    this.#costBytes += entry.costBytes;
    if (entry.isBare) this.#addBare(entry);
    else this.#holding.set(entry.text, entry);
  }

  /** Removes an entry; its blocks stay. */
  take(text: string): PackedEntry | undefined {
    const entry = this.get(text);
    if (!entry) return undefined;
    this.#costBytes -= entry.costBytes;
    if (!this.#holding.delete(text)) this.#removeBare(entry);
    return entry;
  }

  /** Removes an entry and its blocks. */
  drop(text: string): void {
    for (const slot of this.take(text)?.slots ?? []) this.#tier.free(slot);
  }

  /** A block of `entry` was evicted, which cost `bytes`. */
  lostBlock(entry: PackedEntry, bytes: number): void {
    this.#costBytes -= bytes;
    if (entry.isBare && this.#holding.delete(entry.text)) this.#addBare(entry);
  }

  /** Removes entries until they cost no more than `limitBytes`. */
  limit(limitBytes: number): void {
    while (this.#costBytes > limitBytes) {
      const [oldestBare] = this.#bare.keys();
      const [oldest] = this.#holding.keys();
      const isShareExceeded = this.#bareBytes > limitBytes * BARE_SHARE;
      if (oldestBare !== undefined && (isShareExceeded || oldest === undefined)) this.drop(oldestBare);
      else if (oldest === undefined) return;
      else if (!this.#evictsOne()) this.drop(oldest);
    }
  }

  /** Whether the next evictions of blocks cost an entry its last one. */
  #evictsOne(): boolean {
    const holding = this.#holding.size;
    for (let left = EVICTIONS; left > 0 && this.#holding.size === holding; left--)
      this.#tier.evictForRecord();
    return this.#holding.size < holding;
  }

  #addBare(entry: PackedEntry): void {
    this.#bare.set(entry.text, entry);
    this.#bareBytes += entry.costBytes;
  }

  #removeBare(entry: PackedEntry): void {
    if (this.#bare.delete(entry.text)) this.#bareBytes -= entry.costBytes;
  }
}
