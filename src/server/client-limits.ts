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
