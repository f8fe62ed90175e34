import type { ContentReader, Loan } from '../../cache/content.ts';
import type { Coverage } from '../../cache/coverage.ts';
import { type Entry, generationsOf } from '../../cache/entry.ts';
import { Generation } from '../../cache/generation.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import type { ToldPlace } from '../../cache/slot-texts.ts';
import { DesertedError, ObjectChangedError, OwnerLostError } from '../fill/fill-error.ts';
import { copyOf } from '../fill/spare-copies.ts';
import type { LookupResult } from '../read/object-source.ts';
import { lookupRecord, storedRecordName } from '../read/record-cache.ts';
import type { Configurations } from '../request/configurations.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type {
  PeerCalls,
  PeerNotices,
  WireContent,
  WireEncoding,
  WireIdentity,
  WireLoan,
  WireLookupResult,
  WireObject,
  WireQuestion,
  WireRange,
  WireRead,
  WireReader,
  WireRefusal,
  WireSpan,
} from './messages.ts';
import type { ToldContents } from './told-contents.ts';
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

/** Serves one other worker's requests for objects owned here. */
export class PeerServer {
  readonly #objects: WorkerCache;
  readonly #configurations: Pick<Configurations, 'bucketOf'>;
  readonly #told: ToldContents;
  /** The questions of the other worker that are not answered yet. */
  readonly #questions = new Map<number, AbortController>();
  readonly #readers = new Map<number, OpenReader>();
  #opened = 0;

  constructor(objects: WorkerCache, configurations: Pick<Configurations, 'bucketOf'>, told: ToldContents) {
    this.#objects = objects;
    this.#configurations = configurations;
    this.#told = told;
  }

  /** What the other worker may call. */
  get procedures(): PeerCalls & PeerNotices {
    return {
      find: question => this.#find(question),
      left: question => this.#questions.get(question)?.abort(new DesertedError()),
      open: range => this.#open(range),
      held: range => this.#held(range),
      next: reader => this.#next(reader),
      encode: question => this.#encode(question),
      returned: reader => this.#returned(reader),
      close: reader => this.#close(reader),
      invalidate: ({ read, contentId }) => this.#invalidate(read, contentId),
      refusedByStore: refusal => this.#refusedByStore(refusal),
      withdraw: ({ read, mayBeGone }) => this.#withdraw(read, mayBeGone),
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
      // what is asked for once is not worth that
      if (found.how === 'hit') this.#objects.table.tell(read.objectKey, true);
      return { ...this.#encodeResult(found, read.partNumber), told: this.#toldWith(read, found.record) };
    } finally {
      this.#questions.delete(number);
    }
  }

  #toldWith(read: ObjectRead, record: ObjectRecord): ToldPlace | undefined {
    const { records } = this.#objects.objects;
    if (records.recordNamed(read, storedRecordName(read, record)) !== record) return undefined;
    const { slot, tag, mark } = this.#objects.tier.texts.getTold(read.objectKey.text) ?? {};
    return slot === undefined || tag === undefined || mark === undefined ? undefined : { slot, tag, mark };
  }

  #encodeResult(found: LookupResult, partNumber: number | undefined): WireLookupResult {
    const { record } = found;
    return {
      ...found,
      record: record.kind === 'readable' ? this.#told.record(record, partNumber) : record,
    };
  }

  /**
   * @throws ObjectChangedError when the content was replaced, and nobody here has read it since: then the answer begins anew, or it
   * ends where the rest cannot be asked for
   */
  #open({ contentId, object, from, to, begun, trace }: WireRange): WireReader {
    const generation =
      this.#contentNumbered(contentId, object) ?? (begun && this.#continued(contentId, object, begun));
    if (!generation) throw new ObjectChangedError('the content was replaced');
    const number = ++this.#opened;
    const held = begun ? undefined : generation.coverage(from, to);
    this.#readers.set(number, {
      generation,
      reader: generation.open(from, to, begun !== undefined, trace),
      position: from,
      loan: undefined,
    });
    return { number, held };
  }

  #held({ contentId, object, from, to }: WireSpan): Coverage | undefined {
    return this.#contentNumbered(contentId, object)?.coverage(from, to);
  }

  async #encode({ contentId, object, coding }: WireEncoding): Promise<WireContent | 'no-gain' | undefined> {
    const made = await this.#contentNumbered(contentId, object)?.encodings?.made(coding);
    if (!(made instanceof Generation)) return made === 'no-gain' ? made : undefined;
    return this.#told.content(made, undefined);
  }

  #contentNumbered(contentId: number, object: WireObject): Generation | undefined {
    const known = this.#told.find(contentId);
    return known && !known.isRetired ? known : (this.#heldContent(object, contentId) ?? known);
  }

  /**
   * A content that is forgotten here, made again for those who have had its beginning. No record refers to it, so it answers nobody
   * else, and its tag keeps the rest from being another content's. Undefined where nothing can be asked for.
   */
  #continued(
    contentId: number,
    { bucketName, objectKey, place }: WireObject,
    { blockBytes, asked, ...content }: WireIdentity,
  ): Generation | undefined {
    const known = this.#told.continued.find(contentId);
    if (known) return known;
    const bucket = this.#configurations.bucketOf(bucketName, objectKey, place);
    if (!bucket || !asked || content.entityTag === undefined) return undefined;
    const identity = { ...content, objectKey: objectKey.text };
    const generation = this.#objects.createUnrecorded({ bucket, objectKey }, asked, identity, blockBytes);
    this.#told.continued.set(contentId, generation);
    return generation;
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
    return this.#encodeLoan(open, loan, from);
  }

  #encodeLoan({ generation, position: to }: OpenReader, loan: Loan, from: number): WireLoan {
    const block = this.#told.blockAt(generation, from);
    if (loan.slot === undefined) return { kind: 'copy', bytes: ownMemory(loan.bytes), from, block };
    // Posting arena memory would share it rather than copy it.
    if (!block) return { kind: 'copy', bytes: copyOf(loan.bytes), from, block };
    return { kind: 'block', block, from, to };
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

  #withdraw(wire: WireRead, mayBeGone: boolean): void {
    const read = this.#decodeRead(wire);
    if (read) this.#objects.objects.withdraw(read, mayBeGone);
  }

  /** Undefined for a bucket that is not configured here. */
  #decodeRead({ bucketName, ...read }: WireRead): ObjectRead | undefined {
    const bucket = this.#configurations.bucketOf(bucketName, read.objectKey);
    return bucket && { ...read, bucket };
  }
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
