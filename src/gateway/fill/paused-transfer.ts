import type { StoreCall } from '../../backend/store.ts';
import type { Clock, Timer } from '../../base/clock.ts';

/**
 * So long a transfer keeps its connection while its readers are far behind: longer than while there is no room, since a
 * store that ignores ranges begins again from the first byte.
 */
const READERS_LIMIT_MS = 10_000;

/** A store's transfer, and what it has brought that there is no place for at the moment. */
export class PausedTransfer {
  readonly #clock: Clock;
  #limit: Timer | undefined;
  #call: StoreCall | undefined;
  #buffered: Buffer | undefined;
  #isComplete = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether something has come and waits. */
  get hasBuffered(): boolean {
    return this.#buffered !== undefined;
  }

  /** Whether nothing comes after what waits. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  begin(call: StoreCall | undefined): void {
    this.#call = call;
  }

  /** All has come. */
  complete(): void {
    this.#isComplete = true;
  }

  /** Keeps a copy of `rest`; nothing more is to come until `resume`. */
  buffer(rest: Buffer): void {
    this.#buffered = Buffer.from(rest);
    this.#call?.pause();
  }

  /** The same while its readers are far behind; when they stay there the connection is given back. */
  bufferUntilReadersCome(rest: Buffer): void {
    this.buffer(rest);
    this.#limit = this.#clock.after(READERS_LIMIT_MS, () => this.giveUp());
  }

  /** What waits and `chunk` behind it; nothing waits any more. */
  joined(chunk: Buffer): Buffer {
    const buffered = this.takeBuffered();
    return buffered ? Buffer.concat([buffered, chunk]) : chunk;
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
   * Aborts the transfer; what is buffered and what is missing is asked for again later. Does nothing once the transfer
   * is complete.
   */
  giveUp(): void {
    if (this.#isComplete) return;
    this.abort();
    this.drop();
  }

  /** Forgets what waits. */
  drop(): void {
    this.#buffered = undefined;
    this.#limit?.cancel();
  }

  abort(): void {
    this.#call?.abort();
    this.#call = undefined;
  }

  /** Leaves the transfer to another. */
  handOver(): StoreCall | undefined {
    const call = this.#call;
    this.#call = undefined;
    return call;
  }
}
