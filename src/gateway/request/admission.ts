import { ClientQuota, clientOf } from '../../base/client-quota.ts';
import type { Exchange } from './exchange.ts';

/** What one client may ask of the gateway. */
export interface RequestLimits {
  /** A longer request target is refused before anything is looked up. */
  readonly urlBytes: number;
  /** Requests that wait for stores, in all and by client address. */
  readonly requests: number;
  readonly requestsPerAddress: number;
}

/** As many requests wait for stores as may, of this client or in all. */
export class TooManyRequestsError extends Error {
  readonly code = 'TOO_MANY_REQUESTS';

  constructor() {
    super('too many requests wait for stores');
  }
}

/**
 * Counts the requests that wait for a store, from when they are found to be no hits of memory until their answers are over
 * or their clients have left.
 */
export class Admission {
  readonly #quota: ClientQuota;

  constructor({ requests, requestsPerAddress }: RequestLimits) {
    this.#quota = new ClientQuota({ inAll: requests, perClient: requestsPerAddress });
  }

  /** Requests that are counted now, and the clients that they are of. */
  get waiting(): { readonly requests: number; readonly clients: number } {
    return { requests: this.#quota.used, clients: this.#quota.clients };
  }

  /**
   * Counts `exchange`, once, whatever it goes on to ask.
   *
   * @throws TooManyRequestsError where that is beyond a limit
   */
  admit(exchange: Exchange): void {
    const { response } = exchange;
    // a closed response emits no second `close`
    if (exchange.isAdmitted || response.closed) return;
    const client = clientOf(response.req.socket.remoteAddress);
    if (!this.#quota.take(client)) throw new TooManyRequestsError();
    exchange.isAdmitted = true;
    response.once('close', () => this.#quota.giveBack(client));
  }
}
