import { ClientQuota, clientOf } from '../../base/client-quota.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import type { Exchange } from './exchange.ts';
import { KeyConnections } from './key-connections.ts';

/** Limits on what clients may request. */
export interface RequestLimits {
  /** Longest request target; a longer one is refused before any look-up. */
  readonly urlBytes: number;
  /** Requests waiting for stores: in total, per client address, and per access key. */
  readonly requests: number;
  readonly requestsPerAddress: number;
  readonly requestsPerAccessKey: number;
  /** Open connections on which requests of one access key have come. */
  readonly connectionsPerAccessKey: number;
}

/** Body bytes per second that a worker sends to one client; 0: no limit. */
export interface RateLimits {
  readonly ratePerAddressBytes: number;
  readonly ratePerAccessKeyBytes: number;
}

/** A limit on requests waiting for stores, or on the connections of an access key, is reached. */
export class TooManyRequestsError extends Error {
  readonly code = 'TOO_MANY_REQUESTS';

  /** @param limit the key of the limit, for the log */
  constructor(limit: 'requests' | 'requestsPerAddress' | 'requestsPerAccessKey' | 'connectionsPerAccessKey') {
    const what =
      limit === 'connectionsPerAccessKey'
        ? 'the access key has too many connections'
        : 'too many requests are waiting for stores';
    super(`${what} (limits.${limit})`);
  }
}

/**
 * Counts requests that wait for a store, from the memory miss until the response is complete or the client has
 * disconnected; then also until a write that is under way for it is over.
 */
export class Admission {
  readonly #addresses: ClientQuota;
  /** Access keys whose signatures were valid. */
  readonly #accessKeys: ClientQuota;
  readonly #connections: KeyConnections;

  constructor(limits: RequestLimits) {
    this.#connections = new KeyConnections(limits.connectionsPerAccessKey);
    this.#addresses = new ClientQuota(addressQuota(limits));
    this.#accessKeys = new ClientQuota(accessKeyQuota(limits));
  }

  /** Changes the limits; requests admitted before stay. */
  limit(limits: RequestLimits): void {
    this.#addresses.limit(addressQuota(limits));
    this.#accessKeys.limit(accessKeyQuota(limits));
    this.#connections.limit(limits.connectionsPerAccessKey);
  }

  /**
   * Counts the connection of `exchange` for the access key that has signed it.
   *
   * @throws TooManyRequestsError when the key has as many connections as it may have
   */
  admitConnection({ response, caller }: Exchange): void {
    if (caller === undefined || this.#connections.take(response.req.socket, caller)) return;
    throw new TooManyRequestsError('connectionsPerAccessKey');
  }

  /** Requests counted at the moment, and their distinct clients. */
  get waiting(): { readonly requests: number; readonly clients: number } {
    return { requests: this.#addresses.used, clients: this.#addresses.clients };
  }

  /**
   * Counts `exchange` for its address, and for its access key once that is known; only once, however many store
   * requests it makes. The caller of a form is known only after its fields have arrived.
   *
   * @throws TooManyRequestsError when a limit is reached
   */
  admit(exchange: Exchange): void {
    const { response, caller } = exchange;
    // a closed response does not emit `close` again
    if (response.closed) return;
    if (!exchange.isAdmitted) this.#admitAddress(exchange, clientOf(clientAddressOf(response.req)));
    if (caller === undefined || exchange.admittedCaller !== undefined) return;
    this.admitConnection(exchange);
    if (!this.#accessKeys.take(caller)) throw new TooManyRequestsError('requestsPerAccessKey');
    exchange.admittedCaller = caller;
  }

  #admitAddress(exchange: Exchange, client: string): void {
    if (!this.#addresses.take(client))
      throw new TooManyRequestsError(this.#addresses.isFull ? 'requests' : 'requestsPerAddress');
    exchange.isAdmitted = true;
    exchange.response.once('close', () =>
      exchange.whenWritten(() => {
        this.#addresses.giveBack(client);
        if (exchange.admittedCaller !== undefined) this.#accessKeys.giveBack(exchange.admittedCaller);
      }),
    );
  }
}

function addressQuota({ requests, requestsPerAddress }: RequestLimits) {
  return { inAll: requests, perClient: requestsPerAddress };
}

/** Requests in total are counted by address. */
function accessKeyQuota({ requestsPerAccessKey }: RequestLimits) {
  return { inAll: Infinity, perClient: requestsPerAccessKey };
}
