import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ClientRead } from '../request/client-read.ts';
import type { ObjectAnswer } from './object-answer.ts';

/**
 * An answer that waits for the store. When its client disconnects, the references to it are dropped; the store request
 * goes on, because others may share it and the store may take long.
 */
export class WaitingAnswer {
  #client: ClientRead | undefined;
  #answer: ObjectAnswer | undefined;
  #stopWatching: () => void;

  /** @throws TooManyRequestsError */
  constructor(answer: ObjectAnswer, client: ClientRead, observer: ExchangeObserver) {
    const { exchange } = client;
    const { response } = exchange;
    observer.waitsForStore(exchange);
    this.#client = client;
    this.#answer = answer;
    const leave = exchange.guard(() => {
      this.#detach();
      exchange.hasClientLeft = true;
      observer.sent(exchange);
    });
    this.#stopWatching = () => response.off('close', leave);
    if (response.destroyed) leave();
    else response.on('close', leave);
  }

  /** The waiting client; undefined when it has disconnected or was answered. */
  get client(): ClientRead | undefined {
    return this.#client;
  }

  /** The answer, to be given by the caller; undefined when the client is gone. */
  take(): ObjectAnswer | undefined {
    const answer = this.#answer;
    if (answer) this.#detach();
    return answer;
  }

  #detach(): void {
    this.#stopWatching();
    this.#stopWatching = nothing;
    this.#client = undefined;
    this.#answer = undefined;
  }
}

const nothing = () => undefined;
