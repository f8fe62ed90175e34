import type { ServerResponse } from 'node:http';
import type { StoreCall } from '../../backend/store.ts';
import { cutOff } from '../../transport/cut-off.ts';
import { sendQueueOf } from '../../transport/stream-response.ts';
import { queuedBytes } from '../../transport/write-queue.ts';
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
  #call: StoreCall | undefined;
  #isPaused = false;
  /** Written bytes that were not yet reported to the call as taken. */
  #untoldBytes = 0;
  #whenTaken: (() => void) | undefined;

  /** @param guard wraps event handlers that may throw */
  constructor(response: ServerResponse, sends: PendingSends, guard: (step: () => void) => () => void) {
    this.#response = response;
    this.#sends = sends;
    this.#goOn = guard(() => this.#resume());
  }

  get socket(): object | null {
    return sendQueueOf(this.#response);
  }

  /** The call that brings the body; it is paused at once when the client has not accepted what came before. */
  follow(call: StoreCall): void {
    this.#call = call;
    if (this.#isPaused) call.pause();
  }

  /** Writes a copy of `chunk`. */
  write(chunk: Buffer): void {
    this.#untoldBytes += chunk.length;
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
  }

  tookSome(): void {
    this.#tellTaken(this.socket ? (queuedBytes(this.socket) ?? 0) : 0);
  }

  cutOff(): void {
    cutOff(this.#response);
  }

  #resume(): void {
    const wasPaused = this.#isPaused;
    this.over();
    if (!wasPaused) return;
    this.#tellTaken(0);
    this.#call?.resume();
    this.#whenTaken?.();
  }

  /** Reports to the call what the connection has accepted: all but the last `leftBytes`. */
  #tellTaken(leftBytes: number): void {
    const takenBytes = this.#untoldBytes - leftBytes;
    if (takenBytes <= 0) return;
    this.#untoldBytes = leftBytes;
    this.#call?.took(takenBytes);
  }
}
