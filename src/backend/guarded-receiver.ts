import { StoreError, type StoreReceiver, type StoreReplyHead } from './store.ts';

/**
 * Hands an answer on to a receiver, whatever that does: what the receiver throws ends its own call and no other. The call
 * is given up, and the receiver is told that it has failed.
 */
export class GuardedReceiver implements StoreReceiver {
  readonly #receiver: StoreReceiver;
  readonly #giveUp: () => void;
  readonly #onFault: (error: unknown) => void;
  #state: 'waiting' | 'answered' | 'over' = 'waiting';

  /**
   * @param giveUp ends the call, of which nothing more is wanted.
   * @param onFault told of what the receiver threw when it was told that the call has failed.
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
      this.failed(new StoreError('INVALID', 'the store sent no answer', undefined));
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

  /** Nothing more of the answer is wanted: the receiver hears why. */
  refuse(error: StoreError): void {
    if (this.#state === 'over') return;
    try {
      this.#giveUp();
    } finally {
      this.failed(error);
    }
  }
}

/** An exception of the gateway's own code, as the end of a call. */
export function faultOf(error: unknown): StoreError {
  return new StoreError('FAULT', 'the answer could not be processed', error);
}
