import type { Clock } from '../../base/clock.ts';
import type { Faults } from '../../base/faults.ts';
import type { Entry } from '../../cache/entry.ts';
import { EntrySweep } from '../../cache/entry-sweep.ts';
import { EntryTable } from '../../cache/entry-table.ts';
import { Epochs } from '../../cache/epochs.ts';
import { type ContentAccess, Generation } from '../../cache/generation.ts';
import type { AskedFor, GenerationIdentity } from '../../cache/generation-identity.ts';
import { MemoryTier } from '../../cache/memory-tier.ts';
import { NameChanges } from '../../cache/name-changes.ts';
import { PurgeBarriers } from '../../cache/purge-barriers.ts';
import type { SharedMemory } from '../../cache/shared-memory.ts';
import { StoodInNames } from '../../cache/stood-in-names.ts';
import { UnsettledKeys } from '../../cache/unsettled-keys.ts';
import { type UnwrittenBytesError, WrittenBytes } from '../../cache/written-bytes.ts';
import { ContentEncoder } from '../fill/content-encoder.ts';
import { Filler } from '../fill/filler.ts';
import { GenerationReader, type ReaderContext } from '../fill/generation-reader.ts';
import { nowhere } from '../fill/no-source.ts';
import type { RangeReceiver } from '../fill/ranged-read.ts';
import { ReadAhead } from '../fill/read-ahead.ts';
import { Readers } from '../fill/readers.ts';
import type { RetryContext } from '../fill/retries.ts';
import { SlotLender } from '../fill/slot-lender.ts';
import type { RunningTransfer } from '../fill/transfer.ts';
import type { ContentFactory } from '../read/content-factory.ts';
import { LocalObjects } from '../read/local-objects.ts';
import { RecordCache } from '../read/record-cache.ts';
import { StoreFetcher } from '../read/store-fetcher.ts';
import type { ObjectRead } from '../request/object-read.ts';
import { WebReads } from '../web/web-reads.ts';
import { ContentReading, type ReadingParts } from './content-reading.ts';
import {
  askedFor,
  type BucketNow,
  type CreatedRead,
  nothingNamed,
  rangeSource,
  type StoredObject,
} from './content-source.ts';

interface WorkerCacheOptions extends RetryContext {
  readonly memory: SharedMemory;
  /** Index of this worker. */
  readonly worker: number;
  /** Heap limit for entries and records. */
  readonly recordBytes: number;
  readonly clock: Clock;
  /** Where blocks are checked: called for each read of bytes that are marked as held but were never written. */
  readonly onUnwritten?: (error: UnwrittenBytesError) => void;
  /** Receives unexpected exceptions. */
  readonly faults?: Faults;
  /** See `Configurations.bucketNow`; left out where nothing is reloaded. */
  readonly bucketNow?: BucketNow;
}

/** How long a content that is not stored, or not any more, is kept for the readers it was announced to. */
const OPEN_LIMIT_MS = 1_000;

/** The cache of one worker, for the objects that it owns. */
export class WorkerCache implements ContentFactory {
  readonly tier: MemoryTier;
  readonly table: EntryTable;
  readonly epochs: Epochs;
  readonly barriers: PurgeBarriers;
  readonly changes: NameChanges;
  readonly sweep: EntrySweep;
  readonly unsettled: UnsettledKeys;
  readonly stoodIn: StoodInNames;
  readonly filler: Filler;
  readonly objects: LocalObjects;
  readonly web: WebReads;
  readonly lender: SlotLender;
  readonly encoder: ContentEncoder;
  readonly nowMs: () => number;
  readonly clock: Clock;
  readonly #readerContext: ReaderContext;
  readonly #readingParts: ReadingParts;
  readonly #readers: Readers;
  readonly #bucketNow: BucketNow;
  /** A number for each store, by name. */
  readonly #fillGroups = new Map<string, number>();

  constructor(options: WorkerCacheOptions) {
    const { memory, worker, recordBytes, clock, random, retried, faults, onUnwritten } = options;
    const { pageBytes, pagesPerWorker } = memory.layout;
    this.#bucketNow = options.bucketNow ?? (bucket => bucket);
    this.nowMs = () => clock.nowMs();
    this.clock = clock;
    this.tier = new MemoryTier(memory, worker, clock, WrittenBytes.of(memory, onUnwritten));
    this.barriers = new PurgeBarriers(memory);
    this.table = new EntryTable(recordBytes, this.tier, this.barriers);
    this.sweep = new EntrySweep(this.table, clock);
    this.epochs = new Epochs(memory);
    this.changes = new NameChanges(memory);
    this.unsettled = new UnsettledKeys(memory, clock);
    const { workers } = memory.layout;
    this.stoodIn = new StoodInNames({ table: this.table, epochs: this.epochs, clock, worker, workers });
    this.#readers = new Readers(pageBytes * pagesPerWorker);
    this.filler = new Filler(this.tier, this.#readers, { clock, random, retried, faults });
    this.lender = new SlotLender(this.tier, Math.max(1, Math.floor(pagesPerWorker / 2)));
    this.#readerContext = {
      lender: this.lender,
      readAhead: new ReadAhead(this.filler, this.#readers, clock),
    };
    this.encoder = new ContentEncoder({ create: (of, identity) => this.#createMade(of, identity), faults });
    this.#readingParts = {
      ...{ table: this.table, encoder: this.encoder },
      ...{ readers: this.#readerContext, bucketNow: this.#bucketNow },
    };
    const fetcher = new StoreFetcher(clock, { random, retried });
    const { table, epochs, barriers, unsettled } = this;
    const records = new RecordCache(table, epochs, barriers, unsettled, read => this.revive(read));
    this.objects = new LocalObjects(records, this, fetcher, clock);
    this.web = new WebReads(this);
  }

  create(read: CreatedRead, identity: GenerationIdentity): Generation {
    const { bucket, objectKey } = read;
    // the content is held for long, and the read is not
    return this.#create({ bucket, objectKey }, askedFor(read), identity, read.policy.blockSizeBytes);
  }

  /** A content for its readers alone: what is fetched of it goes with the last of them. */
  createUnrecorded(
    object: StoredObject,
    asked: AskedFor,
    identity: GenerationIdentity,
    blockBytes: number,
  ): Generation {
    const generation = this.#create(object, asked, identity, blockBytes);
    generation.retire();
    return generation;
  }

  /** The entry of an object, if it was packed. Who reads it now may have begun before a reload. */
  revive({ bucket, objectKey }: StoredObject): Entry | undefined {
    return this.table.revive(objectKey, (identity, blockBytes, asked = nothingNamed) => {
      const object = { bucket: this.#bucketNow(bucket, objectKey), objectKey };
      const generation = this.#create(object, asked, identity, blockBytes);
      // how else it was asked for is not known any more
      generation.isAskedVariously = true;
      return generation;
    });
  }

  #create(
    object: StoredObject,
    asked: AskedFor,
    identity: GenerationIdentity,
    blockBytes: number,
  ): Generation {
    const reading = new ContentReading(this.#readingParts, object, asked, identity);
    const group = this.#fillGroupOf(object.bucket.store.name);
    return new Generation(identity, blockBytes, this.tier, reading, () => reading.grew(), group);
  }

  /** A content that was made here of `of`: no store has it. */
  #createMade({ blockBytes, fillGroup }: Generation, identity: GenerationIdentity): Generation {
    const reading: ContentAccess = {
      open: (generation, from, to, hasBegun) =>
        new GenerationReader(generation, { from, to, hasBegun }, nowhere, this.#readerContext),
      lend: (block, from, to) => this.lender.lend(block, from, to),
    };
    return new Generation(identity, blockBytes, this.tier, reading, undefined, fillGroup);
  }

  #fillGroupOf(store: string): number {
    const group = this.#fillGroups.get(store) ?? this.#fillGroups.size;
    this.#fillGroups.set(store, group);
    return group;
  }

  firstExtentBytes(others: number): number {
    return this.#readers.firstExtentBytes(others);
  }

  keepWhileRead(generation: Generation): void {
    generation.enter();
    this.clock.after(OPEN_LIMIT_MS, () => {
      if (!this.table.answersWith(generation)) generation.retire();
      generation.leave();
    });
  }

  receive(
    read: CreatedRead & Pick<ObjectRead, 'trace' | 'countsFor'>,
    generation: Generation,
    from: number,
    to: number,
    transfer: RunningTransfer,
  ): RangeReceiver | undefined {
    if (generation.hasBlockIn(from, to) || this.filler.claimsAny(generation, from, to)) return undefined;
    const source = rangeSource(read, askedFor(read), generation.identity, this.#bucketNow, read);
    return this.filler.adopt(generation, from, to, source, transfer);
  }
}
