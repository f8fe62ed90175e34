import { LRUCache } from 'lru-cache';
import type { WholeReply } from '../../backend/store.ts';
import { PLAIN_NAME } from '../../cache/entry.ts';
import type { Epochs } from '../../cache/epochs.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { PurgeBarriers } from '../../cache/purge-barriers.ts';
import { type ObjectRecord, recordCostBytes } from '../../cache/record.ts';
import type { SlotTexts } from '../../cache/slot-texts.ts';
import { OwnerLostError, RefusedByStoreError } from '../fill/fill-error.ts';
import type { Asker, LookupResult, ObjectSource } from '../read/object-source.ts';
import type { RecordIndex } from '../read/record-cache.ts';
import { withdrawsObject } from '../read/store-failure.ts';
import { hasMoved } from '../request/bucket.ts';
import { type ObjectRead, recordId } from '../request/object-read.ts';
import type { Invalidations } from './invalidations.ts';
import type { WireContent, WireLookupResult, WireObject, WireRead } from './messages.ts';
import { RemoteContent, type RemoteMemory } from './remote-content.ts';
import { type ToldFrom, toldRecords } from './told-records.ts';

/**
 * A record that an owner tells: replaced by another one of these each time the content has grown, so that its size is recalculated.
 * What is no longer told does not hold any more, and stays for the places of its blocks.
 */
interface Kept {
  readonly objectKey: ObjectKey;
  readonly record: ObjectRecord;
  /** The barriers up to this one have been applied to the record. */
  barrier: number;
  readonly from: ToldFrom;
  /** All that are told of there. */
  readonly contents: readonly RemoteContent[];
  /** Whether it must not be used, although its owner may not know that yet. */
  readonly isVoid?: boolean;
}

/** Estimated heap cost of a cached remote record and everything it refers to. */
export function remoteCostBytes(record: ObjectRecord): number {
  const isNear = record.kind === 'readable' && record.content instanceof RemoteContent;
  return recordCostBytes(record) + (isNear ? record.content.costBytes : 0);
}

/**
 * The objects owned by one other worker: reads what that tells of them, and asks it for everything else. Of what is told records are
 * kept here, without bytes, as long as it is told; an answer is for the one who has asked.
 */
export class RemoteObjects implements ObjectSource, RecordIndex {
  readonly #memory: RemoteMemory;
  readonly #own: ObjectSource;
  readonly #epochs: Epochs;
  readonly #barriers: PurgeBarriers;
  readonly #texts: SlotTexts;
  readonly #records: LRUCache<string, Kept>;
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
    this.#records = new LRUCache({
      maxSize: recordBytes,
      sizeCalculation: ({ record }, name) => remoteCostBytes(record) + 2 * name.length,
    });
  }

  /** Estimated heap cost of the records. */
  get costBytes(): number {
    return this.#records.calculatedSize;
  }

  /** The same, and how many there are. */
  get use() {
    return { bytes: this.costBytes, count: this.#records.size };
  }

  get records(): RecordIndex {
    return this;
  }

  recordNamed(read: ObjectRead, name: string): ObjectRecord | undefined {
    const id = recordId(read, name);
    const known = this.#records.get(id);
    const kept = known && this.#texts.isStillTold(known.from) ? known : this.#told(read, id);
    if (!kept || kept.isVoid) return undefined;
    // what has a block is counted when that is read
    if (kept.from.isBare) this.#memory.pins.visit(kept.from.slot);
    return kept.barrier === this.#barriers.latest ? kept.record : this.#afterPurges(id, kept);
  }

  /** What the owner tells now, which is kept. A content of which something was told before is the same one. */
  #told(read: ObjectRead, id: string): Kept | undefined {
    const { objectKey } = read;
    const text = this.#texts.getTold(objectKey.text);
    if (!text) return undefined;
    const { slot, tag, mark, head } = text;
    const from = { slot, tag, mark, isBare: head.block === undefined };
    // those of a name that is not told are those of the object
    const known = this.#records.peek(id) ?? this.#records.peek(recordId(read, PLAIN_NAME));
    // a content keeps all that these name, and so not `read`
    const object = encodeObject(read);
    const ids: string[] = [];
    const grew = () => {
      for (const one of ids) this.#recalculateCost(one);
    };
    const contents: RemoteContent[] = [];
    const make = (told: WireContent) => {
      const same = known?.contents.find(({ contentId }) => contentId === told.contentId);
      same?.learn(told);
      const content = same ?? new RemoteContent(told, this.#memory, object, grew);
      contents.push(content);
      return content;
    };
    let kept: Kept | undefined;
    for (const [name, record] of toldRecords(text, make)) {
      const one = { objectKey, record, barrier: head.barrier, from, contents };
      const oneId = recordId(read, name);
      ids.push(oneId);
      this.#records.set(oneId, one);
      if (oneId === id) kept = one;
    }
    return kept;
  }

  /** What is told of `content` under the name of `read` is not used until its owner has answered a question. */
  #void(read: ObjectRead, content: RemoteContent): void {
    const id = recordId(read, read.recordName);
    const known = this.#records.peek(id);
    const kept = known && this.#texts.isStillTold(known.from) ? known : this.#told(read, id);
    const { record } = kept ?? {};
    if (!kept || record?.kind !== 'readable' || !(record.content instanceof RemoteContent)) return;
    if (record.content.contentId === content.contentId) this.#records.set(id, { ...kept, isVoid: true });
  }

  #afterPurges(id: string, kept: Kept): ObjectRecord | undefined {
    const { standing = kept.barrier } = this.#barriers;
    const { objectKey } = kept;
    const record = this.#barriers.applied(objectKey.text, kept.record);
    if (record === kept.record) kept.barrier = standing;
    else if (record) this.#records.set(id, { ...kept, record, barrier: standing });
    else this.#records.set(id, { ...kept, isVoid: true });
    return record;
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
      return this.#decode(read, await link.call('find', asked, ignoreResult));
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
      if (found.record.kind === 'refused') this.#withdraw(read);
      return found;
    } catch (error) {
      if (error instanceof RefusedByStoreError && withdrawsObject(error.reply.status)) this.#withdraw(read);
      throw error;
    }
  }

  #withdraw(read: ObjectRead): void {
    if (hasMoved(read.bucket)) return;
    this.#memory.link.notify('withdraw', encodeRead(read));
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
      if (withdrawsObject(reply.status)) this.#withdraw(read);
      return;
    }
    const { content, epoch, receivedMs } = record;
    // what is known here does not hold any more: the owner has the refusal, or asks
    if (withdrawsObject(reply.status)) this.#void(read, record.content);
    const refusal = { read: encodeRead(read), contentId: content.contentId, epoch, receivedMs, reply };
    this.#memory.link.notify('refusedByStore', refusal);
  }

  #decode(read: ObjectRead, found: WireLookupResult): LookupResult {
    return { ...found, record: this.#decodeRecord(read, found.record) };
  }

  /** The record with a content that can be read here: the one that is told of, if it is the same. */
  #decodeRecord(read: ObjectRead, record: WireLookupResult['record']): ObjectRecord {
    // what was void the owner has replaced, or tells rightly
    const told = this.#told(read, recordId(read, read.recordName));
    if (record.kind === 'uncacheable') return record;
    if (record.kind === 'refused') return { ...record, body: Buffer.from(record.body) };
    const { content: wire } = record;
    const known = told?.contents.find(({ contentId }) => contentId === wire.contentId);
    known?.learn(wire);
    return { ...record, content: known ?? new RemoteContent(wire, this.#memory, encodeObject(read)) };
  }

  #recalculateCost(name: string): void {
    const kept = this.#records.peek(name);
    if (kept) this.#records.set(name, { ...kept });
  }
}

function encodeObject({ bucket, objectKey }: ObjectRead): WireObject {
  return { bucketName: bucket.name, objectKey };
}

function encodeRead({ bucket, ...read }: ObjectRead): WireRead {
  return { ...read, bucketName: bucket.name };
}

function ignoreResult(): void {}
