import { clientOf } from '../../base/client-quota.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import { DesertedError } from '../fill/fill-error.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ClientRead } from '../request/client-read.ts';
import type { Asker } from './object-source.ts';

/**
 * An answer that waits for the store. When its client disconnects, the references to it are dropped: the store may take
 * long, and the request goes on where others share it, see `ReadFlights`.
 */
export class WaitingAnswer<Answer> {
  /** The waiting client; undefined when it has disconnected or was answered. */
  client: ClientRead | undefined;
  #answer: Answer | undefined;
  #leave: (() => void) | undefined;
  readonly #leaving = new AbortController();
  readonly #quota: string;

  /** @throws TooManyRequestsError */
  constructor(answer: Answer, client: ClientRead, observer: ExchangeObserver) {
    const { exchange } = client;
    const { response } = exchange;
    observer.waitsForStore(exchange);
    this.client = client;
    this.#quota = clientOf(clientAddressOf(response.req));
    this.#answer = answer;
    const leave = exchange.guard(() => {
      this.#detach();
      exchange.hasClientLeft = true;
      this.#leaving.abort(new DesertedError());
      observer.sent(exchange);
    });
    this.#leave = leave;
    if (response.destroyed) leave();
    else response.on('close', leave);
  }

  /** The client, as the store's questions know it. */
  get asker(): Asker {
    return { gone: this.#leaving.signal, client: this.#quota };
  }

  /** The answer, to be given by the caller; undefined when the client is gone. */
  take(): Answer | undefined {
    const answer = this.#answer;
    this.#detach();
    return answer;
  }

  #detach(): void {
    if (this.#leave) this.client?.exchange.response.off('close', this.#leave);
    this.client = undefined;
    this.#answer = undefined;
    this.#leave = undefined;
  }
}
