import type { SentCall } from './queued-call.ts';
import type { StoreError, StoreReceiver, StoreReplyHead } from './store.ts';

/** A second connection of the pool may be closed like the first one. */
const RESENDS = 2;

/**
 * A read that is sent again when its connection breaks before the answer. Stores close idle connections, some of them
 * just when the next request is on its way (RFC 9112 §9.3.1; RFC 9110 §9.2.2 allows it for safe methods).
 */
export class ResentRead implements SentCall, StoreReceiver {
  readonly #send: (receiver: StoreReceiver) => SentCall;
  readonly #receiver: StoreReceiver;
  readonly #resent: () => void;
  #call: SentCall;
  #isPaused = false;
  #isFinal = false;
  #resends = 0;

  /**
   * @param send sends the request
   * @param resent called when it is sent again
   */
  constructor(send: (receiver: StoreReceiver) => SentCall, receiver: StoreReceiver, resent: () => void) {
    this.#send = send;
    this.#receiver = receiver;
    this.#resent = resent;
    this.#call = send(this);
  }

  pause(): void {
    this.#isPaused = true;
    this.#call.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#call.resume();
  }

  abort(): void {
    this.#isFinal = true;
    this.#call.abort();
  }

  giveUp(error: StoreError): void {
    this.#isFinal = true;
    this.#call.giveUp(error);
  }

  answered(head: StoreReplyHead): void {
    this.#isFinal = true;
    this.#receiver.answered(head);
  }

  arrived(chunk: Buffer): void {
    this.#receiver.arrived(chunk);
  }

  ended(): void {
    this.#receiver.ended();
  }

  failed(error: StoreError): void {
    if (this.#isFinal || this.#resends === RESENDS || error.code !== 'BROKEN') {
      this.#receiver.failed(error);
      return;
    }
    this.#resends++;
    this.#resent();
    this.#call = this.#send(this);
    if (this.#isPaused) this.#call.pause();
  }
}
