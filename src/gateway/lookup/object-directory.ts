import {
  httpField,
  type StoreCall,
  type StoreReplyHead,
  storeField,
  type WholeReply,
} from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import { type EntryTable, generationsOf } from '../../cache/entry-table.ts';
import type { Epochs } from '../../cache/epochs.ts';
import { freshUntilMs } from '../../cache/freshness.ts';
import type { Generation, GenerationIdentity } from '../../cache/generation.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { PartMap } from '../../cache/part-map.ts';
import { getOnly, type ObjectRecord, tellsPart } from '../../cache/record.ts';
import { parseContentRange, parseUnsatisfiedRange } from '../../http/range.ts';
import { RefusedByStoreError, WrongAnswerError } from '../fill/fill-error.ts';
import type { RangeReceiver } from '../fill/ranged-read.ts';
import { firstExtent } from './first-extent.ts';
import type { ArrivingBytes } from './first-fetch.ts';
import { Flights } from './flights.ts';
import type { Found } from './found.ts';
import type { ObjectRead } from './object-read.ts';
import { isRememberedRefusal, readableRecord, refusedRecord } from './reply-record.ts';
import type { StoreQuestions, TakeReadable } from './store-questions.ts';

/** Makes the contents that records answer with, and puts arriving bytes into them. */
export interface ContentMaker {
  create(read: ObjectRead, identity: GenerationIdentity): Generation;
  /** Whether nothing of `[from, to)` is held or on its way. */
  lacks(generation: Generation, from: number, to: number): boolean;
  /** Bytes `[from, to)` of `generation` are arriving: what is returned takes them. */
  receive(read: ObjectRead, generation: Generation, from: number, to: number, call: StoreCall): RangeReceiver;
}

/** What one question to the store came to, for all who waited for it. */
type Learned = Omit<Found, 'isCollapsed' | 'how'> & { readonly how: 'fetched' | 'revalidated' };

/**
 * Finds the record that answers a read: the one that is known while it is fresh, else what the store says, asked once
 * for all who want it. One for each worker, for the objects that the worker owns.
 */
export class ObjectDirectory {
  readonly #table: EntryTable;
  readonly #epochs: Epochs;
  readonly #contents: ContentMaker;
  readonly #questions: StoreQuestions;
  readonly #clock: Clock;
  readonly #flights = new Flights<Learned>();
  readonly #asking = new Set<ObjectKey>();
  #coalesced = 0;

  constructor(
    table: EntryTable,
    epochs: Epochs,
    contents: ContentMaker,
    questions: StoreQuestions,
    clock: Clock,
  ) {
    this.#table = table;
    this.#epochs = epochs;
    this.#contents = contents;
    this.#questions = questions;
    this.#clock = clock;
  }

  /** Requests that waited for another's question. */
  get coalesced(): number {
    return this.#coalesced;
  }

  /** The objects that stores are being asked about. */
  asking(): Iterable<ObjectKey> {
    return this.#asking;
  }

  /** The record that answers `read` without asking anybody, if there is one. */
  known(read: ObjectRead, nowMs: number): ObjectRecord | undefined {
    const record = this.#remembered(read);
    if (!record || freshUntilMs(record, read.policy) <= nowMs) return undefined;
    return tellsPart(record, read.partNumber) ? record : undefined;
  }

  /**
   * The record that answers `read`, asked of the store where need be.
   *
   * @throws RefusedByStoreError for an answer that is the client's alone, StoreError when there is none.
   */
  async find(read: ObjectRead): Promise<Found> {
    const known = this.known(read, this.#clock.nowMs());
    if (known) return hit(known);
    const stale = this.#remembered(read);
    if (stale?.kind === 'readable' && freshUntilMs(stale, read.policy) <= this.#clock.nowMs()) {
      const found = await this.#shared(read, 'revalidate', () => this.#revalidate(read, stale));
      if (answers(found.record, read)) return found;
    }
    return this.#shared(read, `${read.method} ${read.partNumber ?? ''}`, () =>
      read.method === 'HEAD' ? this.#askHead(read, read.partNumber) : this.#askGet(read),
    );
  }

  /** The record that answers `read` with all checksums that the store has (behaviours.md, Decided 12): one HEAD for all who ask. */
  findWithChecksums(read: ObjectRead): Promise<Found> {
    return this.#shared(read, 'HEAD ', () => this.#askHead(read));
  }

  /** `record` turned out not to be true any more. */
  outdated(read: ObjectRead, record: ObjectRecord): void {
    for (const name of [read.recordName, getOnly(read.recordName)]) {
      if (this.#table.peek(read.objectKey)?.records.get(name) === record)
        this.#table.forget(read.objectKey, name);
    }
  }

  /** The store refused the bytes of a record: keeps the refusal if it may be remembered. */
  refused(read: ObjectRead, reply: WholeReply): void {
    if (isRememberedRefusal(reply))
      this.#keepRefusal(read, reply, 'GET', this.#epochs.current(read.objectKey.hash));
  }

  #remembered(read: ObjectRead): ObjectRecord | undefined {
    const records = this.#table.get(read.objectKey)?.records;
    if (!records) return undefined;
    let record = records.get(read.recordName);
    if (read.method === 'GET' && !record?.answersGet) record = records.get(getOnly(read.recordName));
    return record?.epoch === this.#epochs.current(read.objectKey.hash) ? record : undefined;
  }

  async #shared(read: ObjectRead, question: string, ask: () => Promise<Learned>): Promise<Found> {
    const name = `${read.objectKey.text}\n${read.recordName}\n${question}`;
    const flight = this.#flights.join(name, this.#epochs.current(read.objectKey.hash), ask);
    if (flight.isJoined) this.#coalesced++;
    else this.#noteAsking(read.objectKey, flight.answer);
    return { ...(await flight.answer), isCollapsed: flight.isJoined };
  }

  #noteAsking(objectKey: ObjectKey, answer: Promise<Learned>): void {
    const answered = () => this.#asking.delete(objectKey);
    this.#asking.add(objectKey);
    answer.then(answered, answered);
  }

  async #revalidate(read: ObjectRead, stale: ObjectRecord & { kind: 'readable' }): Promise<Learned> {
    const learned = await this.#askHead(read);
    const isSame = learned.record.kind === 'readable' && learned.record.content === stale.content;
    return { ...learned, how: isSame ? 'revalidated' : 'fetched', forwarded: 'stale' };
  }

  async #askHead(read: ObjectRead, partNumber?: number): Promise<Learned> {
    const epoch = this.#epochs.current(read.objectKey.hash);
    const reply = await this.#questions.head(read, partNumber);
    if (reply.status !== 200 && reply.status !== 206) return this.#learnRefusal(read, reply, 'HEAD', epoch);
    const identity = identityOf(read, reply, sizeOf(reply));
    const content = this.#contentFor(read, identity, epoch);
    if (partNumber !== undefined) learnPart(content.parts, partNumber, reply, identity.sizeBytes);
    const checksums = partNumber === undefined ? 'known' : 'unknown';
    return this.#learn(read, this.#readable(reply, content, 'HEAD', epoch, checksums), reply.status, epoch);
  }

  async #askGet(read: ObjectRead): Promise<Learned> {
    const epoch = this.#epochs.current(read.objectKey.hash);
    let learned: Learned | undefined;
    const take: TakeReadable = (head, arriving, call) => {
      const taken = this.#takeBytes(read, head, arriving, epoch, call);
      learned = taken.learned;
      return taken.receiver;
    };
    const extent = firstExtent(read);
    const answer = await this.#questions.get(read, extent, take);
    if (answer.kind === 'refused' && answer.reply.status === 416 && extent.kind !== 'part') {
      return this.#askBeyondEnd(read, answer.reply, epoch, take, () => learned);
    }
    if (answer.kind === 'refused') return this.#learnRefusal(read, answer.reply, 'GET', epoch);
    if (!learned) throw new WrongAnswerError('nothing was learned of a readable object');
    return learned;
  }

  /** 416: nothing at all is there, which a plain GET confirms; or the range begins past the end, where HEAD tells the size. */
  async #askBeyondEnd(
    read: ObjectRead,
    reply: WholeReply,
    epoch: number,
    take: TakeReadable,
    learned: () => Learned | undefined,
  ): Promise<Learned> {
    const sizeBytes = parseUnsatisfiedRange(httpField(reply, 'content-range'));
    const mayBeEmpty = read.range.kind !== 'from' || read.range.first < read.policy.blockSizeBytes;
    if (sizeBytes === undefined ? !mayBeEmpty : sizeBytes > 0) return this.#askHead(read);
    const answer = await this.#questions.get(read, undefined, take);
    if (answer.kind === 'refused') return this.#learnRefusal(read, answer.reply, 'GET', epoch);
    const result = learned();
    if (!result) throw new WrongAnswerError('nothing was learned of an empty object');
    return result;
  }

  #takeBytes(
    read: ObjectRead,
    head: StoreReplyHead,
    arriving: ArrivingBytes,
    epoch: number,
    call: StoreCall,
  ) {
    const identity = identityOf(read, head, arriving.sizeBytes);
    const known = this.#sameContent(read, identity, epoch);
    const content = known ?? this.#contents.create(read, identity);
    if (read.partNumber !== undefined) learnPart(content.parts, read.partNumber, head, arriving.sizeBytes);
    const isWhole = read.partNumber === undefined && arriving.to - arriving.from === arriving.sizeBytes;
    const hasChecksum = head.fields.some(field => field.store && field.name.startsWith('checksum-'));
    const checksums = isWhole && (head.status === 200 || hasChecksum) ? 'known' : 'unknown';
    const learned = this.#learn(
      read,
      this.#readable(head, content, 'GET', epoch, checksums),
      head.status,
      epoch,
    );
    const wantsBytes =
      arriving.to > arriving.from && this.#contents.lacks(content, arriving.from, arriving.to);
    const receiver = wantsBytes
      ? this.#contents.receive(read, content, arriving.from, arriving.to, call)
      : undefined;
    return { learned, receiver };
  }

  #readable(
    head: StoreReplyHead,
    content: Generation,
    method: 'GET' | 'HEAD',
    epoch: number,
    checksums: 'known' | 'unknown',
  ) {
    return readableRecord(head, { method, receivedMs: this.#clock.nowMs(), epoch }, content, checksums);
  }

  #contentFor(read: ObjectRead, identity: GenerationIdentity, epoch: number): Generation {
    return this.#sameContent(read, identity, epoch) ?? this.#contents.create(read, identity);
  }

  /** The content that is held already, if what the store has now is the same. */
  #sameContent(read: ObjectRead, identity: GenerationIdentity, epoch: number): Generation | undefined {
    const entry = this.#table.peek(read.objectKey);
    if (!entry || epoch !== this.#epochs.current(read.objectKey.hash)) return undefined;
    for (const generation of generationsOf(entry))
      if (isSame(generation.identity, identity)) return generation;
    return undefined;
  }

  #learnRefusal(read: ObjectRead, reply: WholeReply, method: 'GET' | 'HEAD', epoch: number): Learned {
    if (!isRememberedRefusal(reply)) throw new RefusedByStoreError(reply);
    return this.#keepRefusal(read, reply, method, epoch);
  }

  #keepRefusal(read: ObjectRead, reply: WholeReply, method: 'GET' | 'HEAD', epoch: number): Learned {
    const record = refusedRecord(reply, { method, receivedMs: this.#clock.nowMs(), epoch });
    return this.#learn(read, record, reply.status, epoch);
  }

  /** Keeps `record`, unless it may not be kept or something has made it wrong since the store was asked. */
  #learn(read: ObjectRead, record: ObjectRecord, forwardStatus: number, epoch: number): Learned {
    const mayKeep = !(record.directives.noStore && read.policy.honourCacheControl);
    const isStored = mayKeep && epoch === this.#epochs.current(read.objectKey.hash);
    const name =
      record.kind === 'refused' && record.status === 403 ? getOnly(read.recordName) : read.recordName;
    if (isStored) this.#table.put(read.objectKey, name, record);
    return { record, how: 'fetched', forwarded: 'uri-miss', forwardStatus, isStored };
  }
}

function hit(record: ObjectRecord): Found {
  return {
    record,
    how: 'hit',
    forwarded: undefined,
    forwardStatus: undefined,
    isCollapsed: false,
    isStored: false,
  };
}

/** What HEAD says of an object does not always say what GET would, nor where a part of it lies. */
function answers(record: ObjectRecord, { method, partNumber }: ObjectRead): boolean {
  return (method === 'HEAD' || record.answersGet) && tellsPart(record, partNumber);
}

/** Size of the whole object, whatever part of it a reply is about (behaviours.md 53). */
function sizeOf(reply: StoreReplyHead): number {
  const total =
    reply.status === 206 ? parseContentRange(httpField(reply, 'content-range'))?.total : undefined;
  return total ?? Number(httpField(reply, 'content-length'));
}

/** What a reply to a part number says of that part. */
function learnPart(parts: PartMap, number: number, reply: StoreReplyHead, sizeBytes: number): void {
  const range = parseContentRange(httpField(reply, 'content-range')) ?? { first: 0, last: sizeBytes - 1 };
  const count = Number(storeField(reply, 'mp-parts-count')) || undefined;
  const checksums = reply.fields.filter(field => field.store && field.name.startsWith('checksum-'));
  parts.learn(number, { first: range.first, last: range.last, checksums }, count);
}

function identityOf(read: ObjectRead, head: StoreReplyHead, sizeBytes: number): GenerationIdentity {
  const entityTag = httpField(head, 'etag');
  if (!entityTag || !Number.isSafeInteger(sizeBytes))
    throw new WrongAnswerError('no entity tag or no length');
  return { objectKey: read.objectKey.text, versionId: storeField(head, 'version-id'), entityTag, sizeBytes };
}

function isSame(one: GenerationIdentity, other: GenerationIdentity): boolean {
  return (
    one.entityTag === other.entityTag &&
    one.sizeBytes === other.sizeBytes &&
    one.versionId === other.versionId
  );
}
