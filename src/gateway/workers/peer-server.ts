import type { ContentReader, Loan } from '../../cache/content.ts';
import { type Entry, generationsOf } from '../../cache/entry.ts';
import { Generation } from '../../cache/generation.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { DesertedError, ObjectChangedError, OwnerLostError } from '../fill/fill-error.ts';
import { copyOf } from '../fill/spare-copies.ts';
import type { LookupResult } from '../read/object-source.ts';
import { lookupRecord } from '../read/record-cache.ts';
import type { Configurations } from '../request/configurations.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type {
  PeerCalls,
  PeerNotices,
  WireBlock,
  WireContent,
  WireEncoding,
  WireLoan,
  WireLookupResult,
  WireObject,
  WireQuestion,
  WireRange,
  WireRead,
  WireRecord,
  WireRefusal,
} from './messages.ts';
import type { WorkerCache } from './worker-cache.ts';

/** A content that another worker is reading, and the loan it holds. */
interface OpenReader {
  readonly generation: Generation;
  readonly reader: ContentReader;
  position: number;
  loan: Loan | undefined;
}

/** Another worker named a bucket that is not configured here, since it asks for a request from before several reloads. */
export class UnknownBucketError extends OwnerLostError {
  constructor(bucketName: string) {
    super(`has no bucket ${bucketName} any more`);
  }
}

/** The most parts of an object that are told with each answer about it. */
const TOLD_PARTS = 64;

/**
 * Numbers contents, so that other workers can refer to them. Numbers are forgotten when the content is garbage collected.
 */
export class ContentIds {
  readonly #contents = new Map<number, WeakRef<Generation>>();
  readonly #forgotten = new FinalizationRegistry<number>(number => {
    // the number may be that of a content which was packed since, and made again
    if (!this.find(number)) this.#contents.delete(number);
  });
  #last = 0;

  idOf(generation: Generation): number {
    const number = generation.contentId ?? ++this.#last;
    if (this.find(number) === generation) return number;
    generation.contentId = number;
    this.#contents.set(number, new WeakRef(generation));
    this.#forgotten.register(generation, number);
    return number;
  }

  /** The content, even if no record refers to it any more: readers that started before may continue. */
  find(number: number): Generation | undefined {
    return this.#contents.get(number)?.deref();
  }
}

/** Serves one other worker's requests for objects owned here. */
export class PeerServer {
  readonly #objects: WorkerCache;
  readonly #configurations: Pick<Configurations, 'bucketOf'>;
  readonly #ids: ContentIds;
  /** The questions of the other worker that are not answered yet. */
  readonly #questions = new Map<number, AbortController>();
  readonly #readers = new Map<number, OpenReader>();
  #opened = 0;

  constructor(objects: WorkerCache, configurations: Pick<Configurations, 'bucketOf'>, numbers: ContentIds) {
    this.#objects = objects;
    this.#configurations = configurations;
    this.#ids = numbers;
  }

  /** What the other worker may call. */
  get procedures(): PeerCalls & PeerNotices {
    return {
      find: question => this.#find(question),
      left: question => this.#questions.get(question)?.abort(new DesertedError()),
      open: range => this.#open(range),
      next: reader => this.#next(reader),
      encode: question => this.#encode(question),
      returned: reader => this.#returned(reader),
      close: reader => this.#close(reader),
      invalidate: ({ read, contentId }) => this.#invalidate(read, contentId),
      refusedByStore: refusal => this.#refusedByStore(refusal),
      withdraw: wire => this.#withdraw(wire),
    };
  }

  /** The other worker has ended. */
  disconnected(): void {
    for (const reader of [...this.#readers.keys()]) this.#close(reader);
    for (const question of this.#questions.values()) question.abort(new DesertedError());
  }

  async #find({ number, read: wire, withChecksums, client }: WireQuestion): Promise<WireLookupResult> {
    const read = this.#decodeRead(wire);
    if (!read) throw new UnknownBucketError(wire.bucketName);
    const leaving = new AbortController();
    this.#questions.set(number, leaving);
    try {
      const found = await this.#objects.objects.find(read, withChecksums, { gone: leaving.signal, client });
      return this.#encodeResult(found, read.partNumber);
    } finally {
      this.#questions.delete(number);
    }
  }

  #encodeResult(found: LookupResult, partNumber: number | undefined): WireLookupResult {
    const { record } = found;
    return {
      ...found,
      record: record.kind === 'readable' ? encodeRecord(record, this.#ids, partNumber) : record,
    };
  }

  /** @throws ObjectChangedError when the content was replaced, and nobody here has read it since */
  #open({ contentId, object, from, to, hasBegun, trace }: WireRange): number {
    const generation = this.#contentNumbered(contentId, object);
    if (!generation) throw new ObjectChangedError('the content was replaced');
    const number = ++this.#opened;
    this.#readers.set(number, {
      generation,
      reader: generation.open(from, to, hasBegun, trace),
      position: from,
      loan: undefined,
    });
    return number;
  }

  async #encode({ contentId, object, coding }: WireEncoding): Promise<WireContent | 'no-gain' | undefined> {
    const made = await this.#contentNumbered(contentId, object)?.encodings?.made(coding);
    if (!(made instanceof Generation)) return made === 'no-gain' ? made : undefined;
    const { sizeBytes, blockBytes } = made;
    return { contentId: this.#ids.idOf(made), sizeBytes, blockBytes, parts: [], partCount: undefined };
  }

  #contentNumbered(contentId: number, object: WireObject): Generation | undefined {
    const known = this.#ids.find(contentId);
    return known && !known.isRetired ? known : (this.#heldContent(object, contentId) ?? known);
  }

  /** The content of this number that a record refers to, though it may have been packed since it was numbered. */
  #heldContent({ bucketName, objectKey }: WireObject, contentId: number): Generation | undefined {
    const bucket = this.#configurations.bucketOf(bucketName, objectKey);
    const entry = bucket && this.#entryOf({ bucket, objectKey });
    for (const generation of entry ? generationsOf(entry) : [])
      if (generation.contentId === contentId) return generation;
    return undefined;
  }

  #entryOf(object: Pick<ObjectRead, 'bucket' | 'objectKey'>): Entry | undefined {
    return this.#objects.table.peek(object.objectKey) ?? this.#objects.revive(object);
  }

  async #next(number: number): Promise<WireLoan> {
    const open = this.#readers.get(number);
    if (!open) return { kind: 'end' };
    releaseLoan(open);
    const loan = await open.reader.next();
    if (!loan) return { kind: 'end' };
    if (!this.#readers.has(number)) {
      loan.release();
      return { kind: 'end' };
    }
    open.loan = loan;
    const from = open.position;
    open.position += loan.bytes.length;
    return this.#encodeLoan(open.generation, loan, from, open.position);
  }

  #encodeLoan(generation: Generation, loan: Loan, from: number, to: number): WireLoan {
    const block = this.#encodeBlock(generation, from);
    if (loan.slot === undefined) return { kind: 'copy', bytes: ownMemory(loan.bytes), from, block };
    // Posting arena memory would share it rather than copy it.
    if (!block) return { kind: 'copy', bytes: copyOf(loan.bytes), from, block };
    return { kind: 'block', block, from, to };
  }

  /** The arena position of the block that contains `position`; undefined when it is not in memory. */
  #encodeBlock(generation: Generation, position: number): WireBlock | undefined {
    const block = generation.blockAt(position);
    if (!block) return undefined;
    const { tier } = this.#objects;
    const blockStart = generation.blockStart(position);
    const { slot, valid } = block;
    const place = { slot, tag: tier.pins.tag(slot), blockStart };
    return { ...place, from: blockStart + valid.start, to: blockStart + valid.end };
  }

  #returned(number: number): void {
    const open = this.#readers.get(number);
    if (open) releaseLoan(open);
  }

  #close(number: number): void {
    const open = this.#readers.get(number);
    if (!open) return;
    this.#readers.delete(number);
    releaseLoan(open);
    open.reader.close();
  }

  #invalidate(wire: WireRead, contentId: number): void {
    const read = this.#decodeRead(wire);
    if (!read) return;
    for (const record of this.#entryOf(read)?.records.values() ?? []) {
      if (record.kind !== 'readable' || !(record.content instanceof Generation)) continue;
      if (record.content.contentId === contentId) this.#objects.objects.invalidate(read, record);
    }
  }

  #refusedByStore({ read: wire, contentId, epoch, receivedMs, reply }: WireRefusal): void {
    const read = this.#decodeRead(wire);
    if (!read) return;
    const { objects } = this.#objects;
    const record = lookupRecord(objects.records, read);
    if (record?.kind !== 'readable' || !(record.content instanceof Generation)) return;
    const isSame = record.epoch === epoch && record.receivedMs === receivedMs;
    if (isSame && record.content.contentId === contentId)
      objects.refusedByStore(read, record, { ...reply, body: Buffer.from(reply.body) });
  }

  #withdraw(wire: WireRead): void {
    const read = this.#decodeRead(wire);
    if (read) this.#objects.objects.withdraw(read);
  }

  /** Undefined for a bucket that is not configured here. */
  #decodeRead({ bucketName, ...read }: WireRead): ObjectRead | undefined {
    const bucket = this.#configurations.bucketOf(bucketName, read.objectKey);
    return bucket && { ...read, bucket };
  }
}

/** Of an object with many parts that one alone which was asked for: each question would copy thousands. */
export function encodeRecord(
  record: ReadableRecord,
  ids: ContentIds,
  partNumber: number | undefined,
): WireRecord {
  if (!(record.content instanceof Generation))
    throw new TypeError('only owned contents can be sent to a peer');
  const { sizeBytes, blockBytes, parts } = record.content;
  const contentId = ids.idOf(record.content);
  const told = parts.known <= TOLD_PARTS ? parts.entries() : parts.entriesOf(partNumber);
  return {
    ...record,
    content: { contentId, sizeBytes, blockBytes, parts: told, partCount: parts.count },
  };
}

function releaseLoan(open: OpenReader): void {
  open.loan?.release();
  open.loan = undefined;
}

/**
 * `bytes` if they fill their ArrayBuffer, which can then be transferred; otherwise a copy. The memory is taken from the
 * loan at once: it would be used again if the loan ended before the message is on its way.
 */
function ownMemory(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, length } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === length
    ? new Uint8Array(buffer.transfer())
    : copyOf(bytes);
}
