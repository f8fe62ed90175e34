import { CollectedReply } from '../../backend/collected-reply.ts';
import type { Store, StoreCall, StoreReplyHead, StoreRequest } from '../../backend/store.ts';
import { isRefusal } from '../fill/fill-error.ts';
import type { PassedReceiver } from '../pass/pass-through.ts';
import { isFailingStatus, mayFallBack } from './store-failure.ts';

interface FallbackParts {
  readonly store: Store;
  /** The store of the bucket's fallback, see `readAtFallback`; undefined if it is not to be asked. */
  readonly fallback: Store | undefined;
  /** Called when the first store has failed and the fallback is asked. */
  readonly onFallback: () => void;
}

/**
 * Sends a read to the store of a bucket, and to the fallback store if the first one fails before it has answered. A
 * refusal by the fallback is not passed on, because a replica may lack objects: the client then gets the failure of the
 * first store.
 */
export class FallbackRead implements StoreCall, PassedReceiver {
  readonly #receiver: PassedReceiver;
  readonly #onFallback: () => void;
  readonly #fallback: Store;
  readonly #request: StoreRequest;
  #call: StoreCall | undefined;
  #isPaused = false;
  /** Passes the first store's failure to the receiver; undefined until that store has failed. */
  #tellFailure: (() => void) | undefined;
  /** The first store's answer, if its status is a failure. */
  #failing: CollectedReply | undefined;
  #phase: 'primary' | 'fallback' | 'answered' | 'over' = 'primary';

  private constructor(
    request: StoreRequest,
    receiver: PassedReceiver,
    fallback: Store,
    onFallback: () => void,
  ) {
    this.#request = request;
    this.#receiver = receiver;
    this.#fallback = fallback;
    this.#onFallback = onFallback;
  }

  static send(
    { store, fallback, onFallback }: FallbackParts,
    request: StoreRequest,
    receiver: PassedReceiver,
  ): StoreCall {
    if (!fallback) return store.send(request, receiver);
    const read = new FallbackRead(request, receiver, fallback, onFallback);
    read.#call = store.send(request, read);
    return read;
  }

  pause(): void {
    this.#isPaused = true;
    this.#call?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#call?.resume();
  }

  took(lengthBytes: number): void {
    this.#call?.took(lengthBytes);
  }

  abort(): void {
    this.#phase = 'over';
    this.#call?.abort();
  }

  answered(head: StoreReplyHead): void {
    if (this.#phase === 'primary' && isFailingStatus(head.status)) this.#failing = new CollectedReply(head);
    else if (this.#phase === 'fallback' && isRefusal(head.status)) this.#giveUp();
    else {
      this.#phase = 'answered';
      this.#receiver.answered(head);
    }
  }

  arrived(chunk: Buffer): void {
    if (this.#phase === 'answered') this.#receiver.arrived(chunk);
    else this.#failing?.arrived(chunk);
  }

  ended(): void {
    if (this.#phase === 'answered') this.#receiver.ended();
    else if (this.#phase === 'primary') {
      const { body, ...head } = this.#failing?.whole() ?? { status: 502, fields: [], body: Buffer.alloc(0) };
      this.#fallBack(() => {
        this.#receiver.answered(head);
        if (body.length > 0) this.#receiver.arrived(body);
        this.#receiver.ended();
      });
    }
  }

  failed(error: unknown): void {
    if (this.#phase === 'primary' && mayFallBack(error)) this.#fallBack(() => this.#receiver.failed(error));
    else if (this.#phase === 'fallback') this.#giveUp();
    else if (this.#phase !== 'over') this.#receiver.failed(error);
  }

  #fallBack(tellFailure: () => void): void {
    this.#phase = 'fallback';
    this.#tellFailure = tellFailure;
    this.#onFallback();
    this.#call = this.#fallback.send(this.#request, this);
    if (this.#isPaused) this.#call.pause();
  }

  #giveUp(): void {
    this.#phase = 'over';
    this.#call?.abort();
    this.#tellFailure?.();
  }
}
