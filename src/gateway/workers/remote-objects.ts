import { LRUCache } from 'lru-cache';
import type { WholeReply } from '../../backend/store.ts';
import type { Epochs } from '../../cache/epochs.ts';
import type { PurgeBarriers } from '../../cache/purge-barriers.ts';
import { type ObjectRecord, recordCostBytes } from '../../cache/record.ts';
import type { SlotTexts, ToldPlace } from '../../cache/slot-texts.ts';
import { OwnerLostError, RefusedByStoreError } from '../fill/fill-error.ts';
import type { Asker, LookupResult, ObjectSource } from '../read/object-source.ts';
import { type RecordIndex, storedRecordName } from '../read/record-cache.ts';
import { isRefusalOfObject } from '../read/reply-record.ts';
import { withdrawsObject } from '../read/store-failure.ts';
import { hasMoved } from '../request/bucket.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { Invalidations } from './invalidations.ts';
import type { WireContent, WireLookupResult, WireObject, WireRead } from './messages.ts';
import { RemoteContent, type RemoteMemory } from './remote-content.ts';
import { ToldObject } from './told-object.ts';
import { toldRecords } from './told-records.ts';

/** A cache value: replaced by a new one each time what is known has grown, so that its size is recalculated. */
interface Kept {
  readonly told: ToldObject;
}

/** Estimated heap cost of a cached remote record and everything it refers to. */
export function remoteCostBytes(record: ObjectRecord): number {
  const isNear = record.kind === 'readable' && record.content instanceof RemoteContent;
  return recordCostBytes(record) + (isNear ? record.content.costBytes : 0);
}

/**
 * The objects owned by one other worker: reads what that tells of them, and asks it for everything else. Records are kept here,
 * without bytes, as long as that is told.
 */
export class RemoteObjects implements ObjectSource, RecordIndex {
  readonly #memory: RemoteMemory;
  readonly #own: ObjectSource;
  readonly #epochs: Epochs;
  readonly #barriers: PurgeBarriers;
  readonly #texts: SlotTexts;
  /** By `ObjectKey.text`. */
  readonly #objects: LRUCache<string, Kept>;
  /** Questions that the owner was asked: each has a number. */
  #asked = 0;

  /**
   * @param texts what the owner tells
   * @param own this worker's own look-up, used while the owner has ended or is blocked
   * @param recordBytes heap limit for the cached records
   */
  constructor(
    memory: RemoteMemory,
    texts: SlotTexts,
    own: ObjectSource,
    { epochs, barriers }: Invalidations,
    recordBytes: number,
  ) {
    this.#memory = memory;
    this.#texts = texts;
    this.#own = own;
    this.#epochs = epochs;
    this.#barriers = barriers;
    this.#objects = new LRUCache({ maxSize: recordBytes, sizeCalculation: ({ told }) => told.costBytes });
  }

  /** Estimated heap cost of the records. */
  get costBytes(): number {
    return this.#objects.calculatedSize;
  }

  /** The same, and of how many objects they are. */
  get use() {
    return { bytes: this.costBytes, count: this.#objects.size };
  }

  get records(): RecordIndex {
    return this;
  }

  recordNamed(read: ObjectRead, name: string): ObjectRecord | undefined {
    const told = this.#toldOf(read);
    const record = told?.record(name, this.#barriers);
    // what has a block is counted when that is read
    if (record && told?.from?.isBare) this.#memory.pins.visit(told.from.slot);
    return record;
  }

  /** What the owner tells of the object now. */
  #toldOf(read: ObjectRead): ToldObject | undefined {
    const before = this.#objects.get(read.objectKey.text)?.told;
    return before?.from && this.#texts.isStillTold(before.from) ? before : this.#readTold(read, before);
  }

  /** The same, read anew. A content of which something was told before is the same one. */
  #readTold(read: ObjectRead, before: ToldObject | undefined): ToldObject | undefined {
    const { text } = read.objectKey;
    const found = this.#texts.getTold(text);
    if (!found) return undefined;
    const { slot, tag, mark, head } = found;
    const contents: RemoteContent[] = [];
    const records = toldRecords(found, wire => {
      const content = this.#contentOf(read, wire, before);
      contents.push(content);
      return content;
    });
    const from = { slot, tag, mark, isBare: head.block === undefined };
    const told = new ToldObject(text, from, records, contents, head.barrier, before);
    this.#objects.set(text, { told });
    return told;
  }

  #contentOf(read: ObjectRead, wire: WireContent, before: ToldObject | undefined): RemoteContent {
    const known = before?.content(wire.contentId);
    known?.learn(wire);
    const grew = () => this.#grew(read.objectKey.text);
    // a content keeps all that these name, and so not `read`
    return known ?? new RemoteContent(wire, this.#memory, encodeObject(read), grew);
  }

  /** What is told of `content` under the name of `read` is not used until its owner has answered a later question. */
  #void(read: ObjectRead, content: RemoteContent): void {
    this.#toldOf(read)?.void(read.recordName, content.contentId, this.#asked);
  }

  epochOf({ objectKey }: ObjectRead): number {
    return this.#epochs.current(objectKey);
  }

  async find(read: ObjectRead, withChecksums = false, asker?: Asker): Promise<LookupResult> {
    const { gone, client = '' } = asker ?? {};
    gone?.throwIfAborted();
    const { link } = this.#memory;
    const number = ++this.#asked;
    const leave = () => link.notify('left', number);
    gone?.addEventListener('abort', leave);
    try {
      const asked = { number, read: encodeRead(read), withChecksums, client };
      // a late answer can be ignored: the record can be asked for again
      return this.#decode(read, await link.call('find', asked, ignoreResult), number);
    } catch (error) {
      if (!(error instanceof OwnerLostError)) throw error;
      leave();
    } finally {
      gone?.removeEventListener('abort', leave);
    }
    return this.#findInstead(read, withChecksums, asker);
  }

  /**
   * In place of the owner. It may have learned that the store refuses the object, so nothing stale is served here; and it is
   * told of what is refused here, since it may only be blocked.
   */
  async #findInstead(
    read: ObjectRead,
    withChecksums: boolean,
    asker: Asker | undefined,
  ): Promise<LookupResult> {
    const policy = { ...read.policy, staleWhileRevalidateMs: 0, staleIfErrorMs: 0, maxStaleMs: 0 };
    try {
      const found = await this.#own.find({ ...read, policy }, withChecksums, asker);
      if (found.record.kind === 'refused') this.#withdraw(read, true);
      return found;
    } catch (error) {
      if (error instanceof RefusedByStoreError) this.#refusedInstead(read, error.reply);
      throw error;
    }
  }

  #refusedInstead(read: ObjectRead, reply: WholeReply): void {
    if (withdrawsObject(reply.status)) this.#withdraw(read, isRefusalOfObject(reply));
  }

  /** @param mayBeGone see `PeerNotices.withdraw` */
  #withdraw(read: ObjectRead, mayBeGone: boolean): void {
    if (hasMoved(read.bucket)) return;
    const known = mayBeGone ? this.recordNamed(read, read.recordName) : undefined;
    if (known?.kind === 'readable' && known.content instanceof RemoteContent) this.#void(read, known.content);
    this.#memory.link.notify('withdraw', { read: encodeRead(read), mayBeGone });
  }

  invalidate(read: ObjectRead, record: ObjectRecord): void {
    if (record.kind !== 'readable' || !(record.content instanceof RemoteContent)) {
      this.#own.invalidate(read, record);
      return;
    }
    this.#void(read, record.content);
    this.#memory.link.notify('invalidate', { read: encodeRead(read), contentId: record.content.contentId });
  }

  refusedByStore(read: ObjectRead, record: ObjectRecord, reply: WholeReply): void {
    if (record.kind !== 'readable' || !(record.content instanceof RemoteContent)) {
      this.#own.refusedByStore(read, record, reply);
      this.#refusedInstead(read, reply);
      return;
    }
    const { content, epoch, receivedMs } = record;
    // what is known here does not hold any more: the owner asks
    if (withdrawsObject(reply.status)) this.#void(read, record.content);
    const refusal = { read: encodeRead(read), contentId: content.contentId, epoch, receivedMs, reply };
    this.#memory.link.notify('refusedByStore', refusal);
  }

  /** The answer to question `number`: it is for the one who has asked, unless it holds as long as what was told with it. */
  #decode(read: ObjectRead, { told: place, ...found }: WireLookupResult, number: number): LookupResult {
    const { text } = read.objectKey;
    const told = this.#toldOf(read);
    told?.answered(read.recordName, number);
    const record = this.#decodeRecord(read, found.record, told ?? this.#objects.peek(text)?.told);
    if (place && told?.from && isSamePlace(place, told.from)) {
      told.learn(storedRecordName(read, record), record, this.#barriers);
      this.#grew(text);
    }
    return { ...found, record };
  }

  /** The record with a content that can be read here. Where its blocks are is remembered, whether it is told or not. */
  #decodeRecord(
    read: ObjectRead,
    record: WireLookupResult['record'],
    known: ToldObject | undefined,
  ): ObjectRecord {
    if (record.kind === 'uncacheable') return record;
    if (record.kind === 'refused') return { ...record, body: Buffer.from(record.body) };
    const content = this.#contentOf(read, record.content, known);
    if (known?.content(content.contentId) === undefined) this.#remember(read, content, known);
    return { ...record, content };
  }

  #remember(
    { objectKey: { text } }: ObjectRead,
    content: RemoteContent,
    known: ToldObject | undefined,
  ): void {
    const told = known ?? new ToldObject(text, undefined, new Map(), [], this.#barriers.latest);
    told.add(content);
    this.#objects.set(text, { told });
  }

  #grew(text: string): void {
    const kept = this.#objects.peek(text);
    if (kept) this.#objects.set(text, { ...kept });
  }
}

function isSamePlace(one: ToldPlace, other: ToldPlace): boolean {
  return one.slot === other.slot && one.tag === other.tag && one.mark === other.mark;
}

function encodeObject({ bucket, objectKey }: ObjectRead): WireObject {
  return { bucketName: bucket.name, objectKey };
}

function encodeRead({ bucket, ...read }: ObjectRead): WireRead {
  return { ...read, bucketName: bucket.name };
}

function ignoreResult(): void {}
