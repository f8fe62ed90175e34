import { type Entry, useRecord } from '../../cache/entry.ts';
import { NO_EPOCH } from '../../cache/epochs.ts';
import { freshUntilMs } from '../../cache/freshness.ts';
import { Generation } from '../../cache/generation.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import { heldTagsOf } from '../../cache/held-tags.ts';
import { hiddenBy, type NamedRecord } from '../../cache/hidden-answers.ts';
import { isMoreRecent } from '../../cache/most-recent.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { Asked, Asking, ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { hasMoved } from '../request/bucket.ts';
import type { Forwarded } from '../request/cache-status.ts';
import { isPart, withoutRange } from './asked-range.ts';
import type { WebCache } from './filling-cache.ts';
import { type Made, overtakes, rememberDating, tellsOfServer } from './made-answer.ts';
import { isGivenBefore, latestOf, selectedOf } from './selected-record.ts';
import { holdsAll, isComplete } from './stale-answers.ts';
import { type AnswerTimes, type ArrivedHead, tagSlotsOfAnswer } from './stored-answer.ts';
import { surplusOf } from './surplus-records.ts';
import { UnfinishedNames } from './unfinished-names.ts';
import { varyListsOf } from './vary-lists.ts';
import type { WebContentRead, WebRead } from './web-read.ts';
import type { WebBucket } from './web-target.ts';

/** One answer says so much of other ones at most. */
const GROUPS_PER_ANSWER = 128;

/** What the stored answers of one name are looked up by. */
export interface AnswerName {
  readonly bucket: WebBucket;
  readonly target: { readonly key: ObjectKey };
}

/** The stored answers of web origins in one worker. */
export class WebRecords {
  readonly #cache: WebCache;
  readonly #partsReadAgain = new WeakSet<ReadableRecord>();
  readonly unfinished = new UnfinishedNames();

  constructor(cache: WebCache) {
    this.#cache = cache;
  }

  /** The answer that is the most recent of those that the request selects, fresh or stale, whose bytes can be had. */
  find(read: WebRead): ReadableRecord | undefined {
    const entry = this.#entryOf(read);
    if (!entry) return undefined;
    const epoch = this.#cache.epochs.current(read.target.key);
    const selected = selectedOf(entry.records, read, epoch);
    if (!selected) return undefined;
    useRecord(entry, selected.name);
    if (isPart(selected.record)) this.#partsReadAgain.add(selected.record);
    return selected.record;
  }

  /** Whether bytes of `record`, which was found before, cannot be had any more, or may be those of another answer by now. */
  hasGone(read: WebRead, record: ReadableRecord): boolean {
    return !holdsAll(record) && (!isComplete(record) || this.find(read)?.content !== record.content);
  }

  /** Why the origin is asked for `read`. @param held what is about the same, and no answer to it as it is */
  whyForwarded(read: WebRead, held: ReadableRecord | undefined, nowMs: number): Forwarded {
    if (held) return freshUntilMs(held, read.policy, nowMs) > nowMs ? 'request' : 'stale';
    const epoch = this.#cache.epochs.current(read.target.key);
    const records = this.#entryOf(read)?.records ?? new Map<string, ObjectRecord>();
    const own = new Set(varyListsOf(records).map(({ names }) => read.variantName(names)));
    for (const [name, record] of records)
      if (!own.has(name) && record.epoch === epoch && !isPartial(record)) return 'vary-miss';
    const known = [...own].flatMap(name => records.get(name) ?? []);
    if (known.some(record => record.epoch !== epoch)) return 'stale';
    // it is not asked about since bytes of it are missing
    return known.some(record => freshUntilMs(record, read.policy, nowMs) > nowMs) ? 'partial' : 'uri-miss';
  }

  /** What a record has to say of a request that is sent now. */
  askedNow(read: AnswerName): Asking {
    const { target, bucket } = read;
    const barrier = this.#cache.barriers.latest;
    // in this order, see `UnsettledKeys.add`
    const epoch = hasMoved(bucket) ? NO_EPOCH : this.#cache.epochs.current(target.key);
    const isUnsettled = this.#cache.unsettled.has(target.key);
    return { epoch, barrier, isUnsettled, heldTags: heldTagsOf(this.#entryOf(read)?.records) };
  }

  /**
   * Whether what was asked of the target then is what would be asked now: neither a change nor a purge came between.
   *
   * @param arrived what has come of it so far: which groups it is of, it says itself
   */
  isStillAsked({ target: { key } }: WebRead, asked: Asking, arrived?: ArrivedHead): boolean {
    const { barriers, epochs } = this.#cache;
    const { barrier } = asked;
    if (asked.epoch !== epochs.current(key) || barriers.mayConcern(key.text, barrier)) return false;
    if (barrier === barriers.latest) return true;
    const tagSlots = arrived ? tagSlotsOfAnswer(arrived.head.fields, arrived.times.groupSlots) : [];
    return !barriers.concernsTags([...asked.heldTags, tagSlots], barrier);
  }

  /** What the last answer varies by that is held of a name, fresh or not, whichever range it is of. */
  varyOf(read: AnswerName): readonly string[] {
    const entry = this.#entryOf(read);
    const lists = entry ? varyListsOf(entry.records) : [];
    return withoutRange(lists.at(-1)?.names ?? []);
  }

  /** All that any of the answers varies by that are held of a name. */
  selectorsOf(read: AnswerName): readonly string[] {
    const lists = varyListsOf(this.#entryOf(read)?.records ?? new Map());
    return withoutRange(lists.flatMap(({ names }) => names));
  }

  /**
   * Stores `record`, unless the epoch was raised or it was purged since the origin was asked, or it is overtaken. What is held of the
   * name, or was then, is purged with its tags, too. An error of the server is stored where nothing better can be had; what can not is
   * forgotten then. Who selects it is given it from now on.
   */
  store(read: WebRead, record: ReadableRecord, { heldTags, ...dated }: Made): boolean {
    const { key } = read.target;
    const { epochs, barriers } = this.#cache;
    const heldNow = this.#entryOf(read)?.records;
    if (barriers.overtook(key.text, record, heldTags, heldNow) || record.epoch !== epochs.current(key))
      return false;
    const other = this.find(read);
    if (other && overtakes(other, dated)) return false;
    // it may be what has been found outdated since
    if (other?.staleFromMs !== undefined && other.staleFromMs > dated.requestedMs) return false;
    if (tellsOfServer(record)) {
      if (other && !tellsOfServer(other)) return false;
      const latest = heldNow && latestOf(heldNow, read, record.epoch)?.record;
      // its bytes cannot be had
      if (latest && !tellsOfServer(latest)) this.forget(read, latest);
    }
    const name = read.variantName(record.answer?.vary ?? []);
    const before = heldNow?.get(name);
    rememberDating(record, dated);
    this.#cache.changes.raise(key);
    // a part that was read again is still one when it was fetched anew
    if (other && isPart(other) && isPart(record)) this.#partsReadAgain.add(record);
    this.#cache.table.put(key, name, record);
    // what it has hidden is older than it, and may be newer than what is in its place now
    if (before && isMoreRecent(before, record)) this.#forgetHidden(read, [[name, before]], record);
    this.#prefer(read, record);
    this.#forgetSurplus(key, name);
    return true;
  }

  /** What the origin answers now is used in the place of what is held, whatever its date is (RFC 9111 §4.3.3). */
  #prefer(read: WebRead, record: ReadableRecord): void {
    const records = this.#entryOf(read)?.records;
    const latest = records && latestOf(records, read, record.epoch)?.record;
    if (latest && isMoreRecent(latest, record)) this.forget(read, latest, record);
  }

  /** Stores `record` in the place of `before`, which the origin has confirmed; it may vary by other fields now. */
  renew(read: WebRead, before: ReadableRecord, record: ReadableRecord, made: Made): boolean {
    const isStored = this.store(read, record, made);
    // only now: a content is dropped with the last record that refers to it
    if (varyOf(before) !== varyOf(record)) this.forget(read, before, record);
    return isStored;
  }

  /**
   * `record` must not be used again, nor what it may have hidden from whomever: none of that is what the origin has now.
   *
   * @param renewed is used in any case
   */
  forget(read: AnswerName, record: ReadableRecord, renewed?: ReadableRecord): void {
    this.changed(read);
    const own = [...(this.#entryOf(read)?.records ?? [])].filter(([, held]) => held === record);
    for (const [name] of own) this.#cache.table.forget(read.target.key, name);
    this.#forgetHidden(read, own, renewed);
  }

  #forgetHidden(read: AnswerName, gone: readonly NamedRecord[], kept?: ReadableRecord): void {
    const records = this.#entryOf(read)?.records ?? new Map<string, ObjectRecord>();
    for (const name of hiddenBy(gone, records, kept)) this.#cache.table.forget(read.target.key, name);
  }

  /** The same where the origin has refused the rest of `record`: no part begins it again for a while. */
  forgetUnfinished(read: AnswerName, record: ReadableRecord, nowMs: number): void {
    this.unfinished.refused(read.target.key, nowMs);
    this.forget(read, record);
  }

  /** `record` is not served stale until the origin confirms it. */
  withdraw(read: AnswerName, record: ReadableRecord): void {
    if (!record.isWithdrawn) this.#replace(read, record, { ...record, isWithdrawn: true });
  }

  /** `record` is not served at all until the origin confirms it. */
  outdate(read: AnswerName, record: ReadableRecord, nowMs: number): void {
    this.#replace(read, record, { ...record, isWithdrawn: true, staleFromMs: nowMs });
  }

  #replace(read: AnswerName, before: ReadableRecord, record: ReadableRecord): void {
    this.changed(read);
    for (const [name, held] of this.#entryOf(read)?.records ?? [])
      if (held === before) this.#cache.table.put(read.target.key, name, record);
  }

  /** Records with the content of this number must not be used again. */
  forgetContent(asked: AnswerName, contentId: number, nowMs: number): void {
    for (const record of this.#entryOf(asked)?.records.values() ?? [])
      if (record.kind === 'readable' && record.content instanceof Generation)
        if (record.content.contentId === contentId) this.forgetUnfinished(asked, record, nowMs);
  }

  /** Whether it is given before all that vary otherwise: else those may be what some get whom `record` answers, too. */
  isGivenFirst({ target }: AnswerName, record: ReadableRecord): boolean {
    const vary = varyOf(record);
    const { records } = this.#cache.table.get(target.key) ?? { records: new Map<string, ObjectRecord>() };
    if (varyListsOf(records).every(({ names }) => names.join() === vary)) return true;
    const isBeforeOrAlike = (other: ObjectRecord) =>
      other.kind !== 'readable' || varyOf(other) === vary || isGivenBefore(record, other);
    return [...records.values()].every(isBeforeOrAlike);
  }

  #forgetSurplus(key: ObjectKey, newest: string): void {
    const { table } = this.#cache;
    const records = table.peek(key)?.records;
    if (!records) return;
    const isReadAgain = (record: ReadableRecord) => this.#partsReadAgain.has(record);
    for (const name of surplusOf(records, newest, isReadAgain)) table.forget(key, name);
  }

  /** Of the name, see `NameChanges`. */
  changesOf({ target }: AnswerName): number {
    return this.#cache.changes.count(target.key);
  }

  /** Other workers do not use any more what they were told of the name. */
  changed({ target }: AnswerName): void {
    this.#cache.changes.raise(target.key);
  }

  /**
   * What is held of the content that the origin has just named by a strong tag, or a new one: bytes from before a write or a purge
   * are none of what was learned after it, and a reload may have led the name to something else.
   */
  contentOf(
    read: WebRead,
    asked: WebContentRead,
    identity: GenerationIdentity,
    { epoch, barrier }: Asked,
    tagSlots: readonly number[],
  ): Generation {
    const { key } = read.target;
    const isPurged = this.#cache.barriers.removes(key.text, tagSlots, barrier);
    const isCurrent = !isPurged && epoch === this.#cache.epochs.current(key);
    const entry = isCurrent ? this.#entryOf(read) : undefined;
    for (const record of entry?.records.values() ?? [])
      if (record.kind === 'readable' && record.epoch === epoch && record.content instanceof Generation) {
        const known = record.content.identity;
        const isSame = known.entityTag === identity.entityTag && known.sizeBytes === identity.sizeBytes;
        if (isSame && known.contentEncoding === identity.contentEncoding) return record.content;
      }
    return this.#cache.create(asked, identity);
  }

  /** Everything learned of the target so far is not used any more (RFC 9111 §4.4). */
  invalidate(key: Pick<ObjectKey, 'keySlot'>): void {
    this.#cache.epochs.raise(key.keySlot);
  }

  /** The same of all that the origin has put into one of these groups (RFC 9875 §3). */
  invalidateGroups(groups: readonly string[], { groupSlots, receivedMs }: AnswerTimes): void {
    if (groups.length === 0) return;
    const slots = groups.slice(0, GROUPS_PER_ANSWER).map(groupSlots);
    this.#cache.barriers.raise({ kind: 'groups', slots }, 'hard', receivedMs);
  }

  /** Nobody knows what has become of a request that may have changed the target. */
  unsettle(key: Pick<ObjectKey, 'keySlot'>): void {
    this.#cache.unsettled.add(key.keySlot);
  }

  #entryOf({ target, bucket }: AnswerName): Entry | undefined {
    return this.#cache.table.get(target.key) ?? this.#cache.revive({ bucket, objectKey: target.key });
  }
}

function isPartial(record: ObjectRecord): boolean {
  return record.kind === 'readable' && isPart(record);
}

/** The fields that select an answer, as one text. */
function varyOf({ answer }: ReadableRecord): string | undefined {
  return answer?.vary.join();
}
