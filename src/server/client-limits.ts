/** What clients may do at a listener. */
export interface ClientLimits {
  /** Request line and headers of one request. */
  readonly headersBytes: number;
  /** Requests that wait behind others on their connections, in all and on one. Half of all may be of one client. */
  readonly requests: number;
  readonly requestsPerConnection: number;
  /** Open connections, in all and by client address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
}
