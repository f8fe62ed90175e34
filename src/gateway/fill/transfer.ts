import type { StoreCall } from '../../backend/store.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { copyOf } from './spare-copies.ts';

/**
 * How long a transfer keeps its connection while its readers are far behind. Longer than while there are no slots,
 * because a store that ignores ranges starts again from the first byte.
 */
const READERS_LIMIT_MS = 10_000;

/** A transfer that somebody else has begun. */
export interface RunningTransfer {
  /** Undefined where its sender pauses and aborts it. */
  readonly call: StoreCall | undefined;
  /** Whether anybody waits for what it brings. */
  readonly isAwaited: boolean;
}

/** The transfer that brings the bytes of an extent. It can be paused; bytes that had arrived by then are buffered. */
export class Transfer {
  readonly #clock: Clock;
  #limit: Timer | undefined;
  #call: StoreCall | undefined;
  #buffered: Buffer | undefined;
  /** The memory of the buffered bytes. */
  #memory: ArrayBuffer | undefined;
  #hasEnded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `call` brings the bytes from now on; undefined where its sender pauses and aborts it. */
  begin(call: StoreCall | undefined): void {
    this.#call = call;
  }

  /** Whether received bytes are buffered. */
  get hasBuffered(): boolean {
    return this.#buffered !== undefined;
  }

  /** Pauses the transfer, and buffers `rest` until `takeBuffered`: as a copy, unless it is what is left of buffered bytes. */
  pause(rest: Buffer): void {
    if (rest.buffer === this.#memory) this.#buffered = rest;
    else {
      this.#free();
      const copy = copyOf(rest);
      this.#memory = copy.buffer;
      this.#buffered = copy;
    }
    this.#call?.pause();
  }

  /** The same while readers are far behind; after a time limit the connection is released. */
  pauseForReaders(rest: Buffer): void {
    this.pause(rest);
    this.#limit = this.#clock.after(READERS_LIMIT_MS, () => this.giveUp());
  }

  /** The buffered bytes, followed by `chunk`; empties the buffer. They may be used until `resume`, `pause` or `drop`. */
  takeBuffered(chunk?: Buffer): Buffer | undefined {
    const buffered = this.#buffered;
    this.#buffered = undefined;
    this.#limit?.cancel();
    return buffered && chunk ? Buffer.concat([buffered, chunk]) : (buffered ?? chunk);
  }

  /** All of it has come: only the buffered bytes are left. */
  ended(): void {
    this.#hasEnded = true;
  }

  resume(): void {
    this.#free();
    this.#call?.resume();
  }

  /**
   * Aborts the transfer; buffered and missing bytes are requested again later. Does nothing once the transfer has
   * ended.
   */
  giveUp(): void {
    if (this.#hasEnded) return;
    this.abort();
    this.drop();
  }

  /** Discards the buffered bytes. */
  drop(): void {
    this.#buffered = undefined;
    this.#limit?.cancel();
    this.#free();
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

  /** V8 would free the memory only when tens of MiB have come together, and each pause takes some. */
  #free(): void {
    this.#memory?.transfer(0);
    this.#memory = undefined;
  }
}
