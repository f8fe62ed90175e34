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
  /** The slowest body: bytes per second, measured over `timeouts.bodyMs`; 0: any. */
  readonly minRateBytes: number;
}

/** How long clients may take. */
interface ClientTimeouts {
  /** For a request line and headers. */
  readonly headersMs: number;
  /** The time over which the rate of a body is measured. */
  readonly bodyMs: number;
  /** For anything at all to move on a connection. */
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
