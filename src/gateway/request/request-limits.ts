/** What one client may ask of the gateway. */
export interface RequestLimits {
  /** A longer request target is refused before anything is looked up. */
  readonly urlBytes: number;
  /** Requests that wait for stores, in all and by client address. */
  readonly requests: number;
  readonly requestsPerAddress: number;
}
