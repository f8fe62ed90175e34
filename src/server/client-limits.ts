/** Limits on what clients may use of a listener. */
export interface ClientLimits {
  /** Size of the request line and headers of one request. */
  readonly headersBytes: number;
  /**
   * Requests queued behind others on their connections: in total, and per connection. One client may have half of the
   * total.
   */
  readonly requests: number;
  readonly requestsPerConnection: number;
  /** Open connections: in total, and per client address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly timeouts: ClientTimeouts;
  /** Minimum rate of a request body in bytes per second, measured over `timeouts.bodyMs`; 0: none. */
  readonly minRateBytes: number;
}

/** Time limits for clients. */
interface ClientTimeouts {
  /** For the request line and the headers. */
  readonly headersMs: number;
  /** The window over which the rate of a body is measured. */
  readonly bodyMs: number;
  /** For a connection on which no bytes move. */
  readonly idleMs: number;
}

/** Requests behind others, or on streams beside others: one client may have half of them. */
export function requestQuota({ requests }: ClientLimits) {
  return { inAll: requests, perClient: Math.ceil(requests / 2) };
}

export function connectionQuota({ connections, connectionsPerAddress }: ConnectionLimits) {
  return { inAll: connections, perClient: connectionsPerAddress };
}

export type ConnectionLimits = Pick<ClientLimits, 'connections' | 'connectionsPerAddress'>;
