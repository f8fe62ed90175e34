import { StoreError, type StoreReceiver, type StoreReplyHead } from './store.ts';

/** The body of an error ends here, whatever the store sends. Error documents take a few hundred bytes. */
export const ERROR_BODY_LIMIT_BYTES = 64 * 1024;

/**
 * Isolates a receiver's exceptions: when a receiver throws, its own call is aborted and fails, and no other call is
 * affected. Ends the body of an error (300 and above) at its limit: a store that never ended it would keep the request
 * in progress.
 */
export class GuardedReceiver implements StoreReceiver {
  readonly #receiver: StoreReceiver;
  readonly #giveUp: () => void;
  readonly #onFault: (error: unknown) => void;
  #state: 'waiting' | 'answered' | 'over' = 'waiting';
  #leftBytes = Infinity;

  /**
   * @param giveUp aborts the call
   * @param onFault called with an exception that the receiver throws from `failed`
   */
  constructor(receiver: StoreReceiver, giveUp: () => void, onFault: (error: unknown) => void) {
    this.#receiver = receiver;
    this.#giveUp = giveUp;
    this.#onFault = onFault;
  }

  answered(head: StoreReplyHead): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'answered';
    if (head.status >= 300) this.#leftBytes = ERROR_BODY_LIMIT_BYTES;
    try {
      this.#receiver.answered(head);
    } catch (error) {
      this.refuse(faultOf(error));
    }
  }

  arrived(chunk: Buffer): void {
    if (this.#state !== 'answered') return;
    this.#leftBytes -= chunk.length;
    try {
      this.#receiver.arrived(chunk);
      if (this.#leftBytes <= 0) this.#endEarly();
    } catch (error) {
      this.refuse(faultOf(error));
    }
  }

  ended(): void {
    if (this.#state === 'waiting')
      this.failed(new StoreError('INVALID', 'the store ended the response without a head', undefined));
    if (this.#state === 'over') return;
    try {
      this.#receiver.ended();
      this.#state = 'over';
    } catch (error) {
      this.failed(faultOf(error));
    }
  }

  failed(error: StoreError): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    try {
      this.#receiver.failed(error);
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  #endEarly(): void {
    try {
      this.#giveUp();
    } finally {
      this.ended();
    }
  }

  /** Aborts the call; the receiver fails with `error`. */
  refuse(error: StoreError): void {
    if (this.#state === 'over') return;
    try {
      this.#giveUp();
    } finally {
      this.failed(error);
    }
  }
}

/** Wraps an exception of the gateway's own code as the failure of a call. */
export function faultOf(error: unknown): StoreError {
  return new StoreError('FAULT', 'the answer could not be processed', error);
}
