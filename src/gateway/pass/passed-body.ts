import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StoreCall } from '../../backend/store.ts';
import type { PendingSend, PendingSends } from '../reply/pending-sends.ts';

/**
 * Writes the body of a store's answer to the client and pauses the store's call while the connection has not taken it. A
 * piece of a fast store may be 256 KiB, for which a slow client needs longer than a call may stay paused while others
 * wait: each time the client takes some of it, the pause counts from then on.
 */
export class PassedBody implements PendingSend {
  readonly loan = undefined;
  readonly #response: ServerResponse;
  readonly #sends: PendingSends;
  readonly #goOn: () => void;
  #paused: StoreCall | undefined;

  /** @param guard makes a callback for events of what may throw. */
  constructor(response: ServerResponse, sends: PendingSends, guard: (step: () => void) => () => void) {
    this.#response = response;
    this.#sends = sends;
    this.#goOn = guard(() => this.#resume());
  }

  get socket(): Socket | null {
    return this.#response.socket;
  }

  /** Writes `chunk` that `call` has brought. */
  write(chunk: Buffer, call: StoreCall): void {
    if (this.#response.write(Buffer.from(chunk))) return;
    if (!this.#paused) this.#response.once('drain', this.#goOn);
    this.#paused = call;
    call.pause();
    this.#sends.watch(this);
  }

  /** Nothing more is written. */
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
