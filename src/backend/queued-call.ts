import type { Clock } from '../base/clock.ts';
import type { CallQueue } from './call-queue.ts';
import { faultOf } from './guarded-receiver.ts';
import type { QueueEntry, QueueVerdict } from './queue-entry.ts';
import { ReaderPause } from './reader-pause.ts';
import { GIVEN_UP, type StoreCall, StoreError, type StoreReceiver, type StoreReplyHead } from './store.ts';
import { type TransferLimits, TransferWatch } from './transfer-watch.ts';

/** A call that was sent to the store. */
export interface SentCall {
  pause(): void;
  resume(): void;
  abort(): void;
  /** Aborts it; its receiver fails with `error`. */
  giveUp(error: StoreError): void;
}

export interface QueuedCallOptions {
  readonly object: string;
  /** See `QueueEntry`. */
  readonly client?: string | undefined;
  /** Whether it may be aborted before it is answered (and repeated later). */
  readonly mayBeGivenUp: boolean;
  readonly send: (receiver: StoreReceiver) => SentCall;
  readonly limits: TransferLimits;
}

/** A call to a store that waits for its turn and is aborted when it is too slow. */
export class QueuedCall implements StoreCall, StoreReceiver, QueueEntry {
  readonly object: string;
  readonly client: string | undefined;
  readonly #options: QueuedCallOptions;
  readonly #queue: CallQueue;
  readonly #clock: Clock;
  readonly #receiver: StoreReceiver;
  #call: SentCall | undefined;
  #watch: TransferWatch | undefined;
  #startedMs = 0;
  #isAnswered = false;
  #isOver = false;
  #isAborted = false;
  readonly #pause = new ReaderPause();

  constructor(options: QueuedCallOptions, receiver: StoreReceiver, queue: CallQueue, clock: Clock) {
    this.object = options.object;
    this.client = options.client;
    this.#options = options;
    this.#queue = queue;
    this.#clock = clock;
    this.#receiver = receiver;
  }

  get silentSinceMs(): number | undefined {
    return this.#isAnswered || !this.#options.mayBeGivenUp ? undefined : this.#startedMs;
  }

  get pausedSinceMs(): number | undefined {
    return this.#pause.sinceMs;
  }

  get keptUntilMs(): number | undefined {
    return this.#pause.keptUntilMs;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  start(): void {
    this.#startedMs = this.#clock.monotonicMs();
    this.#watch = new TransferWatch(this.#options.limits, this.#clock, () => this.#tooSlow());
    try {
      this.#call = this.#options.send(this);
    } catch (error) {
      this.#refuse(faultOf(error));
      return;
    }
    if (this.#isOver) this.#call.abort();
    else if (this.#isPaused) this.#call.pause();
  }

  pause(): void {
    this.#pause.begin(this.#clock.monotonicMs());
    this.#watch?.unwanted();
    this.#call?.pause();
  }

  resume(): void {
    if (!this.#isPaused || this.#isOver) return;
    this.#pause.end();
    this.#watch?.wanted();
    this.#call?.resume();
  }

  took(lengthBytes: number): void {
    this.#pause.took(lengthBytes, this.#clock.monotonicMs());
  }

  stoodStill(durationMs: number): void {
    this.#pause.extend(durationMs, this.#clock.monotonicMs());
  }

  abort(): void {
    this.#isAborted = true;
    if (!this.#end()) return;
    this.#call?.abort();
    this.#queue.leave(this);
  }

  answered(head: StoreReplyHead): void {
    if (this.#isOver) return;
    const sinceMs = this.silentSinceMs;
    this.#isAnswered = true;
    this.#queue.answered(this, sinceMs === undefined ? undefined : this.#clock.monotonicMs() - sinceMs);
    this.#watch?.answered();
    if (this.#isPaused) this.#watch?.unwanted();
    this.#receiver.answered(head);
  }

  arrived(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#watch?.arrived(chunk.length);
    this.#receiver.arrived(chunk);
  }

  ended(): void {
    if (!this.#end()) return;
    try {
      this.#receiver.ended();
    } finally {
      this.#queue.leave(this);
    }
  }

  failed(error: StoreError): void {
    if (!this.#end()) return;
    try {
      this.#receiver.failed(error);
    } finally {
      this.#queue.leave(this);
    }
  }

  endedBy(verdict: QueueVerdict): void {
    const error = errorFor(verdict);
    if (this.#call) this.#call.giveUp(error);
    else this.#refuse(error);
  }

  get #isPaused(): boolean {
    return this.#pause.sinceMs !== undefined;
  }

  #tooSlow(): void {
    this.#call?.giveUp(new StoreError('TIMEOUT', 'the store answers too slowly', undefined, 'TOO_SLOW'));
  }

  /** Fails asynchronously: the caller may not have received the call object yet. */
  #refuse(error: StoreError): void {
    if (!this.#end()) return;
    this.#queue.leave(this);
    queueMicrotask(() => {
      if (!this.#isAborted) this.#receiver.failed(error);
    });
  }

  /** False when it had already ended. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#watch?.end();
    return true;
  }
}

function errorFor(verdict: QueueVerdict): StoreError {
  // a paused call has received part of its answer and can be resumed by another one
  if (verdict === 'paused')
    return new StoreError('BROKEN', 'aborted in favour of waiting calls', undefined, GIVEN_UP);
  return new StoreError('BUSY', `too many calls to the store: ${verdict}`, undefined);
}
