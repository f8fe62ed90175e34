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
}

/** Requests behind others, or on streams beside others: one client may have half of them. */
export function requestQuota({ requests }: ClientLimits) {
  return { inAll: requests, perClient: Math.ceil(requests / 2) };
}

export function connectionQuota({ connections, connectionsPerAddress }: ConnectionLimits) {
  return { inAll: connections, perClient: connectionsPerAddress };
}

export type ConnectionLimits = Pick<ClientLimits, 'connections' | 'connectionsPerAddress'>;
