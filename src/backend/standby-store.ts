import type { Store, StoreCall, StoreReceiver, StoreRequest } from './store.ts';

/** A fallback store. It has an identity of its own per primary, so its objects are cached apart from both stores' own. */
export class StandbyStore implements Store {
  readonly identity: string;
  readonly #store: Store;

  constructor(store: Store, primary: Pick<Store, 'identity'>) {
    this.#store = store;
    // no configured name contains a space
    this.identity = `${store.identity} for ${primary.identity}`;
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
