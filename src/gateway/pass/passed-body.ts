import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StoreCall } from '../../backend/store.ts';
import type { PendingSend, PendingSends } from '../reply/pending-sends.ts';

/**
 * Writes the body of a store's answer to the client, and pauses the store call while the connection has not accepted
 * it. A chunk of a fast store may be 256 KiB. A slow client may need longer for it than a call may stay paused while
 * others wait, so the pause is counted anew each time the client accepts some of it.
 */
export class PassedBody implements PendingSend {
  readonly loan = undefined;
  readonly #response: ServerResponse;
  readonly #sends: PendingSends;
  readonly #goOn: () => void;
  #paused: StoreCall | undefined;

  /** @param guard wraps event handlers that may throw */
  constructor(response: ServerResponse, sends: PendingSends, guard: (step: () => void) => () => void) {
    this.#response = response;
    this.#sends = sends;
    this.#goOn = guard(() => this.#resume());
  }

  get socket(): Socket | null {
    return this.#response.socket;
  }

  /** Writes `chunk`, received from `call`. */
  write(chunk: Buffer, call: StoreCall): void {
    if (this.#response.write(Buffer.from(chunk))) return;
    if (!this.#paused) this.#response.once('drain', this.#goOn);
    this.#paused = call;
    call.pause();
    this.#sends.watch(this);
  }

  /** Ends writing. */
  over(): void {
    this.#paused = undefined;
    this.#sends.forget(this);
  }

  tookSome(): void {
    this.#paused?.pause();
  }

  cutOff(): void {
    this.#response.destroy();
  }

  #resume(): void {
    const call = this.#paused;
    this.over();
    call?.resume();
  }
}
