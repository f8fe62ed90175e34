import type { Store, StoreCall, StoreReceiver, StoreRequest } from './store.ts';

/** A store that stands in for another one: what is kept of it has a name of its own. */
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
    return this.#store.send(request, receiver);
  }

  mayRetry(): boolean {
    return this.#store.mayRetry();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
