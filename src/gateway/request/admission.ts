import { ClientQuota, clientOf } from '../../base/client-quota.ts';
import type { Exchange } from './exchange.ts';

/** Limits on what clients may request. */
export interface RequestLimits {
  /** Longest request target; a longer one is refused before any look-up. */
  readonly urlBytes: number;
  /** Requests waiting for stores, in total and per client address. */
  readonly requests: number;
  readonly requestsPerAddress: number;
}

/** The limit of requests waiting for stores is reached, in total or for this client. */
export class TooManyRequestsError extends Error {
  readonly code = 'TOO_MANY_REQUESTS';

  constructor() {
    super('too many requests are waiting for stores');
  }
}

/**
 * Counts requests that wait for a store, from the memory miss until the response is complete or the client has
 * disconnected; then also until a write that is under way for it is over.
 */
export class Admission {
  readonly #quota: ClientQuota;

  constructor(limits: RequestLimits) {
    this.#quota = new ClientQuota(quotaOf(limits));
  }

  /** Changes the limits; requests admitted before stay. */
  limit(limits: RequestLimits): void {
    this.#quota.limit(quotaOf(limits));
  }

  /** Requests counted at the moment, and their distinct clients. */
  get waiting(): { readonly requests: number; readonly clients: number } {
    return { requests: this.#quota.used, clients: this.#quota.clients };
  }

  /**
   * Counts `exchange`, at most once however many store requests it makes.
   *
   * @throws TooManyRequestsError when a limit is reached
   */
  admit(exchange: Exchange): void {
    const { response } = exchange;
    // a closed response does not emit `close` again
    if (exchange.isAdmitted || response.closed) return;
    const client = clientOf(response.req.socket.remoteAddress);
    if (!this.#quota.take(client)) throw new TooManyRequestsError();
    exchange.isAdmitted = true;
    response.once('close', () => exchange.whenWritten(() => this.#quota.giveBack(client)));
  }
}

function quotaOf({ requests, requestsPerAddress }: RequestLimits) {
  return { inAll: requests, perClient: requestsPerAddress };
}
