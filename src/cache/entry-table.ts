import { LRUCache } from 'lru-cache';
import {
  type Entry,
  entryCostBytes,
  generationsOf,
  isPackable,
  type KnownObject,
  knownOf,
  retire,
  without,
  withRecord,
} from './entry.ts';
import type { Generation } from './generation.ts';
import type { MemoryTier } from './memory-tier.ts';
import type { MemoryUse } from './memory-use.ts';
import { Newcomers } from './newcomers.ts';
import type { ObjectKey } from './object-key.ts';
import { PackedEntries } from './packed-entries.ts';
import type { Revive } from './packed-entry.ts';
import type { PurgeBarriers } from './purge-barriers.ts';
import type { ObjectRecord } from './record.ts';

type Tier = Pick<MemoryTier, 'entrust' | 'free' | 'giveUp' | 'isReadAgain' | 'packed' | 'spares'>;

/** Share of the limit that entries keep which are not packed, those that were used last; more where there is room for all. */
const UNPACKED_SHARE = 1 / 4;

/**
 * Of these no more than this, or a share of the limit if that is more: the collections of a larger heap make others wait, and where
 * very much memory is for blocks, single objects may have thousands of them.
 */
const MOST_UNPACKED_BYTES = 16 * 1024 * 1024;
const MOST_UNPACKED_SHARE = 1 / 32;

/**
 * So many entries may come after one that nobody uses again before it is packed, ahead of those that were used more often. Those that
 * are waiting are copied by each collection of young objects, and with more of them than are in use at a time nothing is gained.
 */
const NEWCOMERS = 64;

/** How many entries that are in use are passed over, at each change, in search of one to pack. */
const PASSED_OVER = 16;

/**
 * The entries of one worker. Those that were used last are objects; the others are packed, and first those that were learned or
 * unpacked for one use: where many objects are read once, or at random, they come and go before the collector has copied them, and take
 * no place from others. When their estimated cost exceeds the limit, some go together with their blocks, see `PackedEntries`.
 */
export class EntryTable {
  readonly #maxBytes: number;
  readonly #mostUnpackedBytes: number;
  readonly #barriers: PurgeBarriers;
  readonly #entries: LRUCache<string, Entry>;
  readonly #packed: PackedEntries;
  /** Entries that have just become too many, still to be packed. */
  readonly #surplus: Entry[] = [];
  readonly #newcomers = new Newcomers(NEWCOMERS);
  /** Taken out to be packed. */
  #leaving: Entry | undefined;

  /**
   * @param maxBytes limit for the estimated heap that entries and records cost
   * @param mostUnpackedBytes the same of those that are not packed, unless they are in use
   */
  constructor(
    maxBytes: number,
    tier: Tier,
    barriers: PurgeBarriers,
    mostUnpackedBytes = Math.max(MOST_UNPACKED_BYTES, maxBytes * MOST_UNPACKED_SHARE),
  ) {
    this.#barriers = barriers;
    this.#mostUnpackedBytes = mostUnpackedBytes;
    this.#maxBytes = maxBytes;
    this.#packed = new PackedEntries(tier);
    this.#entries = new LRUCache<string, Entry>({
      // what goes is decided in `#pack`, after each addition
      maxSize: 2 * maxBytes,
      maxEntrySize: maxBytes,
      sizeCalculation: entryCostBytes,
      dispose: (entry, _key, reason) => {
        if (reason === 'evict' || entry === this.#leaving) this.#surplus.push(entry);
        else if (reason !== 'set') retire(generationsOf(entry));
      },
    });
  }

  get capacityBytes(): number {
    return this.#maxBytes;
  }

  get size(): number {
    return this.#entries.size + this.#packed.size;
  }

  /** How many short steps it takes to meet all of them, at most. */
  get walkSteps(): number {
    return this.#entries.size + this.#packed.walkSteps;
  }

  /** Estimated heap that the entries cost. */
  get costBytes(): number {
    return this.#entries.calculatedSize + this.#packed.costBytes;
  }

  /** What the entries cost, by kind: `costBytes` and `size` in all. */
  get use(): readonly MemoryUse[] {
    return [
      { kind: 'records', bytes: this.#entries.calculatedSize, count: this.#entries.size },
      { kind: 'packed-records', bytes: this.#packed.costBytes, count: this.#packed.size },
    ];
  }

  /** The entry, unless it is packed: what was not purged. */
  get(objectKey: ObjectKey): Entry | undefined {
    const entry = this.#entries.get(objectKey.text);
    if (entry?.isUnused) entry.isUnused = false;
    return entry === undefined || entry.barrier === this.#barriers.latest ? entry : this.#afterPurges(entry);
  }

  /** Like `get`, without counting as a use. */
  peek({ text }: Pick<ObjectKey, 'text'>): Entry | undefined {
    const entry = this.#entries.peek(text);
    return entry && this.#afterPurges(entry);
  }

  /** The entry, if it was packed: its contents are made by `create`. */
  revive(objectKey: ObjectKey, create: Revive): Entry | undefined {
    const entry = this.#packed.take(objectKey.text)?.revive(objectKey, create);
    if (!entry) return undefined;
    entry.isUnused = true;
    this.#set(entry);
    this.#newcomers.add(objectKey.text);
    return this.#afterPurges(entry);
  }

  /** Whether any record refers to `generation`. */
  answersWith(generation: Generation): boolean {
    const entry = this.#entries.peek(generation.identity.objectKey);
    return entry !== undefined && generationsOf(entry).includes(generation);
  }

  /**
   * Stores `record` under `name`, and retires contents that no record of the object refers to any more. What was packed is
   * dropped: it must have been revived before, if it is to stay.
   */
  put(objectKey: ObjectKey, name: string, record: ObjectRecord): void {
    const before = this.#entries.peek(objectKey.text);
    const records = withRecord(before?.records, name, record);
    const barrier = Math.min(before?.barrier ?? Infinity, record.barrier);
    const isUnused = before?.isUnused ?? before === undefined;
    this.#replace({ objectKey, records, barrier, wasPacked: before?.wasPacked, isUnused });
    if (!before) this.#newcomers.add(objectKey.text);
  }

  /** Deletes one record of an object that is not packed. */
  forget(objectKey: ObjectKey, name: string): void {
    const before = this.#entries.peek(objectKey.text);
    if (!before) return;
    const records = new Map(before.records);
    records.delete(name);
    this.#replace({ ...before, records });
  }

  /** Deletes all that is known of an object. */
  drop(text: string): void {
    this.#packed.drop(text);
    this.#entries.delete(text);
  }

  /** Recalculates the cost of an entry whose content has grown. */
  grew(objectKey: ObjectKey): void {
    const entry = this.#entries.peek(objectKey.text);
    // lru-cache recalculates the size only for a new value
    if (entry) this.#set({ ...entry });
  }

  /** Lets other workers read what is known of an object, see `PackedEntries.tell`. */
  tell({ text }: Pick<ObjectKey, 'text'>, isAskedFor = false): void {
    const entry = this.#entries.peek(text);
    if (entry) this.#packed.tell(entry, isAskedFor);
  }

  /** What is held of one object. */
  known({ text }: Pick<ObjectKey, 'text'>): KnownObject | undefined {
    const entry = this.#entries.peek(text);
    return entry ? knownOf(entry) : this.#packed.get(text);
  }

  /** What is held of all objects. */
  *[Symbol.iterator](): IterableIterator<KnownObject> {
    for (const entry of this.#entries.values()) yield knownOf(entry);
    yield* this.#packed;
  }

  /** Gives up what was purged. */
  reclaim(text: string): void {
    const entry = this.#entries.peek(text);
    if (entry) this.#afterPurges(entry);
    const packed = this.#packed.get(text);
    if (packed && this.#barriers.removes(text, packed.tagSlots, packed.barrier)) this.#packed.drop(text);
  }

  /** The names of all entries; see `PackedEntries.names`. */
  *names(): Generator<string | undefined> {
    // the keys of a map can be read on while it changes, and the iterators of lru-cache cannot
    yield* LRUCache.unsafeExposeInternals(this.#entries).keyMap.keys();
    yield* this.#packed.names();
  }

  /** What barriers since the last look leave of an entry. */
  #afterPurges(entry: Entry): Entry | undefined {
    const { standing = entry.barrier } = this.#barriers;
    if (entry.barrier === standing && standing === this.#barriers.latest) return entry;
    const { text } = entry.objectKey;
    const records = this.#barriers.appliedToAll(text, entry.records);
    if (records) {
      this.#replace({ ...entry, records, barrier: standing });
      return this.#entries.peek(text);
    }
    entry.barrier = standing;
    return entry;
  }

  #replace(entry: Entry): void {
    const { objectKey, records } = entry;
    const before = this.#entries.peek(objectKey.text);
    const isAskedFor = this.#packed.untell(objectKey.text);
    if (!before) this.#packed.drop(objectKey.text);
    const contentsBefore = before ? generationsOf(before) : [];
    for (const generation of contentsBefore) generation.untell();
    retire(without(contentsBefore, generationsOf(entry)));
    if (records.size === 0) this.#entries.delete(objectKey.text);
    else this.#set(entry);
    this.tell(objectKey, isAskedFor);
  }

  #set(entry: Entry): void {
    this.#keep(entry);
    this.#pack(entry);
    this.#packed.limit(this.#maxBytes - this.#entries.calculatedSize);
  }

  /** What alone exceeds the limit is not kept. */
  #keep(entry: Entry): void {
    this.#entries.set(entry.objectKey.text, entry);
    if (!this.#entries.has(entry.objectKey.text)) this.#lose(entry);
  }

  #lose(entry: Entry): void {
    this.#packed.untell(entry.objectKey.text);
    retire(generationsOf(entry));
  }

  /**
   * Packs what is too much. What is in use cannot be packed, and counts as used last instead.
   *
   * @param used is in the hand of the caller: of its contents nothing would be kept any more
   */
  #pack(used: Entry): void {
    let left = PASSED_OVER;
    let isUsedMet = false;
    for (let entry = this.#nextSurplus(left); entry; entry = this.#nextSurplus(left)) {
      if (entry === used) {
        this.#keep(entry);
        // it was used last: all others are gone
        if (isUsedMet) return;
        isUsedMet = true;
        left = 0;
      } else if (isPackable(entry, generationsOf(entry))) this.#packed.add(entry);
      else if (left === 0) this.#lose(entry);
      else {
        left--;
        this.#keep(entry);
      }
    }
  }

  /** @param left how many that are in use may still be passed over */
  #nextSurplus(left: number): Entry | undefined {
    const { calculatedSize } = this.#entries;
    const isOverLimit = this.costBytes > this.#maxBytes && calculatedSize > this.#maxBytes * UNPACKED_SHARE;
    const isTooMuch = isOverLimit || (left > 0 && calculatedSize > this.#mostUnpackedBytes);
    if (this.#surplus.length === 0 && isTooMuch && !this.#takeNewcomer()) this.#entries.pop();
    return this.#surplus.shift();
  }

  /** Takes out the newcomer that the next will follow, unless it was used again. */
  #takeNewcomer(): boolean {
    const text = this.#newcomers.takeOldest();
    const entry = this.#entries.peek(text);
    if (!entry?.isUnused) return false;
    this.#leaving = entry;
    this.#entries.delete(text);
    this.#leaving = undefined;
    return true;
  }
}
