import { Generation } from './generation.ts';
import { forgetHidden } from './hidden-answers.ts';
import type { ObjectKey } from './object-key.ts';
import { type ObjectRecord, recordCostBytes } from './record.ts';

/** All that is known of one object: its records, keyed by `recordName`. */
export interface Entry {
  readonly objectKey: ObjectKey;
  /** By name; of many, those that were used last are the last, see `useRecord` and `withRecord`. */
  readonly records: Map<string, ObjectRecord>;
  /** The barriers up to this one have been applied to the records, see `PurgeBarriers`. Raised as later ones are. */
  barrier: number;
  /** Whether it was used again after it had been packed. */
  readonly wasPacked?: boolean | undefined;
  /** Whether it has not been used again since it was learned or unpacked. */
  isUnused?: boolean;
}

/** What operators are told of an object, packed or not. */
export interface KnownObject {
  readonly text: string;
  readonly tagSlots: readonly number[];
  readonly heldBytes: number;
}

/** Of the record of the current version for whoever names nothing, see `recordName`. */
const PLAIN_NAME = '';

/** Records (versions and variants) kept per object. Bounded because clients choose the values of varying headers. */
const RECORDS_PER_ENTRY = 64;

/** With more records than this their order is that of their use. */
const UNORDERED_RECORDS = 4;

/** So many records that were used last are the last to go. */
const UNDISPLACED_RECORDS = 4;

/** Estimated heap cost of the variants that a packed entry has at least, if there are as many: about eight. */
const PACKED_RECORDS_BYTES = 16 * 1024;

/** A record that so many times its own cost depend on is worth reading and writing. */
const MANY_TIMES = 16;

/** The record of this name, which is used now: of many, those that nobody uses have to go first. */
export function useRecord({ records }: Entry, name: string): ObjectRecord | undefined {
  const record = records.get(name);
  if (record && records.size > UNORDERED_RECORDS) {
    records.delete(name);
    records.set(name, record);
  }
  return record;
}

/**
 * These records and one more, or another one of its name. A name that is new comes before the few that were used last: those
 * that nobody uses twice never displace them.
 */
export function withRecord(
  before: ReadonlyMap<string, ObjectRecord> | undefined,
  name: string,
  record: ObjectRecord,
): Map<string, ObjectRecord> {
  const records = [...(before ?? [])].filter(([other]) => other !== name);
  const at = before?.has(name) ? records.length : Math.max(0, records.length - UNDISPLACED_RECORDS);
  const all = new Map(records.toSpliced(at, 0, [name, record]));
  return all.size > RECORDS_PER_ENTRY ? withinLimit(all, record) : all;
}

function withinLimit(
  all: ReadonlyMap<string, ObjectRecord>,
  newest: ObjectRecord,
): Map<string, ObjectRecord> {
  const records = new Map(all);
  for (const oldest of all.keys()) {
    if (records.size <= RECORDS_PER_ENTRY) break;
    // variants that a stranger names must not displace what all others read, unless that was hidden by what goes
    if (oldest !== PLAIN_NAME) records.delete(oldest);
  }
  forgetHidden(all, records, newest);
  return records;
}

/** The distinct contents that the records of `entry` refer to. */
export function generationsOf({ records }: Entry): readonly Generation[] {
  const generations: Generation[] = [];
  for (const record of records.values()) {
    if (record.kind !== 'readable' || !(record.content instanceof Generation)) continue;
    if (!generations.includes(record.content)) generations.push(record.content);
  }
  return generations;
}

/** Those of `contents` that are not among `others`. */
export function without(
  contents: readonly Generation[],
  others: readonly Generation[],
): readonly Generation[] {
  return contents.filter(content => !others.includes(content));
}

/** The bytes held of these contents. */
function heldBytesOf(entry: Entry): number {
  let heldBytes = 0;
  for (const generation of generationsOf(entry)) heldBytes += generation.heldBytes;
  return heldBytes;
}

export function knownOf(entry: Entry): KnownObject {
  const { text } = entry.objectKey;
  return { text, tagSlots: tagSlotsOfAll(entry.records), heldBytes: heldBytesOf(entry) };
}

/** The tags of all records: versions and variants are one object. */
export function tagSlotsOfAll(records: ReadonlyMap<string, ObjectRecord>): readonly number[] {
  let first: readonly number[] = [];
  let all: Set<number> | undefined;
  for (const { tagSlots } of records.values()) {
    if (first.length === 0) first = tagSlots;
    else if (tagSlots.length > 0 && tagSlots !== first) {
      all ??= new Set(first);
      for (const slot of tagSlots) all.add(slot);
    }
  }
  return all ? [...all] : first;
}

/** Estimated heap cost of an entry and everything it refers to; a content shared by several records counts once. */
export function entryCostBytes(entry: Entry): number {
  const { objectKey, records } = entry;
  let cost = 400 + 4 * objectKey.text.length;
  for (const generation of generationsOf(entry)) cost += generation.costBytes;
  for (const [name, record] of records) cost += costOf(name, record);
  return cost;
}

/**
 * What is packed of `entry`: of many records those that were used last, the one for whoever names nothing, and those that alone
 * refer to many bytes, as of a version. Each hit of an object that was packed costs reading and writing all of them, and clients
 * choose how many there are, and how long.
 */
export function worthPacking(entry: Entry): Entry {
  if (entry.records.size <= UNORDERED_RECORDS) return entry;
  const records = new Map(entry.records);
  const contents = new Set<unknown>();
  let laterBytes = 0;
  for (const [name, record] of [...records].reverse()) {
    if (name === PLAIN_NAME) continue;
    const costBytes = costOf(name, record);
    const content = record.kind === 'readable' ? record.content : undefined;
    const aloneBytes = content instanceof Generation && !contents.has(content) ? content.heldBytes : 0;
    if (laterBytes >= PACKED_RECORDS_BYTES && aloneBytes < MANY_TIMES * costBytes) records.delete(name);
    else contents.add(content);
    laterBytes += costBytes;
  }
  if (records.size === entry.records.size) return entry;
  forgetHidden(entry.records, records);
  return { ...entry, records };
}

/** Retires the contents of `entry` that `packed`, which is what stays of it, does not have. */
export function retireSurplus(entry: Entry, packed: Entry): void {
  retire(without(generationsOf(entry), generationsOf(packed)));
}

export function retire(generations: Iterable<Generation>): void {
  for (const generation of generations) generation.retire();
}

/** Estimated heap cost of a record and its name. */
function costOf(name: string, record: ObjectRecord): number {
  return 2 * name.length + recordCostBytes(record);
}

/** Whether nothing of an entry is in use. @param generations all its contents */
export function isPackable({ records }: Entry, generations: readonly Generation[]): boolean {
  for (const record of records.values())
    if (record.kind === 'readable' && !(record.content instanceof Generation)) return false;
  return generations.every(({ isIdle }) => isIdle);
}
