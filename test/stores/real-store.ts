/** One request that a store was sent. */
export interface StoreRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/** A store that others wrote, empty when it starts: the witness of what the gateway asks for, and what its answers are held against. */
export interface RealStore {
  /** Where the gateway finds it; requests that come this way are noted. */
  readonly url: string;
  /** Where tests find it. */
  readonly directUrl: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** What it was asked by way of `url`. */
  requests(): readonly StoreRequest[];
  stop(): Promise<void>;
}
