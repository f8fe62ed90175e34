import { StoreError, type StoreReceiver, type StoreReplyHead } from './store.ts';

/**
 * Isolates a receiver's exceptions: when a receiver throws, its own call is aborted and fails, and no other call is
 * affected.
 */
export class GuardedReceiver implements StoreReceiver {
  readonly #receiver: StoreReceiver;
  readonly #giveUp: () => void;
  readonly #onFault: (error: unknown) => void;
  #state: 'waiting' | 'answered' | 'over' = 'waiting';

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
    try {
      this.#receiver.answered(head);
    } catch (error) {
      this.refuse(faultOf(error));
    }
  }

  arrived(chunk: Buffer): void {
    if (this.#state !== 'answered') return;
    try {
      this.#receiver.arrived(chunk);
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
