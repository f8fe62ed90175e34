import {
  type BarrierKind,
  type BarrierPlace,
  BarrierTable,
  barrierAt,
  type NotedBarrier,
  raiseTo,
} from './barrier-table.ts';
import { FNV_START, finished, withText, withUnit } from './fnv.ts';
import { heldTagsOf } from './held-tags.ts';
import { forgetHidden } from './hidden-answers.ts';
import { bucketText, type KeyRange, type ObjectKey, partsOfText } from './object-key.ts';
import type { HeldTags, ObjectRecord } from './record.ts';
import { ANY_TAG_SLOT, TAG_SLOTS } from './tag-slots.ts';

/** What a barrier is raised for. An empty prefix is a whole bucket. */
export type BarrierScope =
  | { readonly kind: 'key'; readonly objectKey: Pick<ObjectKey, 'text'> }
  | { readonly kind: 'range'; readonly range: KeyRange }
  | { readonly kind: 'tag'; readonly slot: number }
  /** Without the objects of which not every tag is known: who raises it speaks for one origin alone. See `WebSlots.groupSlot`. */
  | { readonly kind: 'groups'; readonly slots: readonly number[] };

const NAME_SLOTS = 65_536;

/** Of longer prefixes so much counts, so that a purge may concern more than it names. */
const MAX_PREFIX_LENGTH = 2_048;

/** Where the latest barrier is noted that is for one key, behind those for prefixes of each length. */
const WHOLE_KEY = MAX_PREFIX_LENGTH + 1;

/** Ends what is hashed of a whole key: no unit of a text, so that no prefix is the same. */
const END_OF_KEY = 0x10000;

/** Positions of counters: the barriers that were begun, and those that stand. */
const BEGUN = 0;
const STANDING = 1;

/** The memory that all threads share, see `PurgeBarriers`. */
export interface BarrierMemory {
  readonly counters: SharedArrayBuffer;
  /** BigInt64 per length of a prefix: the latest barrier that is for one. */
  readonly lengths: SharedArrayBuffer;
  readonly names: SharedArrayBuffer;
  /** For tags, and behind these for groups of web origins. */
  readonly tags: SharedArrayBuffer;
}

export function allocateBarriers(groupSlots: number): BarrierMemory {
  const int64 = (length: number) => new SharedArrayBuffer(length * BigInt64Array.BYTES_PER_ELEMENT);
  return {
    counters: int64(2),
    lengths: int64(WHOLE_KEY + 1),
    names: new SharedArrayBuffer(BarrierTable.bytes(NAME_SLOTS)),
    tags: new SharedArrayBuffer(BarrierTable.bytes(TAG_SLOTS + groupSlots)),
  };
}

/**
 * The purges so far. Each raises a barrier with the next number; a record says which was the latest when the store was asked
 * for it, and every later one that is for its key, a prefix of it, its bucket or one of its tags concerns it. So a purge
 * takes effect in all threads at once and costs the same whatever they hold (docs/architecture.md, law 5).
 *
 * Barriers are noted by hash. Nothing is gained by a name that is chosen to collide: it is an object of whoever chose it that is
 * asked for again. Groups are named by who raises the barrier, and each web origin has slots of its own for them.
 */
export class PurgeBarriers {
  readonly #counters: BigInt64Array;
  readonly #lengths: BigInt64Array;
  readonly #names: BarrierTable;
  readonly #tags: BarrierTable;

  constructor({ barriers }: { readonly barriers: BarrierMemory }) {
    this.#counters = new BigInt64Array(barriers.counters);
    this.#lengths = new BigInt64Array(barriers.lengths);
    this.#names = new BarrierTable(barriers.names, NAME_SLOTS);
    this.#tags = new BarrierTable(barriers.tags, barriers.tags.byteLength / BarrierTable.bytes(1));
  }

  /** The latest barrier: what the store is asked now, is asked after it. */
  get latest(): number {
    return barrierAt(this.#counters, BEGUN);
  }

  /** The latest barrier, if all up to it can be seen; undefined while another thread raises one. */
  get standing(): number | undefined {
    // in this order: what was begun later must not count as standing
    const standing = barrierAt(this.#counters, STANDING);
    return standing === this.latest ? standing : undefined;
  }

  /** When this returns, every thread takes what was learned before for purged. */
  raise(scope: BarrierScope, kind: BarrierKind, nowMs: number): void {
    const barrier = Number(Atomics.add(this.#counters, BEGUN, 1n)) + 1;
    if (scope.kind === 'tag' || scope.kind === 'groups') {
      const slots = scope.kind === 'tag' ? [scope.slot, ANY_TAG_SLOT] : scope.slots;
      for (const slot of slots) this.#tags.raise(tagPlace(slot), barrier, kind, nowMs);
    } else {
      const { hash, length } = scope.kind === 'key' ? wholeKey(scope.objectKey) : prefixOf(scope.range);
      this.#names.raise(placeOf(hash), barrier, kind, nowMs);
      raiseTo(this.#lengths, length, barrier);
    }
    Atomics.add(this.#counters, STANDING, 1n);
  }

  /**
   * `record` of the object as it stands after all barriers: itself where none concerns it that it does not know of, undefined
   * where it was purged.
   *
   * @param text `ObjectKey.text`
   */
  applied<Kind extends ObjectRecord>(text: string, record: Kind): Kind | undefined {
    const limitMs = this.#limitMs(text, record.tagSlots, record.barrier);
    if (limitMs >= (record.staleFromMs ?? Infinity)) return record;
    return limitMs === -Infinity ? undefined : { ...record, staleFromMs: limitMs };
  }

  /** What is left of these records of the object after all barriers; undefined where that is each of them as it is. */
  appliedToAll<Kind extends ObjectRecord>(
    text: string,
    records: ReadonlyMap<string, Kind>,
  ): Map<string, Kind> | undefined {
    const left = new Map<string, Kind>();
    let isSame = true;
    for (const [name, record] of records) {
      const applied = this.applied(text, record);
      if (applied) left.set(name, applied);
      if (applied !== record) isSame = false;
    }
    if (left.size < records.size) forgetHidden(records, left);
    return isSame ? undefined : left;
  }

  /** Whether a barrier since `since` removes an object with these tags. */
  removes(text: string, tagSlots: readonly number[], since: number): boolean {
    return this.#limitMs(text, tagSlots, since) === -Infinity;
  }

  /** Whether a barrier since `since` is for a tag of one of these, be it that what has it is served stale from then on. */
  concernsTags(held: HeldTags, since: number): boolean {
    return since !== this.latest && held.some(slots => this.#limitOfTagsMs(slots, since) !== Infinity);
  }

  /**
   * Whether an answer was purged after it was asked for: by its name, by its own tags, or by those of what is or was held of its
   * object, whatever it is tagged with.
   */
  overtook(
    text: string,
    { tagSlots, barrier }: Pick<ObjectRecord, 'tagSlots' | 'barrier'>,
    heldTags: HeldTags,
    heldNow: ReadonlyMap<string, ObjectRecord> | undefined,
  ): boolean {
    if (barrier === this.latest) return false;
    if (this.removes(text, tagSlots, barrier)) return true;
    return this.concernsTags([...heldTags, ...heldTagsOf(heldNow)], barrier);
  }

  /** Whether an answer that was asked for after barrier `since` may be concerned by a later one: its tags are not known. */
  mayConcern(text: string, since: number): boolean {
    return since !== this.latest && this.#limitMs(text, [ANY_TAG_SLOT], since) !== Infinity;
  }

  #limitMs(text: string, tagSlots: readonly number[], since: number): number {
    return Math.min(this.#limitOfNameMs(text, since), this.#limitOfTagsMs(tagSlots, since));
  }

  #limitOfTagsMs(tagSlots: readonly number[], since: number): number {
    let limitMs = Infinity;
    for (const slot of tagSlots) limitMs = Math.min(limitMs, this.#tags.limitMs(tagPlace(slot), since));
    return limitMs;
  }

  /** The latest barriers that are for the object, or for one of its tags. @param text `ObjectKey.text` */
  notedFor(text: string, tagSlots: readonly number[]): NotedPurge[] {
    const noted: NotedPurge[] = [];
    const { keyStart } = partsOfText(text);
    this.#eachName(text, 0, (length, of) => {
      const scope = length === WHOLE_KEY ? 'key' : length === 0 ? 'bucket' : 'prefix';
      const name = scope === 'prefix' ? text.slice(keyStart, keyStart + length) : undefined;
      for (const barrier of this.#names.noted(placeOf(of))) noted.push({ scope, name, ...barrier });
    });
    for (const slot of tagSlots)
      for (const barrier of this.#tags.noted(tagPlace(slot)))
        noted.push({ scope: 'tag', name: undefined, ...barrier });
    return noted.sort((one, other) => one.number - other.number);
  }

  #limitOfNameMs(text: string, since: number): number {
    let limitMs = Infinity;
    this.#eachName(text, since, (_length, of) => {
      limitMs = Math.min(limitMs, this.#names.limitMs(placeOf(of), since));
    });
    return limitMs;
  }

  /** Calls `told` with the hash of each of the object's names that has a length for which there is a later barrier. */
  #eachName(text: string, since: number, told: (length: number, hash: number) => void): void {
    const { bucketEnd, keyStart } = partsOfText(text);
    let hash = withText(FNV_START, text.slice(0, bucketEnd));
    const note = (length: number, of: number) => {
      if (barrierAt(this.#lengths, length) > since) told(length, of);
    };
    note(0, hash);
    for (let at = keyStart; at < text.length; at++) {
      hash = withUnit(hash, text.charCodeAt(at));
      const length = at + 1 - keyStart;
      if (length <= MAX_PREFIX_LENGTH) note(length, hash);
    }
    note(WHOLE_KEY, withUnit(hash, END_OF_KEY));
  }
}

/** A barrier as it concerns one object. */
export interface NotedPurge extends NotedBarrier {
  readonly scope: 'bucket' | 'prefix' | 'key' | 'tag';
  /** The prefix. */
  readonly name: string | undefined;
}

interface Noted {
  readonly hash: number;
  /** Where in `lengths`. */
  readonly length: number;
}

function prefixOf({ keyPrefix, ...bucket }: KeyRange): Noted {
  const prefix = keyPrefix.slice(0, MAX_PREFIX_LENGTH);
  return { hash: withText(FNV_START, bucketText(bucket) + prefix), length: prefix.length };
}

function wholeKey({ text }: Pick<ObjectKey, 'text'>): Noted {
  const { bucketEnd, keyStart } = partsOfText(text);
  const hash = withText(FNV_START, text.slice(0, bucketEnd) + text.slice(keyStart));
  return { hash: withUnit(hash, END_OF_KEY), length: WHOLE_KEY };
}

/** A key is looked up by each of its beginnings that has the length of a purged prefix, so a slot alone would be too little. */
function placeOf(hash: number): BarrierPlace {
  const mixed = finished(hash);
  return { slot: mixed % NAME_SLOTS, mark: 1 + (mixed >>> 16) };
}

/** Of its tags a record knows the slots alone. */
function tagPlace(slot: number): BarrierPlace {
  return { slot, mark: 1 };
}
