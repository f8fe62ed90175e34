import { faultOf } from '../../backend/guarded-receiver.ts';
import { type StoreCall, StoreError } from '../../backend/store.ts';
import type { Generation } from '../../cache/generation.ts';
import { BlockWriter } from './block-writer.ts';
import { ByteWaiters } from './byte-waiters.ts';
import type { ExtentContext } from './extent-context.ts';
import { isTransient, OverloadedError } from './fill-error.ts';
import { PausedTransfer } from './paused-transfer.ts';
import { RangedRead, type RangeReceiver, type RangeSource } from './ranged-read.ts';
import { Retries } from './retries.ts';
import { SlotWait } from './slot-wait.ts';

/** So long the rest of a block that nobody wants may take: others may need its room and its connection. */
const UNWANTED_MS = 1_000;

const transferLimits = { retries: 5, timeouts: 3, atOnce: 1, firstDelayMs: 50 };

/** Who looks after an extent. */
export interface ExtentOwner {
  /** It is over, well or not. */
  ended(extent: Extent): void;
  /** The store sends all of the content instead of its range, see `RangeReceiver.whole`. */
  answeredWhole(extent: Extent): RangeReceiver | undefined;
}

/**
 * A run of missing bytes `[from, to)` on its way from the store into the blocks of a generation. When the connection
 * breaks it resumes at the byte where it stopped. Whoever waits for a byte is woken as soon as it has arrived.
 */
export class Extent implements RangeReceiver {
  readonly generation: Generation;
  readonly source: RangeSource;
  readonly #surroundings: ExtentContext;
  readonly #keeper: ExtentOwner;
  readonly #waiters = new ByteWaiters();
  readonly #roomWait: SlotWait;
  readonly #blocks: BlockWriter;
  #askedTo: number;
  #isWhole = false;
  readonly #transfer: PausedTransfer;
  readonly #retries = new Retries(transferLimits);
  #waitsForReaders = false;
  #outcome: 'running' | 'done' | Error = 'running';

  constructor(
    generation: Generation,
    from: number,
    to: number,
    source: RangeSource,
    surroundings: ExtentContext,
    keeper: ExtentOwner,
  ) {
    this.generation = generation;
    this.#blocks = new BlockWriter(generation, from, to);
    this.#askedTo = to;
    this.source = source;
    this.#surroundings = surroundings;
    this.#roomWait = new SlotWait(surroundings, () => this.#guarded(() => this.#retry()));
    this.#transfer = new PausedTransfer(surroundings.clock);
    this.#keeper = keeper;
  }

  /** The next byte to arrive. */
  get position(): number {
    return this.#blocks.position;
  }

  get to(): number {
    return this.#blocks.to;
  }

  /** Whether it is a transfer of all of the content, which goes no faster than its readers. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether bytes of it have been put into blocks. */
  get hasWritten(): boolean {
    return this.#blocks.hasWritten;
  }

  /** Asks the store for what is missing. */
  start(): void {
    this.#waitsForReaders = false;
    this.#roomWait.end();
    const { position, to } = this.#blocks;
    this.#askedTo = to;
    this.#guarded(() => {
      const read = new RangedRead(this.generation.identity, position, to, this);
      this.#transfer.begin(this.source.send(position, to, read));
    });
  }

  /**
   * Takes over a transfer that has begun already: bytes from `from` on are to be handed to `bytes`. Of a long one only
   * what lies before `limitTo` is taken, so that nobody's bytes are fetched for nobody.
   *
   * @param isWhole whether it is a transfer of all of the content.
   */
  adopt(call: StoreCall | undefined, limitTo: number, isWhole: boolean): void {
    this.#transfer.begin(call);
    this.#blocks.limit(limitTo);
    this.#isWhole = isWhole;
  }

  /** Ends, and leaves its transfer to another extent. */
  handOver(): StoreCall | undefined {
    const call = this.#transfer.handOver();
    this.#end('done');
    return call;
  }

  /** Ends, since another extent brings the same. */
  giveWay(): void {
    this.#end('done');
  }

  /** A reader of the content has come further. */
  readerAdvanced(): void {
    if (!this.#waitsForReaders || this.#surroundings.pace(this.generation, this.position) !== 'go') return;
    if (this.#transfer.hasBuffered) this.#guarded(() => this.#retryBuffered());
    else this.start();
  }

  /** Whether this extent is going to write into a block that some of `[from, to)` lies in. */
  claims(from: number, to = from + 1): boolean {
    return this.#blocks.claims(from, to);
  }

  /**
   * Resolves when the byte at `position` has arrived or the extent has ended well; rejects when it failed. A byte in
   * front of the extent does not come with it: then its block is waited for, which nobody else can fill before.
   *
   * @param isFirst whether it is the first byte of an answer: rejects with OverloadedError when there is no room for long.
   */
  reached(position: number, isFirst = false): Promise<void> {
    if (this.#outcome instanceof Error) return Promise.reject(this.#outcome);
    const awaited = this.#blocks.awaitedFor(position);
    if (this.#outcome === 'done' || this.position > awaited) return Promise.resolve();
    if (isFirst && this.#roomWait.exceedsFirstByteLimit) return Promise.reject(new OverloadedError());
    return this.#waiters.wait(awaited, isFirst);
  }

  /** Nobody wants the rest: ends with the block that is arriving, or without the rest of it when that comes slowly. */
  stopSoon(): void {
    if (this.#outcome !== 'running') return;
    this.#blocks.limitToBlock();
    if (this.#blocks.isComplete || !this.#blocks.isOpen || this.#surroundings.lacksRoom()) this.#end('done');
    else this.#surroundings.clock.after(UNWANTED_MS, () => this.#stopUnwanted());
  }

  #stopUnwanted(): void {
    if (!this.#isWanted()) this.#end('done');
  }

  #isWanted(): boolean {
    return this.#waiters.isAwaited || this.#surroundings.isWanted(this.generation, this.position, this.to);
  }

  bytes(chunk: Buffer): void {
    if (this.#outcome !== 'running') return;
    this.#retries.progressed();
    this.#store(this.#transfer.joined(chunk));
  }

  done(): void {
    if (this.#transfer.hasBuffered) this.#transfer.complete();
    else this.#end('done');
  }

  whole(): RangeReceiver | undefined {
    // What is behind the range comes as well, and has to be given up.
    this.#askedTo = this.generation.sizeBytes;
    return this.#isWhole || this.#outcome !== 'running' ? undefined : this.#keeper.answeredWhole(this);
  }

  failed(error: Error): void {
    if (this.#outcome !== 'running') return;
    this.#transfer.drop();
    if (isTransient(error) && (this.#waitsForReaders || this.#roomWait.isWaiting)) return;
    if (!this.#retries.mayFollow(error)) {
      this.#end(error);
      return;
    }
    const reason = error instanceof StoreError ? error.code.toLowerCase() : 'status';
    this.#surroundings.retried(this.source.backend, reason);
    const delayMs = this.#retries.nextDelayMs(this.#surroundings.random());
    this.#surroundings.clock.after(delayMs, () => this.#outcome === 'running' && this.start());
  }

  /** Writes what there is room for; the rest waits, and the store's connection with it. */
  #store(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#blocks.isComplete) {
      if (this.#blocks.isBroughtByOthers()) rest = this.#blocks.drop(rest);
      else if (this.#blocks.isOpen || this.#openBlock(rest)) rest = this.#blocks.write(rest);
      else break;
    }
    this.#waiters.arrivedUntil(this.position);
    if (this.#blocks.isComplete) this.#end('done');
  }

  /** False when what is left has to wait, for room or for readers, or is not wanted. */
  #openBlock(rest: Buffer): boolean {
    const pace = this.#isWhole ? this.#surroundings.pace(this.generation, this.position) : 'go';
    if (pace === 'stop') this.#end('done');
    if (pace === 'hold') {
      this.#waitsForReaders = true;
      this.#transfer.bufferUntilReadersCome(rest);
    }
    if (pace !== 'go') return false;
    if (this.#takeRoom()) return true;
    this.#transfer.buffer(rest);
    this.#waitForRoom();
    return false;
  }

  #takeRoom(): boolean {
    if (!this.#waiters.isAwaited && this.#surroundings.lacksRoom()) return false;
    const isOpen = this.#blocks.open();
    if (isOpen) this.#roomWait.end();
    return isOpen;
  }

  #waitForRoom(): void {
    this.#roomWait.begin(this.#waiters.isAwaited);
    if (this.#roomWait.exceedsFirstByteLimit) this.#waiters.refuseFirst(new OverloadedError());
    if (this.#roomWait.keepsConnection) return;
    // From now on it waits without a connection, or not at all when nobody comes.
    if (this.#isWanted()) this.#transfer.giveUp();
    else this.#end('done');
  }

  /** There may be room: for what is buffered, or for what is to be asked for again. */
  #retry(): void {
    if (this.#outcome !== 'running') return;
    if (this.#transfer.hasBuffered) this.#retryBuffered();
    else if (this.#blocks.isBroughtByOthers() || this.#takeRoom()) this.start();
    else this.#waitForRoom();
  }

  #retryBuffered(): void {
    const buffered = this.#transfer.takeBuffered();
    if (!buffered || this.#outcome !== 'running') return;
    this.#waitsForReaders = false;
    this.#store(buffered);
    if (this.#transfer.hasBuffered) return;
    // Also when that was the last of it: a connection that stays paused does not come to its end.
    this.#transfer.resume();
    if (this.#transfer.isComplete) this.#end('done');
  }

  /** For what does not come from the store: what it throws ends this transfer alone. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.failed(faultOf(error));
    }
  }

  #end(outcome: 'done' | Error): void {
    if (this.#outcome !== 'running') return;
    this.#outcome = outcome;
    if (outcome instanceof StoreError && outcome.code === 'FAULT') this.#surroundings.faults?.note(outcome);
    try {
      this.#blocks.end();
      if (this.position < this.#askedTo) this.#transfer.abort();
      this.#transfer.drop();
      this.#roomWait.end();
      this.#keeper.ended(this);
    } finally {
      this.#waiters.settle(outcome);
    }
  }
}
