import type { Store, StoreCall, StoreReceiver, StoreRequest } from './store.ts';

/**
 * A fallback store. It has an identity of its own for each bucket that it stands in for, whose writes and purges count for what
 * is cached of it: so its objects are cached apart from the store's own, and from those of other buckets.
 */
export class StandbyStore implements Store {
  readonly identity: string;
  readonly #store: Store;

  constructor(store: Store, primary: { readonly backend: string; readonly bucket: string }) {
    this.#store = store;
    // neither names of backends nor those of buckets contain a space
    this.identity = `${store.identity} for ${primary.backend} ${primary.bucket}`;
  }

  get name(): string {
    return this.#store.name;
  }

  send(request: StoreRequest, receiver: StoreReceiver): StoreCall {
    return this.#store.send({ ...request, reason: 'fallback' }, receiver);
  }

  mayRetry(): boolean {
    return this.#store.mayRetry();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
