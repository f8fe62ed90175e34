import type { ServerResponse } from 'node:http';
import type { StoreCall } from '../../backend/store.ts';
import { cutOff } from '../../transport/cut-off.ts';
import { holdBack } from '../../transport/held-back.ts';
import { sendQueueOf } from '../../transport/stream-response.ts';
import { queuedBytes } from '../../transport/write-queue.ts';
import type { BodyRate } from '../reply/body-rates.ts';
import type { PendingSend, PendingSends } from '../reply/pending-sends.ts';

/**
 * Writes the body of a store's answer to the client, and pauses the store call while the connection has not accepted
 * it. A slow client may need longer for a chunk of a fast store (256 KiB) than a call may stay paused while others
 * wait, so the call is told how much the connection accepts.
 */
export class PassedBody implements PendingSend {
  readonly loan = undefined;
  readonly #response: ServerResponse;
  readonly #sends: PendingSends;
  readonly #goOn: () => void;
  readonly #mayGoOn: () => void;
  readonly #rate: BodyRate | undefined;
  #call: StoreCall | undefined;
  #isPaused = false;
  /** Written bytes that were not yet reported to the call as taken. */
  #untoldBytes = 0;
  #whenTaken: (() => void) | undefined;
  /** Cancels the wait for the client's rate limit; undefined while nothing waits. */
  #endWait: (() => void) | undefined;

  /**
   * @param rate how fast the client may have the body; undefined: no limit
   * @param guard wraps event handlers that may throw
   */
  constructor(
    response: ServerResponse,
    sends: PendingSends,
    rate: BodyRate | undefined,
    guard: (step: () => void) => () => void,
  ) {
    this.#response = response;
    this.#sends = sends;
    this.#rate = rate;
    this.#goOn = guard(() => this.#resume());
    this.#mayGoOn = guard(() => this.#endWait?.());
  }

  get socket(): object | null {
    return sendQueueOf(this.#response);
  }

  /** The call that brings the body; it is paused at once when the client has not accepted what came before. */
  follow(call: StoreCall): void {
    this.#call = call;
    if (this.#isPaused || this.#endWait) call.pause();
  }

  /** Writes a copy of `chunk`. */
  write(chunk: Buffer): void {
    this.#untoldBytes += chunk.length;
    this.#keepRate(chunk.length);
    if (this.#response.write(Buffer.from(chunk))) return;
    if (!this.#isPaused) this.#response.once('drain', this.#goOn);
    this.#isPaused = true;
    this.#call?.pause();
    this.#sends.watch(this);
  }

  /** Calls `then` when the connection has accepted what was written. */
  whenTaken(then: () => void): void {
    if (this.#isPaused) this.#whenTaken = then;
    else then();
  }

  /** Ends writing. */
  over(): void {
    this.#isPaused = false;
    this.#sends.forget(this);
    this.#endWait?.();
  }

  tookSome(): void {
    this.#tellTaken(this.socket ? (queuedBytes(this.socket) ?? 0) : 0);
  }

  cutOff(): void {
    cutOff(this.#response);
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#sends.forget(this);
    this.#tellTaken(0);
    if (!this.#endWait) this.#call?.resume();
    this.#whenTaken?.();
  }

  /** Counts the `sizeBytes` that have just arrived, and pauses the call until the client's rate limit allows more. */
  #keepRate(sizeBytes: number): void {
    const rate = this.#rate;
    if (!rate) return;
    rate.charge(sizeBytes);
    const { waitMs } = rate;
    if (waitMs === 0 || this.#endWait) return;
    const goOn = holdBack(this.#response);
    const timer = rate.clock.after(waitMs, this.#mayGoOn);
    this.#endWait = () => {
      this.#endWait = undefined;
      timer.cancel();
      goOn();
      if (!this.#isPaused) this.#call?.resume();
    };
    this.#call?.pause();
  }

  /** Reports to the call what the connection has accepted: all but the last `leftBytes`. */
  #tellTaken(leftBytes: number): void {
    const takenBytes = this.#untoldBytes - leftBytes;
    if (takenBytes <= 0) return;
    this.#untoldBytes = leftBytes;
    this.#call?.took(takenBytes);
  }
}
