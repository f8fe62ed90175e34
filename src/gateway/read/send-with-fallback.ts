import { CollectedReply } from '../../backend/collected-reply.ts';
import type { Store, StoreCall, StoreReplyHead, StoreRequest } from '../../backend/store.ts';
import { isRefusal } from '../fill/fill-error.ts';
import type { PassedReceiver } from '../pass/pass-through.ts';
import { isFailingStatus, mayFallBack } from './store-failure.ts';

/** Where a read is sent when its own store has failed. */
interface Fallback {
  /** The store of the bucket's fallback, see `readAtFallback`. */
  readonly store: Store;
  /** Called when the first store has failed and the fallback is asked. */
  readonly onAsked: () => void;
  /** Called when the answer of the fallback is the one that the receiver gets, before that. */
  readonly onAnswered: () => void;
}

/**
 * Sends a read to the store of a bucket, and to the fallback store if the first one fails before it has answered. A
 * refusal by the fallback is not passed on, because a replica may lack objects: the client then gets the failure of the
 * first store.
 */
export class FallbackRead implements StoreCall, PassedReceiver {
  readonly #receiver: PassedReceiver;
  readonly #fallback: Fallback;
  readonly #request: StoreRequest;
  #call: StoreCall | undefined;
  #isPaused = false;
  /** Passes the first store's failure to the receiver; undefined until that store has failed. */
  #tellFailure: (() => void) | undefined;
  /** The first store's answer, if its status is a failure. */
  #failing: CollectedReply | undefined;
  #phase: 'primary' | 'fallback' | 'answered' | 'over' = 'primary';

  private constructor(fallback: Fallback, request: StoreRequest, receiver: PassedReceiver) {
    this.#fallback = fallback;
    this.#request = request;
    this.#receiver = receiver;
  }

  static send(store: Store, fallback: Fallback, request: StoreRequest, receiver: PassedReceiver): StoreCall {
    const read = new FallbackRead(fallback, request, receiver);
    read.#call = store.send({ ...request, isFailureUntold: true }, read);
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
      if (this.#phase === 'fallback') this.#fallback.onAnswered();
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
    this.#fallback.onAsked();
    this.#call = this.#fallback.store.send(this.#request, this);
    if (this.#isPaused) this.#call.pause();
  }

  #giveUp(): void {
    this.#phase = 'over';
    this.#call?.abort();
    this.#tellFailure?.();
  }
}
