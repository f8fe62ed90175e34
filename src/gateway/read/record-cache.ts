import { type Entry, generationsOf, useRecord } from '../../cache/entry.ts';
import type { EntryTable } from '../../cache/entry-table.ts';
import { type Epochs, NO_EPOCH } from '../../cache/epochs.ts';
import { freshUntilMs } from '../../cache/freshness.ts';
import type { Generation } from '../../cache/generation.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import { heldTagsOf } from '../../cache/held-tags.ts';
import type { PurgeBarriers } from '../../cache/purge-barriers.ts';
import {
  type Asked,
  type Asking,
  getRecordName,
  isOfVersion,
  knowsPart,
  type ObjectRecord,
  type ReadableRecord,
} from '../../cache/record.ts';
import { isReusable } from '../../cache/reuse.ts';
import type { UnsettledKeys } from '../../cache/unsettled-keys.ts';
import { hasMoved } from '../request/bucket.ts';
import type { Forwarded } from '../request/cache-status.ts';
import type { ObjectRead } from '../request/object-read.ts';
import { AnswerOrder } from './answer-order.ts';
import { haveSameContent, isStillHeld } from './compared-records.ts';
import type { Question } from './question.ts';

/** Records kept in memory: those of this worker's objects, or those learned from the owner of others. */
export interface RecordIndex {
  /** The record kept under `name` for the object of `read`; the look-up counts as a use. */
  recordNamed(read: ObjectRead, name: string): ObjectRecord | undefined;
  /** The epoch that a valid record has. */
  epochOf(read: ObjectRead): number;
}

/** The valid record for `read`, fresh or stale. A record is valid as long as the epoch of its request is current. */
export function lookupRecord(index: RecordIndex, read: ObjectRead): ObjectRecord | undefined {
  const record = lookupAny(index, read);
  return record?.epoch === index.epochOf(read) ? record : undefined;
}

function lookupAny(index: RecordIndex, read: ObjectRead): ObjectRecord | undefined {
  const record = index.recordNamed(read, read.recordName);
  if (read.method === 'HEAD' || record?.isUsableForGet) return record;
  return index.recordNamed(read, getRecordName(read.recordName));
}

/** The record that answers `read` at `nowMs` without a question to the store: a fresh one that the client takes. */
export function lookupFresh(index: RecordIndex, read: ObjectRead, nowMs: number): ObjectRecord | undefined {
  const record = lookupRecord(index, read);
  if (!record || isSmallEnough(record, read)) return undefined;
  // what is not kept is the store's own answer each time
  const directives = record.kind === 'uncacheable' ? undefined : read.directives;
  if (!isReusable(record, read.policy, directives, nowMs)) return undefined;
  const { partNumber } = read;
  return partNumber === undefined || knowsPart(record, partNumber) ? record : undefined;
}

/** Why `held` was no answer to `read`, although it is about the same. */
export function whyUnused(held: ObjectRecord, { policy, directives }: ObjectRead, nowMs: number): Forwarded {
  if (freshUntilMs(held, policy, nowMs) <= nowMs) return 'stale';
  return isReusable(held, policy, directives, nowMs) ? 'partial' : 'request';
}

/** Whether an answer is one to `read` as well: HEAD may answer differently from GET, and does not locate parts. */
export function answersRead(record: ObjectRecord, { method, partNumber }: ObjectRead): boolean {
  return (
    (method === 'HEAD' || record.isUsableForGet) &&
    (partNumber === undefined || knowsPart(record, partNumber))
  );
}

/** Whether `record` says that the object is too large for another bucket, and it is not for that of `read`. */
function isSmallEnough(record: ObjectRecord, { policy }: ObjectRead): boolean {
  return record.kind === 'uncacheable' && (record.tooLargeBytes ?? Infinity) <= policy.maxObjectSizeBytes;
}

/** The name under which `record` is kept: HEAD has another answer than GET for an archived object. */
export function storedRecordName(read: ObjectRead, record: ObjectRecord): string {
  return record.kind === 'refused' && record.status === 403
    ? getRecordName(read.recordName)
    : read.recordName;
}

/** A question to the store, as far as that decides whether its answer is kept. */
type Answered = Pick<Question, 'read' | 'heldTags' | 'number'>;

/** When the store was asked what it has refused. */
type Withdrawing = Pick<Asked, 'epoch'> & Partial<Pick<Question, 'number'>>;

/** What became of a record: a later question has been answered, or it must not be kept. */
type Storing = 'stored' | 'outdated' | 'unwanted';

/** The records of the objects that this worker owns. */
export class RecordCache implements RecordIndex {
  readonly #table: EntryTable;
  readonly #epochs: Epochs;
  readonly #barriers: PurgeBarriers;
  readonly #unsettled: UnsettledKeys;
  readonly #revive: (read: ObjectRead) => Entry | undefined;
  readonly #order = new AnswerOrder();

  /** @param revive the entry of an object, if it was packed */
  constructor(
    table: EntryTable,
    epochs: Epochs,
    barriers: PurgeBarriers,
    unsettled: UnsettledKeys,
    revive: (read: ObjectRead) => Entry | undefined,
  ) {
    this.#revive = revive;
    this.#table = table;
    this.#epochs = epochs;
    this.#barriers = barriers;
    this.#unsettled = unsettled;
  }

  /** The store is asked about `read` now: gives the number of the question, which ends with `answered`. */
  begin({ objectKey }: ObjectRead): number {
    return this.#order.begin(objectKey.text);
  }

  answered({ objectKey }: ObjectRead): void {
    this.#order.end(objectKey.text);
  }

  /** What a record has to say of a request that is sent now. */
  askedNow(read: ObjectRead): Asking {
    const { objectKey, bucket } = read;
    const barrier = this.#barriers.latest;
    // in this order, see `UnsettledKeys.add`
    const epoch = hasMoved(bucket) ? NO_EPOCH : this.#epochs.current(objectKey);
    const isUnsettled = this.#unsettled.has(objectKey);
    return { epoch, barrier, isUnsettled, heldTags: heldTagsOf(this.#entryOf(read)?.records) };
  }

  /** Whether what was asked of `read` then is what would be asked now: neither a write nor a purge came between. */
  isStillAsked(read: ObjectRead, { epoch, barrier }: Asked): boolean {
    return epoch === this.epochOf(read) && !this.#barriers.mayConcern(read.objectKey.text, barrier);
  }

  epochOf(read: ObjectRead): number {
    return this.#epochs.current(read.objectKey);
  }

  /** Why the store is asked about `read`, to which nothing that is held is an answer. */
  whyForwarded(read: ObjectRead, nowMs: number): Forwarded {
    const held = lookupRecord(this, read);
    if (held) return whyUnused(held, read, nowMs);
    for (const [name, { epoch }] of this.#entryOf(read)?.records ?? [])
      if (name !== read.recordName && epoch === this.epochOf(read) && isOfVersion(name, read.versionId))
        return 'vary-miss';
    return this.outdated(read) ? 'stale' : 'uri-miss';
  }

  /** The record that answered `read` until a write or an event told that the object may have changed. */
  outdated(read: ObjectRead): ObjectRecord | undefined {
    const record = lookupAny(this, read);
    return record?.epoch === this.epochOf(read) ? undefined : record;
  }

  recordNamed(read: ObjectRead, name: string): ObjectRecord | undefined {
    const entry = this.#entryOf(read);
    return entry && useRecord(entry, name);
  }

  /**
   * Stores `record`, unless a directive forbids it, or the epoch was raised or it was purged since the store was asked: by its own
   * tags, or by those of what is held or was held then; or a question has been answered that was asked later.
   */
  store({ read, heldTags, number }: Answered, record: ObjectRecord): Storing {
    const { mode, honourCacheControl } = read.policy;
    const { text } = read.objectKey;
    const mayKeep = mode !== 'bypass' && !(record.directives.noStore && honourCacheControl);
    const heldNow = this.#entryOf(read)?.records;
    const isPurged = this.#barriers.overtook(text, record, heldTags, heldNow);
    if (!mayKeep || isPurged || record.epoch !== this.epochOf(read)) return 'unwanted';
    const name = storedRecordName(read, record);
    if (this.#order.isOutdated(text, [name, getRecordName(read.recordName)], number)) return 'outdated';
    this.#order.learned(text, name, number);
    this.#table.put(read.objectKey, name, record);
    return 'stored';
  }

  /** Whether the store has refused what `record` is about in answer to a question that was asked later. */
  isRefusedSince(
    { read, number }: Pick<Answered, 'read' | 'number'>,
    { versionId }: ReadableRecord,
  ): boolean {
    return this.#order.isRefusedSince(read.objectKey.text, [read.versionId, versionId], number);
  }

  /**
   * The cached content, if the store has just said of `read` that it is this one, and neither a write nor a purge that removes
   * it has come since it was asked: bytes from before a purge are none of a content that was learned after it. From now on its
   * bytes are asked for as `read` was: by version, if one was.
   *
   * @param answer what the answer says of its tags, and when it was asked for
   */
  contentOf(
    read: ObjectRead,
    identity: GenerationIdentity,
    { epoch, barrier, tagSlots }: Pick<ObjectRecord, 'epoch' | 'barrier' | 'tagSlots'>,
  ): Generation | undefined {
    const entry = this.#entryOf(read);
    const isPurged = this.#barriers.removes(read.objectKey.text, tagSlots, barrier);
    if (!entry || isPurged || epoch !== this.epochOf(read)) return undefined;
    for (const generation of generationsOf(entry)) {
      if (!isSame(generation.identity, identity)) continue;
      // what is asked for as the current version is not to be had any more once that is another one
      const versionId = read.versionId ?? generation.asked?.versionId;
      generation.askAs({ versionId, requestPayer: read.variant.requestPayer });
      return generation;
    }
    return undefined;
  }

  /**
   * The store has refused `read`. What that is about as well is not served any more where the store fails: the records of the
   * object, or of the version that was read, and those that are still to come of what was asked before. Whom the reader expects to own the bucket, and who is to pay, may be the reason
   * for it, unless the store has agreed to that before.
   *
   * @param asked when it was asked: what was learned after a write that has come since, or by the rules of a later reload, stays
   * @param staleFromMs from when on the record of `read` itself is stale, whose next reader asks; undefined: as long as it is fresh it
   * stays so
   */
  withdraw(read: ObjectRead, asked?: Withdrawing, staleFromMs?: number): void {
    if (asked && asked.epoch !== this.epochOf(read)) return;
    const { objectKey, recordName, versionId, variant } = read;
    const records = this.#entryOf(read)?.records;
    const own = records?.get(recordName);
    const isPlain = variant.expectedBucketOwner === undefined && variant.requestPayer === undefined;
    if (!isPlain && own?.kind !== 'readable') return;
    this.#order.refused(objectKey.text, versionId, asked?.number);
    for (const [name, record] of records ?? []) {
      const isOfVersion = record.kind === 'readable' && record.versionId === versionId;
      // the store has said that since
      if (this.#order.isLearnedSince(objectKey.text, name, asked?.number)) continue;
      const isStale = record === own && staleFromMs !== undefined;
      if (versionId === undefined || record === own || isOfVersion)
        this.#table.put(objectKey, name, { ...record, isWithdrawn: true, ...(isStale && { staleFromMs }) });
    }
  }

  /** Whether `record` is still what is known of `read`. */
  isCurrent(read: ObjectRead, record: ObjectRecord): boolean {
    return isStillHeld(lookupRecord(this, read), record);
  }

  /**
   * Removes `record`, which is outdated, and all others of its content: its bytes are asked for as by the read that came first,
   * which the store may answer differently by now, even where another record is of a version that never changes.
   */
  remove(read: ObjectRead, record: ObjectRecord): void {
    const records = this.#entryOf(read)?.records;
    const outdated = records && [...records.values()].find(held => isStillHeld(held, record));
    if (!records || !outdated) return;
    for (const [name, held] of records)
      if (held === outdated || haveSameContent(held, outdated)) this.#table.forget(read.objectKey, name);
  }

  #entryOf(read: ObjectRead): Entry | undefined {
    return this.#table.get(read.objectKey) ?? this.#revive(read);
  }
}

function isSame(one: GenerationIdentity, other: GenerationIdentity): boolean {
  return (
    one.entityTag === other.entityTag &&
    one.sizeBytes === other.sizeBytes &&
    one.versionId === other.versionId &&
    one.contentEncoding === other.contentEncoding
  );
}
