import { faultOf, type StoreCall, StoreError } from '../../backend/store.ts';
import type { Timer } from '../../base/clock.ts';
import type { Generation } from '../../cache/generation.ts';
import type { BlockWriter } from './block-writer.ts';
import { ByteWaiters, type WaitingReader } from './byte-waiters.ts';
import type { ExtentContext } from './extent-context.ts';
import { isTransient, OverloadedError } from './fill-error.ts';
import { RangedRead, type RangeReceiver, type RangeSource } from './ranged-read.ts';
import { Retries } from './retries.ts';
import { SlotWait } from './slot-wait.ts';
import { Transfer } from './transfer.ts';

/** How long the rest of an unwanted block may take; others may need its slot and connection. */
const UNWANTED_MS = 1_000;
const transferLimits = { retries: 5, timeouts: 3, atOnce: 1, firstDelayMs: 50 };

export interface ExtentOwner {
  /** The extent has ended, successfully or not. */
  ended(extent: Extent): void;
  /** The store sends the whole content instead of the range, see `RangeReceiver.whole`. */
  answeredWhole(extent: Extent): RangeReceiver | undefined;
}

/**
 * Fetches missing bytes `[from, to)` of a content from the store into its blocks:
 *
 * 1. `start` requests the bytes, or `adopt` takes over a transfer that is already running.
 * 2. `bytes` writes each chunk to its block and notifies the readers that wait for it, see `reached`.
 * 3. A block needs a slot before its first byte. While there is none, the rest of the chunk is buffered and the transfer
 *    paused, and after a while given up. The same while the readers of a whole content are far behind.
 * 4. `#goOn` stores the buffered bytes and lets the transfer go on, or requests what is missing again.
 * 5. `failed` does so too, when the transfer breaks, after a delay and a few times.
 * 6. The extent ends when all bytes have arrived, when nobody wants the rest (`stopSoon`), or with an error.
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
  readonly #transfer: Transfer;
  /** End of the bytes that the transfer brings. */
  #askedTo: number;
  readonly #waiters = new ByteWaiters();
  /** Looks whether a transfer that was taken over has got a reader. */
  #unread: Timer | undefined;
  readonly #slotWait: SlotWait;
  #waitsFor: 'bytes' | 'readers' | 'slot' = 'bytes';
  readonly #retries = new Retries(transferLimits);
  #outcome: 'running' | 'done' | Error = 'running';

  constructor(blocks: BlockWriter, source: RangeSource, context: ExtentContext, owner: ExtentOwner) {
    this.generation = blocks.generation;
    this.source = source;
    this.blocks = blocks;
    this.#context = context;
    this.#owner = owner;
    this.#transfer = new Transfer(context.clock);
    this.#slotWait = new SlotWait(context, () => this.#guarded(() => this.#slotMayBeFree()));
    this.#askedTo = blocks.to;
  }

  /** Requests the missing bytes from the store. */
  start(): void {
    this.#waitsFor = 'bytes';
    this.#slotWait.end();
    const { position, to } = this.blocks;
    this.#askedTo = to;
    this.#guarded(() => {
      const { generation, source } = this;
      const isOfOthers = () => source.isByVersion === true || generation.isAskedVariously;
      const read = new RangedRead(generation.identity, position, to, this, isOfOthers);
      this.#transfer.begin(this.source.send(position, to, read));
    });
  }

  /**
   * Takes over a running transfer; the caller passes bytes from `from` on to `bytes`. Of a long transfer only the bytes
   * before `limitTo` are taken, so that nothing is fetched without a reader.
   */
  adopt(call: StoreCall | undefined, limitTo: number, isWhole: boolean): void {
    this.#transfer.begin(call);
    this.blocks.limit(limitTo);
    this.isWhole = isWhole;
    // who asked may have got an answer without a body, or have left: nobody else would stop it
    this.#unread = this.#context.clock.after(UNWANTED_MS, () => {
      const { position, to } = this.blocks;
      if (!this.#context.readers.isWanted(this.generation, position, to)) this.stopSoon();
    });
  }

  bytes(chunk: Buffer): void {
    if (this.#outcome !== 'running') return;
    this.#retries.progressed(chunk.length);
    if (this.#waitsFor === 'bytes') this.#store(chunk);
    else this.#goOn(chunk);
  }

  /** Writes the bytes for which there are slots. False when the rest has to wait, or is not needed. */
  #store(chunk: Buffer): boolean {
    let rest = chunk;
    while (rest.length > 0 && !this.blocks.isComplete) {
      const next = this.#nextBlock();
      if (next === 'open') rest = this.blocks.write(rest);
      else if (next === 'of others') rest = this.blocks.drop(rest);
      else {
        if (next === 'unwanted') this.#end('done');
        else this.#hold(rest, next);
        return false;
      }
      // before the next block is opened, which may evict this one
      this.#waiters.arrivedUntil(this.blocks.position);
    }
    if (this.blocks.isComplete) this.#end('done');
    return true;
  }

  /** What the next byte may be written to, or has to wait for. */
  #nextBlock(): 'open' | 'of others' | 'readers' | 'slot' | 'unwanted' {
    if (this.blocks.passOver()) return 'of others';
    if (this.blocks.isOpen) return 'open';
    const pace = this.#pace();
    if (pace === 'stop') return 'unwanted';
    if (pace === 'hold') return 'readers';
    return this.#takeSlot() ? 'open' : 'slot';
  }

  /** Keeps `rest`, with the transfer paused, until there are readers or a slot for it. */
  #hold(rest: Buffer, until: 'readers' | 'slot'): void {
    this.#waitsFor = until;
    if (until === 'readers') {
      this.#slotWait.end();
      this.#transfer.pauseForReaders(rest);
    } else {
      this.#transfer.pause(rest);
      this.#waitForSlot();
    }
  }

  #pace(): 'go' | 'hold' | 'stop' {
    return this.isWhole ? this.#context.readers.pace(this.generation, this.blocks.position) : 'go';
  }

  /** Opens the next block, if a slot can be had for it. */
  #takeSlot(): boolean {
    if (!this.#waiters.isAwaited && this.#othersNeedSlots) return false;
    const isOpen = this.blocks.open();
    if (isOpen) this.#slotWait.end();
    return isOpen;
  }

  /** Whether extents with waiting readers lack slots: read-ahead must not take any then. */
  get #othersNeedSlots(): boolean {
    return this.#context.slots.waitingFirst(this.generation.fillGroup) > 0;
  }

  #waitForSlot(): void {
    this.#slotWait.begin(this.#waiters.awaitedBy, this.generation.fillGroup);
    this.#waiters.refuse(this.#slotWait.totalMs, new OverloadedError());
    if (this.#slotWait.keepsConnection) return;
    // From now on the extent waits without a connection, or ends if it has no readers.
    if (this.#isWanted()) this.#transfer.giveUp();
    else this.#end('done');
  }

  #slotMayBeFree(): void {
    if (this.#outcome !== 'running') return;
    // a new request is sent only when there is a slot for its first bytes
    if (this.#transfer.hasBuffered || this.blocks.passOver() || this.#takeSlot()) this.#goOn();
    else this.#waitForSlot();
  }

  /** A reader of the content has advanced. */
  readerAdvanced(): void {
    if (this.#waitsFor === 'readers' && this.#pace() === 'go') this.#guarded(() => this.#goOn());
  }

  /** Ends a wait: stores the buffered bytes and `chunk`, or requests the missing ones again if the transfer was given up. */
  #goOn(chunk?: Buffer): void {
    const bytes = this.#transfer.takeBuffered(chunk);
    if (!bytes) {
      this.start();
      return;
    }
    this.#waitsFor = 'bytes';
    if (!this.#store(bytes)) return;
    this.#slotWait.end();
    // Also if those were the last bytes: a paused connection would not report its end.
    this.#transfer.resume();
  }

  done(): void {
    if (this.#transfer.hasBuffered) this.#transfer.ended();
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
    // the end of the wait requests the bytes again
    if (isTransient(error) && this.#waitsFor !== 'bytes') return;
    const delayMs = this.#retries.delayAfterMs(error, this.source, this.#context);
    if (delayMs === undefined) this.#end(error);
    else this.#context.clock.after(delayMs, () => this.#outcome === 'running' && this.start());
  }

  /** Isolates exceptions outside the store's callbacks: they fail only this transfer. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.failed(faultOf(error));
    }
  }

  /**
   * Resolves when the byte at `position` has arrived or the extent has ended successfully; rejects when it failed.
   * Bytes before the extent come from the block's other fill, so it waits for the whole block.
   *
   * @param slotLimitMs how long it may wait for slots, infinite in the middle of an answer: rejects with OverloadedError
   * after that, or when the slot was taken back
   * @param reader who waits, see `left`
   */
  reached(position: number, slotLimitMs = Infinity, reader?: WaitingReader): Promise<void> {
    if (this.#outcome instanceof Error) return Promise.reject(this.#outcome);
    const awaited = this.blocks.awaitedFor(position);
    if (this.#outcome === 'done' || this.blocks.position > awaited) return Promise.resolve();
    const refusedAtMs = this.#slotWait.refusalMs(slotLimitMs);
    const isLost = slotLimitMs < Infinity && this.blocks.hasGivenBack(position);
    if (isLost || this.#slotWait.hasRefused(refusedAtMs)) return Promise.reject(new OverloadedError());
    return this.#waiters.wait(awaited, refusedAtMs, reader);
  }

  /** How long it has waited for slots so far. */
  get slotWaitMs(): number {
    return this.#slotWait.totalMs;
  }

  /** `reader` has left: nothing more is fetched for it, and its wait ends. */
  left(reader: object): void {
    this.#waiters.left(reader);
  }

  /** Nobody needs the rest: ends after the current block, or earlier if that arrives slowly. */
  stopSoon(): void {
    if (this.#outcome !== 'running') return;
    this.blocks.limitToBlock();
    if (this.blocks.isComplete || !this.blocks.isOpen || this.#othersNeedSlots) this.#end('done');
    else
      this.#context.clock.after(UNWANTED_MS, () => {
        if (!this.#isWanted()) this.#end('done');
      });
  }

  #isWanted(): boolean {
    const { position, to } = this.blocks;
    return this.#waiters.isAwaited || this.#context.readers.isWantedSoon(this.generation, position, to);
  }

  /** Ends, because another extent fetches the same bytes. */
  giveWay(): void {
    this.#end('done');
  }

  /** Ends, and leaves the transfer to another extent. */
  handOver(): StoreCall | undefined {
    const call = this.#transfer.handOver();
    this.#end('done');
    return call;
  }

  #end(outcome: 'done' | Error): void {
    if (this.#outcome !== 'running') return;
    this.#outcome = outcome;
    this.#unread?.cancel();
    if (outcome instanceof StoreError && outcome.code === 'FAULT') this.#context.faults?.note(outcome);
    try {
      this.blocks.end();
      if (this.blocks.position < this.#askedTo) this.#transfer.abort();
      this.#transfer.drop();
      this.#slotWait.end();
      this.#owner.ended(this);
    } finally {
      this.#waiters.settle(outcome);
    }
  }
}
