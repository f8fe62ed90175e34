import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ClientRead } from '../request/client-read.ts';
import type { ObjectAnswer } from './object-answer.ts';

/**
 * An answer that waits for a store. It is let go of when its client leaves: the question goes on, since others may have
 * asked it too, and the store may take its time.
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
      this.#letGo();
      exchange.hasClientLeft = true;
      observer.sent(exchange);
    });
    this.#stopWatching = () => response.off('close', leave);
    if (response.destroyed) leave();
    else response.on('close', leave);
  }

  /** Whoever waits; undefined for one that has left or got the answer. */
  get client(): ClientRead | undefined {
    return this.#client;
  }

  /** The answer, for the caller to give; undefined when nobody waits for it any more. */
  take(): ObjectAnswer | undefined {
    const answer = this.#answer;
    if (answer) this.#letGo();
    return answer;
  }

  #letGo(): void {
    this.#stopWatching();
    this.#stopWatching = nothing;
    this.#client = undefined;
    this.#answer = undefined;
  }
}

const nothing = () => undefined;
