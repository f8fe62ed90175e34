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

/** Those of a configuration that names none. */
export const defaultLimits: ClientLimits = {
  headersBytes: 32 * 1024,
  requests: 10_000,
  requestsPerConnection: 4_000,
  connections: 10_000,
  connectionsPerAddress: 1_000,
};
