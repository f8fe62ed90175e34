import { faultOf, type StoreCall, StoreError } from '../../backend/store.ts';
import type { Faults } from '../../base/faults.ts';
import type { Generation } from '../../cache/generation.ts';
import { BlockWriter } from './block-writer.ts';
import { ByteWaiters } from './byte-waiters.ts';
import { isTransient, OverloadedError } from './fill-error.ts';
import { PausedTransfer } from './paused-transfer.ts';
import { RangedRead, type RangeReceiver, type RangeSource } from './ranged-read.ts';
import type { Readers } from './readers.ts';
import { Retries } from './retries.ts';
import { type SlotSignals, SlotWait } from './slot-wait.ts';

/** How long the rest of an unwanted block may take; others may need its slot and connection. */
const UNWANTED_MS = 1_000;

const transferLimits = { retries: 5, timeouts: 3, atOnce: 1, firstDelayMs: 50 };

/** What all extents of a worker share. */
export interface ExtentContext extends SlotSignals {
  readonly readers: Pick<Readers, 'pace' | 'isWantedSoon'>;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Counts a repeated request to `backend`. */
  readonly retried: (backend: string, reason: string) => void;
  /** Receives unexpected exceptions that ended a transfer. */
  readonly faults?: Faults | undefined;
}

/** The owner of an extent. */
export interface ExtentOwner {
  /** The extent has ended, successfully or not. */
  ended(extent: Extent): void;
  /** The store sends the whole content instead of the range, see `RangeReceiver.whole`. */
  answeredWhole(extent: Extent): RangeReceiver | undefined;
}

/**
 * A run of missing bytes `[from, to)` being fetched from the store into the blocks of a generation. If the connection
 * breaks, it resumes at the first missing byte. Waiting readers are notified as soon as their byte has arrived.
 */
export class Extent implements RangeReceiver {
  readonly generation: Generation;
  readonly source: RangeSource;
  /** The bytes to come, and the blocks that they are written to. */
  readonly blocks: BlockWriter;
  /** Whether this is a transfer of the whole content, which is paced by its readers. */
  isWhole = false;
  readonly #context: ExtentContext;
  readonly #owner: ExtentOwner;
  readonly #waiters = new ByteWaiters();
  /** Undefined until a slot was missing. */
  #roomWait: SlotWait | undefined;
  #askedTo: number;
  readonly #transfer: PausedTransfer;
  /** Undefined until the transfer has failed. */
  #retries: Retries | undefined;
  #waitsForReaders = false;
  #outcome: 'running' | 'done' | Error = 'running';

  constructor(
    generation: Generation,
    from: number,
    to: number,
    source: RangeSource,
    context: ExtentContext,
    owner: ExtentOwner,
  ) {
    this.generation = generation;
    this.blocks = new BlockWriter(generation, from, to);
    this.#askedTo = to;
    this.source = source;
    this.#context = context;
    this.#transfer = new PausedTransfer(context.clock);
    this.#owner = owner;
  }

  /** Requests the missing bytes from the store. */
  start(): void {
    this.#waitsForReaders = false;
    this.#roomWait?.end();
    const { position, to } = this.blocks;
    this.#askedTo = to;
    this.#guarded(() => {
      const read = new RangedRead(this.generation.identity, position, to, this);
      this.#transfer.begin(this.source.send(position, to, read));
    });
  }

  /**
   * Takes over a running transfer; the caller passes bytes from `from` on to `bytes`. Of a long transfer only the bytes
   * before `limitTo` are taken, so that nothing is fetched without a reader.
   *
   * @param isWhole whether it is a transfer of the whole content
   */
  adopt(call: StoreCall | undefined, limitTo: number, isWhole: boolean): void {
    this.#transfer.begin(call);
    this.blocks.limit(limitTo);
    this.isWhole = isWhole;
  }

  /** Ends, and leaves the transfer to another extent. */
  handOver(): StoreCall | undefined {
    const call = this.#transfer.handOver();
    this.#end('done');
    return call;
  }

  /** Ends, because another extent fetches the same bytes. */
  giveWay(): void {
    this.#end('done');
  }

  /** A reader of the content has advanced. */
  readerAdvanced(): void {
    if (!this.#waitsForReaders || this.#pace() !== 'go') return;
    if (this.#transfer.hasBuffered) this.#guarded(() => this.#retryBuffered());
    else this.start();
  }

  /**
   * Resolves when the byte at `position` has arrived or the extent has ended successfully; rejects when it failed.
   * Bytes before the extent come from the block's other fill, so it waits for the whole block.
   *
   * @param isFirst whether it is the first byte of an answer: rejects with OverloadedError after waiting too long for a
   * slot
   * @param reader who waits, see `left`
   */
  reached(position: number, isFirst = false, reader?: object): Promise<void> {
    if (this.#outcome instanceof Error) return Promise.reject(this.#outcome);
    const awaited = this.blocks.awaitedFor(position);
    if (this.#outcome === 'done' || this.blocks.position > awaited) return Promise.resolve();
    if (isFirst && this.#roomWait?.exceedsFirstByteLimit) return Promise.reject(new OverloadedError());
    return this.#waiters.wait(awaited, isFirst, reader);
  }

  /** `reader` has left: nothing more is fetched for it, and its wait ends. */
  left(reader: object): void {
    this.#waiters.left(reader);
  }

  /** Nobody needs the rest: ends after the current block, or earlier if that arrives slowly. */
  stopSoon(): void {
    if (this.#outcome !== 'running') return;
    this.blocks.limitToBlock();
    if (this.blocks.isComplete || !this.blocks.isOpen || this.#lacksRoom) this.#end('done');
    else
      this.#context.clock.after(UNWANTED_MS, () => {
        if (!this.#isWanted()) this.#end('done');
      });
  }

  #isWanted(): boolean {
    return (
      this.#waiters.isAwaited ||
      this.#context.readers.isWantedSoon(this.generation, this.blocks.position, this.blocks.to)
    );
  }

  bytes(chunk: Buffer): void {
    if (this.#outcome !== 'running') return;
    this.#retries?.progressed(chunk.length);
    this.#store(this.#transfer.joined(chunk));
  }

  done(): void {
    if (this.#transfer.hasBuffered) this.#transfer.complete();
    else this.#end('done');
  }

  excess(): void {
    this.#transfer.abort();
  }

  whole(): RangeReceiver | undefined {
    // Bytes after the range arrive too, so the transfer must be aborted at the end.
    this.#askedTo = this.generation.sizeBytes;
    return this.isWhole || this.#outcome !== 'running' ? undefined : this.#owner.answeredWhole(this);
  }

  failed(error: Error): void {
    if (this.#outcome !== 'running') return;
    this.#transfer.drop();
    if (isTransient(error) && (this.#waitsForReaders || this.#roomWait?.isWaiting)) return;
    this.#retries ??= new Retries(transferLimits);
    if (!this.#retries.mayFollow(error)) {
      this.#end(error);
      return;
    }
    const reason = error instanceof StoreError ? error.code.toLowerCase() : 'status';
    this.#context.retried(this.source.backend, reason);
    const delayMs = this.#retries.nextDelayMs(this.#context.random());
    this.#context.clock.after(delayMs, () => this.#outcome === 'running' && this.start());
  }

  /** Writes the bytes for which there are slots; the rest is buffered and the transfer paused. */
  #store(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.blocks.isComplete) {
      if (this.blocks.isBroughtByOthers()) rest = this.blocks.drop(rest);
      else if (this.blocks.isOpen || this.#openBlock(rest)) rest = this.blocks.write(rest);
      else break;
    }
    this.#waiters.arrivedUntil(this.blocks.position);
    if (this.blocks.isComplete) this.#end('done');
  }

  /** False when the bytes must wait, for a slot or for readers, or are not needed. */
  #openBlock(rest: Buffer): boolean {
    const pace = this.isWhole ? this.#pace() : 'go';
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

  #pace(): 'go' | 'hold' | 'stop' {
    return this.#context.readers.pace(this.generation, this.blocks.position);
  }

  /** Whether extents with waiting readers lack slots: read-ahead must not take any then. */
  get #lacksRoom(): boolean {
    return this.#context.slots.waitingFirst(this.generation.fillGroup) > 0;
  }

  #takeRoom(): boolean {
    if (!this.#waiters.isAwaited && this.#lacksRoom) return false;
    const isOpen = this.blocks.open();
    if (isOpen) this.#roomWait?.end();
    return isOpen;
  }

  #waitForRoom(): void {
    this.#roomWait ??= new SlotWait(this.#context, () => this.#guarded(() => this.#retry()));
    this.#roomWait.begin(this.#waiters.isAwaited, this.generation.fillGroup);
    if (this.#roomWait.exceedsFirstByteLimit) this.#waiters.refuseFirst(new OverloadedError());
    if (this.#roomWait.keepsConnection) return;
    // From now on the extent waits without a connection, or ends if it has no readers.
    if (this.#isWanted()) this.#transfer.giveUp();
    else this.#end('done');
  }

  /** A slot may be free: for buffered bytes, or for bytes to request again. */
  #retry(): void {
    if (this.#outcome !== 'running') return;
    if (this.#transfer.hasBuffered) this.#retryBuffered();
    else if (this.blocks.isBroughtByOthers() || this.#takeRoom()) this.start();
    else this.#waitForRoom();
  }

  #retryBuffered(): void {
    const buffered = this.#transfer.takeBuffered();
    if (!buffered || this.#outcome !== 'running') return;
    this.#waitsForReaders = false;
    this.#store(buffered);
    if (this.#transfer.hasBuffered) return;
    // Also if those were the last bytes: a paused connection would not report its end.
    this.#transfer.resume();
    if (this.#transfer.isComplete) this.#end('done');
  }

  /** Isolates exceptions outside the store's callbacks: they fail only this transfer. */
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
    if (outcome instanceof StoreError && outcome.code === 'FAULT') this.#context.faults?.note(outcome);
    try {
      this.blocks.end();
      if (this.blocks.position < this.#askedTo) this.#transfer.abort();
      this.#transfer.drop();
      this.#roomWait?.end();
      this.#owner.ended(this);
    } finally {
      this.#waiters.settle(outcome);
    }
  }
}
