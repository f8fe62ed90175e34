import { LRUCache } from 'lru-cache';
import type { WholeReply } from '../../backend/store.ts';
import type { Epochs } from '../../cache/epochs.ts';
import { freshUntilMs } from '../../cache/freshness.ts';
import { isInRange, type KeyRange, type ObjectKey } from '../../cache/object-key.ts';
import { getOnly, type ObjectRecord, recordCostBytes, tellsPart } from '../../cache/record.ts';
import type { SlotPins } from '../../cache/slot-pins.ts';
import type { WrittenBytes } from '../../cache/written-bytes.ts';
import type { LoanDesk } from '../fill/loan-desk.ts';
import type { Found } from '../read/found.ts';
import type { ObjectSource } from '../read/object-source.ts';
import { OwnerLostError } from '../read/owner-lost-error.ts';
import { answerName, type ObjectRead } from '../request/object-read.ts';
import { CheckedNearContent } from './checked-near-content.ts';
import type { ToldContent, ToldFound, ToldRead } from './messages.ts';
import { NearContent } from './near-content.ts';
import type { PeerLink } from './peer-link.ts';

/** A record as it is counted: a new one of these each time that the record's content has grown. */
interface Kept {
  readonly objectKey: ObjectKey;
  readonly record: ObjectRecord;
}

/** Estimated heap that a record kept near costs with all that hangs on it. */
export function nearCostBytes(record: ObjectRecord): number {
  const isNear = record.kind === 'readable' && record.content instanceof NearContent;
  return recordCostBytes(record) + (isNear ? record.content.costBytes : 0);
}

/** The objects that one other worker owns: asked of it, and what was learned kept near, without bytes. */
export class NearObjects implements ObjectSource {
  readonly #link: PeerLink;
  readonly #own: ObjectSource;
  readonly #epochs: Epochs;
  readonly #pins: SlotPins;
  readonly #desk: LoanDesk;
  readonly #written: WrittenBytes | undefined;
  readonly #records: LRUCache<string, Kept>;

  /**
   * @param own where this worker finds objects itself: there while the owner is gone or stands still.
   * @param recordBytes heap that the records kept near may cost.
   * @param written where blocks are checked: against what.
   */
  constructor(
    link: PeerLink,
    own: ObjectSource,
    epochs: Epochs,
    pins: SlotPins,
    desk: LoanDesk,
    recordBytes: number,
    written?: WrittenBytes,
  ) {
    this.#written = written;
    this.#link = link;
    this.#own = own;
    this.#epochs = epochs;
    this.#pins = pins;
    this.#desk = desk;
    this.#records = new LRUCache({
      maxSize: recordBytes,
      sizeCalculation: ({ record }, name) => nearCostBytes(record) + 2 * name.length,
    });
  }

  /** Estimated heap that the records cost. */
  get costBytes(): number {
    return this.#records.calculatedSize;
  }

  known(read: ObjectRead, nowMs: number): ObjectRecord | undefined {
    let record = this.#records.get(answerName(read, read.recordName))?.record;
    if (read.method === 'GET' && !record?.answersGet)
      record = this.#records.get(answerName(read, getOnly(read.recordName)))?.record;
    if (record?.epoch !== this.#epochs.current(read.objectKey.hash)) return undefined;
    return freshUntilMs(record, read.policy, nowMs) > nowMs && tellsPart(record, read.partNumber)
      ? record
      : undefined;
  }

  find(read: ObjectRead): Promise<Found> {
    return this.#ask(read, false).catch(error => {
      if (error instanceof OwnerLostError) return this.#own.find(read);
      throw error;
    });
  }

  findWithChecksums(read: ObjectRead): Promise<Found> {
    return this.#ask(read, true).catch(error => {
      if (error instanceof OwnerLostError) return this.#own.findWithChecksums(read);
      throw error;
    });
  }

  /** Forgets the records of all objects in `range`. */
  forgetRange(range: KeyRange): void {
    for (const [name, { objectKey }] of [...this.#records.entries()])
      if (isInRange(objectKey, range)) this.#records.delete(name);
  }

  outdated(read: ObjectRead, record: ObjectRecord): void {
    if (record.kind !== 'readable' || !(record.content instanceof NearContent)) {
      this.#own.outdated(read, record);
      return;
    }
    this.#records.delete(answerName(read, read.recordName));
    this.#link.tell({ kind: 'outdated', read: told(read), contentId: record.content.contentId });
  }

  refused(read: ObjectRead, reply: WholeReply): void {
    if (this.#link.isLost) this.#own.refused(read, reply);
    else this.#link.tell({ kind: 'refused', read: told(read), reply });
  }

  async #ask(read: ObjectRead, withChecksums: boolean): Promise<Found> {
    // an answer that comes late tells nothing that cannot be asked again
    return this.#heard(read, await this.#link.ask('find', { read: told(read), withChecksums }, ignoreFound));
  }

  #heard(read: ObjectRead, found: ToldFound): Found {
    const record = this.#near(read, found.record);
    const name =
      record.kind === 'refused' && record.status === 403 ? getOnly(read.recordName) : read.recordName;
    const { objectKey } = read;
    if (found.how === 'hit' || found.isStored)
      this.#records.set(answerName(read, name), { objectKey, record });
    return { ...found, record };
  }

  /** The record with bytes that can be read from here; with the same content as before if it is the same. */
  #near(read: ObjectRead, record: ToldFound['record']): ObjectRecord {
    if (record.kind === 'passed') return record;
    if (record.kind === 'refused') return { ...record, body: Buffer.from(record.body) };
    const name = answerName(read, read.recordName);
    const before = this.#records.peek(name)?.record;
    const known =
      before?.kind === 'readable' && before.content instanceof NearContent ? before.content : undefined;
    if (known?.contentId !== record.content.contentId)
      return { ...record, content: this.#newContent(read, record.content, () => this.#countAnew(name)) };
    for (const [number, part] of record.content.parts)
      known.parts.learn(number, part, record.content.partCount);
    return { ...record, content: known };
  }

  #newContent({ objectKey }: ObjectRead, told: ToldContent, grew: () => void): NearContent {
    const near = [told, this.#link, this.#pins, this.#desk, grew] as const;
    return this.#written
      ? new CheckedNearContent(this.#written, objectKey.text, ...near)
      : new NearContent(...near);
  }

  #countAnew(name: string): void {
    const kept = this.#records.peek(name);
    if (kept) this.#records.set(name, { ...kept });
  }
}

function told({ bucket, ...read }: ObjectRead): ToldRead {
  return { ...read, bucketName: bucket.name };
}

function ignoreFound(): void {}
