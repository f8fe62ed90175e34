import type { Store, StoreCall, StoreReceiver, StoreRequest } from './store.ts';

/**
 * A store by its identity, whatever its settings are: a reload replaces what is behind it, such as for another secret or
 * another client certificate. What is cached of a store lives on across that, and asks for its bytes as the store is
 * configured now.
 */
export class ReplaceableStore implements Store {
  readonly name: string;
  readonly identity: string;
  #current: Store;

  constructor(first: Store) {
    this.name = first.name;
    this.identity = first.identity;
    this.#current = first;
  }

  /** Sends new calls to `next`; those that are under way end where they were sent. */
  replaceBy(next: Store): void {
    this.#current = next;
  }

  send(request: StoreRequest, receiver: StoreReceiver): StoreCall {
    return this.#current.send(request, receiver);
  }

  mayRetry(): boolean {
    return this.#current.mayRetry();
  }

  close(): Promise<void> {
    return this.#current.close();
  }
}
