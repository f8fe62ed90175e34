import { LRUCache } from 'lru-cache';
import { Generation } from './generation.ts';
import type { ObjectKey } from './object-key.ts';
import { type ObjectRecord, recordCostBytes } from './record.ts';

/** All that is known of one object: its records, keyed by `recordName`. */
interface Entry {
  readonly objectKey: ObjectKey;
  readonly records: ReadonlyMap<string, ObjectRecord>;
}

/** Records (versions and variants) kept per object. Bounded because clients choose the values of varying headers. */
const RECORDS_PER_ENTRY = 64;

/** The distinct contents that the records of `entry` refer to. */
export function generationsOf(entry: Entry): Set<Generation> {
  const generations = new Set<Generation>();
  for (const record of entry.records.values()) {
    if (record.kind === 'readable' && record.content instanceof Generation) generations.add(record.content);
  }
  return generations;
}

/**
 * The entries of one worker. When their estimated cost exceeds the limit, the least recently used are evicted together
 * with their blocks.
 */
export class EntryTable {
  readonly #entries: LRUCache<string, Entry>;

  /** @param maxBytes limit for the estimated heap that entries and records cost */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache<string, Entry>({
      maxSize: maxBytes,
      maxEntrySize: maxBytes,
      sizeCalculation: entryCostBytes,
      dispose: (entry, _key, reason) => {
        if (reason !== 'set') retire(generationsOf(entry));
      },
    });
  }

  get capacityBytes(): number {
    return this.#entries.maxSize;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Estimated heap that the entries cost. */
  get costBytes(): number {
    return this.#entries.calculatedSize;
  }

  get(objectKey: ObjectKey): Entry | undefined {
    return this.#entries.get(objectKey.text);
  }

  /** Like `get`, without counting as a use. */
  peek(objectKey: ObjectKey): Entry | undefined {
    return this.#entries.peek(objectKey.text);
  }

  /** Whether any record refers to `generation`. */
  answersWith(generation: Generation): boolean {
    const entry = this.#entries.peek(generation.identity.objectKey);
    return entry !== undefined && generationsOf(entry).has(generation);
  }

  /** Stores `record` under `name`, and retires contents that no record of the object refers to any more. */
  put(objectKey: ObjectKey, name: string, record: ObjectRecord): void {
    const records = new Map(this.#entries.peek(objectKey.text)?.records);
    records.delete(name);
    records.set(name, record);
    for (const oldest of records.keys()) {
      if (records.size <= RECORDS_PER_ENTRY) break;
      records.delete(oldest);
    }
    this.#replace(objectKey, records);
  }

  /** Deletes one record of an object, or all of them. */
  forget(objectKey: ObjectKey, name?: string): void {
    const records = new Map(name === undefined ? [] : this.#entries.peek(objectKey.text)?.records);
    if (name !== undefined) records.delete(name);
    this.#replace(objectKey, records);
  }

  /** Recalculates the cost of an entry whose content has grown. */
  grew(objectKey: ObjectKey): void {
    const entry = this.#entries.peek(objectKey.text);
    // lru-cache recalculates the size only for a new value
    if (entry) this.#set({ ...entry });
  }

  *[Symbol.iterator](): IterableIterator<Entry> {
    yield* this.#entries.values();
  }

  #replace(objectKey: ObjectKey, records: ReadonlyMap<string, ObjectRecord>): void {
    const before = this.#entries.peek(objectKey.text);
    const entry: Entry = { objectKey, records };
    const unused = before ? generationsOf(before) : new Set<Generation>();
    for (const generation of generationsOf(entry)) unused.delete(generation);
    retire(unused);
    if (records.size === 0) this.#entries.delete(objectKey.text);
    else this.#set(entry);
  }

  /** An entry that alone exceeds the limit is not kept. */
  #set(entry: Entry): void {
    this.#entries.set(entry.objectKey.text, entry);
    if (!this.#entries.has(entry.objectKey.text)) retire(generationsOf(entry));
  }
}

/** Estimated heap cost of an entry and everything it refers to; a content shared by several records counts once. */
export function entryCostBytes(entry: Entry): number {
  const { objectKey, records } = entry;
  let cost = 400 + 4 * objectKey.text.length;
  for (const generation of generationsOf(entry)) cost += generation.costBytes;
  for (const [name, record] of records) cost += 2 * name.length + recordCostBytes(record);
  return cost;
}

function retire(generations: Iterable<Generation>): void {
  for (const generation of generations) generation.retire();
}
