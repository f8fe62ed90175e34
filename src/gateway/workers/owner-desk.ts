import type { WholeReply } from '../../backend/store.ts';
import type { ContentReader, Loan } from '../../cache/content.ts';
import { Generation } from '../../cache/generation.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { ObjectChangedError } from '../fill/fill-error.ts';
import { copyOf } from '../fill/loan-desk.ts';
import type { Found } from '../read/found.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { Notice, Questions, ToldBlock, ToldFound, ToldLoan, ToldRead } from './messages.ts';
import type { OwnedObjects } from './owned-objects.ts';
import type { PeerService } from './peer-link.ts';

/** A content being read by another worker, and what is lent to it at the moment. */
interface OpenReader {
  readonly generation: Generation;
  readonly reader: ContentReader;
  position: number;
  loan: Loan | undefined;
}

/** Another worker names a bucket that this one does not have. */
class UnknownBucketError extends Error {
  readonly code = 'UNKNOWN_BUCKET';

  constructor(bucketName: string) {
    super(`no bucket ${bucketName} is configured in the worker that owns the object`);
  }
}

/** Numbers for contents, so that other workers can name them; those nobody uses any more are forgotten. */
export class ContentNumbers {
  readonly #contents = new Map<number, WeakRef<Generation>>();
  readonly #numbers = new WeakMap<Generation, number>();
  readonly #forgotten = new FinalizationRegistry<number>(number => this.#contents.delete(number));
  #last = 0;

  numberOf(generation: Generation): number {
    const known = this.#numbers.get(generation);
    if (known !== undefined) return known;
    const number = ++this.#last;
    this.#numbers.set(generation, number);
    this.#contents.set(number, new WeakRef(generation));
    this.#forgotten.register(generation, number);
    return number;
  }

  /**
   * The content, even when no record answers with it any more: whoever began to read it before may read on.
   *
   * @throws ObjectChangedError when nothing is left of it.
   */
  find(number: number): Generation {
    const generation = this.#contents.get(number)?.deref();
    if (!generation) throw new ObjectChangedError('the content was replaced');
    return generation;
  }
}

/** What the owner of objects does for one other worker. */
export class OwnerDesk implements PeerService {
  readonly #objects: OwnedObjects;
  readonly #buckets: BucketTable;
  readonly #numbers: ContentNumbers;
  readonly #readers = new Map<number, OpenReader>();
  #opened = 0;

  constructor(objects: OwnedObjects, buckets: BucketTable, numbers: ContentNumbers) {
    this.#objects = objects;
    this.#buckets = buckets;
    this.#numbers = numbers;
  }

  async answer<Name extends keyof Questions>(
    name: Name,
    ask: Questions[Name]['ask'],
  ): Promise<Questions[Name]['answer']> {
    const answers: {
      readonly [Key in keyof Questions]: (ask: Questions[Key]['ask']) => Promise<Questions[Key]['answer']>;
    } = {
      find: ({ read, withChecksums }) => this.#find(read, withChecksums),
      open: async ({ contentId, from, to, hasBegun }) =>
        this.#open(this.#numbers.find(contentId), from, to, hasBegun),
      next: ({ reader }) => this.#next(reader),
    };
    return answers[name](ask);
  }

  hear(notice: Notice): void {
    if (notice.kind === 'close') this.#close(notice.reader);
    else if (notice.kind === 'outdated') this.#outdated(notice.read, notice.contentId);
    else this.#refused(notice.read, notice.reply);
  }

  left(): void {
    for (const reader of [...this.#readers.keys()]) this.#close(reader);
  }

  async #find(told: ToldRead, withChecksums: boolean): Promise<ToldFound> {
    const read = this.#heard(told);
    if (!read) throw new UnknownBucketError(told.bucketName);
    const { directory } = this.#objects;
    return this.#tell(await (withChecksums ? directory.findWithChecksums(read) : directory.find(read)));
  }

  #tell(found: Found): ToldFound {
    const { record } = found;
    return { ...found, record: record.kind === 'readable' ? this.#tellRecord(record) : record };
  }

  #tellRecord(record: ReadableRecord) {
    if (!(record.content instanceof Generation))
      throw new TypeError('only what is owned here can be told of');
    const { sizeBytes, blockBytes, parts } = record.content;
    const contentId = this.#numbers.numberOf(record.content);
    return {
      ...record,
      content: { contentId, sizeBytes, blockBytes, parts: parts.entries(), partCount: parts.count },
    };
  }

  #open(generation: Generation, from: number, to: number, hasBegun: boolean): number {
    const number = ++this.#opened;
    this.#readers.set(number, {
      generation,
      reader: generation.open(from, to, hasBegun),
      position: from,
      loan: undefined,
    });
    return number;
  }

  async #next(number: number): Promise<ToldLoan> {
    const open = this.#readers.get(number);
    if (!open) return { kind: 'end' };
    giveBack(open);
    const loan = await open.reader.next();
    if (!loan) return { kind: 'end' };
    if (!this.#readers.has(number)) {
      loan.release();
      return { kind: 'end' };
    }
    open.loan = loan;
    const from = open.position;
    open.position += loan.bytes.length;
    return this.#tellLoan(open.generation, loan, from, open.position);
  }

  #tellLoan(generation: Generation, loan: Loan, from: number, to: number): ToldLoan {
    const block = this.#tellBlock(generation, from);
    if (loan.slot === undefined) return { kind: 'copy', bytes: ownMemory(loan.bytes), from, block };
    // A message shares memory of the arena instead of copying it.
    if (!block) return { kind: 'copy', bytes: copyOf(loan.bytes), from, block };
    return { kind: 'block', block, from, to };
  }

  /** Where the block is in which `position` lies; undefined when it is not in memory. */
  #tellBlock(generation: Generation, position: number): ToldBlock | undefined {
    const block = generation.blockAt(position);
    if (!block) return undefined;
    const { tier } = this.#objects;
    const blockStart = generation.blockStart(position);
    const { slot, valid } = block;
    const place = { slot, tag: tier.pins.tag(slot), slotSizeBytes: tier.slotSizeBytes(slot), blockStart };
    return { ...place, from: blockStart + valid.start, to: blockStart + valid.end };
  }

  #close(number: number): void {
    const open = this.#readers.get(number);
    if (!open) return;
    this.#readers.delete(number);
    giveBack(open);
    open.reader.close();
  }

  #outdated(told: ToldRead, contentId: number): void {
    const read = this.#heard(told);
    if (!read) return;
    for (const record of this.#objects.table.peek(read.objectKey)?.records.values() ?? []) {
      if (record.kind !== 'readable' || !(record.content instanceof Generation)) continue;
      if (this.#numbers.numberOf(record.content) === contentId)
        this.#objects.directory.outdated(read, record);
    }
  }

  #refused(told: ToldRead, reply: WholeReply): void {
    const read = this.#heard(told);
    if (read) this.#objects.directory.refused(read, { ...reply, body: Buffer.from(reply.body) });
  }

  /** Undefined for a bucket that is not configured here: what is told of it is of no use. */
  #heard({ bucketName, ...read }: ToldRead): ObjectRead | undefined {
    const bucket = this.#buckets.find(bucketName);
    return bucket && { ...read, bucket };
  }
}

function giveBack(open: OpenReader): void {
  open.loan?.release();
  open.loan = undefined;
}

/** `bytes` where they are all of their memory, which can then go to another thread; a copy where they are not. */
function ownMemory(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, length } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === length
    ? new Uint8Array(buffer)
    : copyOf(bytes);
}
