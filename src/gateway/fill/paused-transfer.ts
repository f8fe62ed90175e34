import type { StoreCall } from '../../backend/store.ts';
import type { Clock, Timer } from '../../base/clock.ts';

/**
 * How long a transfer keeps its connection while its readers are far behind. Longer than while there are no slots,
 * because a store that ignores ranges starts again from the first byte.
 */
const READERS_LIMIT_MS = 10_000;

/** A transfer from the store, with received bytes for which there is no slot yet. */
export class PausedTransfer {
  readonly #clock: Clock;
  #limit: Timer | undefined;
  #call: StoreCall | undefined;
  #buffered: Buffer | undefined;
  #isComplete = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether received bytes are buffered. */
  get hasBuffered(): boolean {
    return this.#buffered !== undefined;
  }

  /** Whether the transfer has ended and only the buffered bytes are left. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  begin(call: StoreCall | undefined): void {
    this.#call = call;
  }

  /** The transfer has ended. */
  complete(): void {
    this.#isComplete = true;
  }

  /** Buffers a copy of `rest` and pauses the transfer until `resume`. */
  buffer(rest: Buffer): void {
    this.#buffered = Buffer.from(rest);
    this.#call?.pause();
  }

  /** The same while readers are far behind; after a time limit the connection is released. */
  bufferUntilReadersCome(rest: Buffer): void {
    this.buffer(rest);
    this.#limit = this.#clock.after(READERS_LIMIT_MS, () => this.giveUp());
  }

  /** The buffered bytes followed by `chunk`; empties the buffer. */
  joined(chunk: Buffer): Buffer {
    if (!this.#buffered) return chunk;
    const whole = Buffer.concat([this.#buffered, chunk]);
    this.drop();
    return whole;
  }

  takeBuffered(): Buffer | undefined {
    const buffered = this.#buffered;
    this.drop();
    return buffered;
  }

  resume(): void {
    this.#call?.resume();
  }

  /**
   * Aborts the transfer; buffered and missing bytes are requested again later. Does nothing once the transfer is
   * complete.
   */
  giveUp(): void {
    if (this.#isComplete) return;
    this.abort();
    this.drop();
  }

  /** Discards the buffered bytes. */
  drop(): void {
    this.#buffered = undefined;
    this.#limit?.cancel();
  }

  abort(): void {
    this.#call?.abort();
    this.#call = undefined;
  }

  /** Detaches the transfer, for use by another extent. */
  handOver(): StoreCall | undefined {
    const call = this.#call;
    this.#call = undefined;
    return call;
  }
}
