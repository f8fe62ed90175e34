import type { StoreRequest } from './store.ts';

/** The client that a call is for, until others want the same. */
export class CallClient {
  #name: string | undefined;
  readonly #shared: AbortSignal | undefined;
  readonly #release: () => void;

  /** @param released called once the call is not for the client alone any more */
  constructor({ client, shared }: StoreRequest, released: () => void) {
    this.#name = shared?.aborted ? undefined : client;
    this.#shared = shared;
    this.#release = () => {
      // before calls are started, by whom they are for
      this.#name = undefined;
      released();
    };
    shared?.addEventListener('abort', this.#release);
  }

  get name(): string | undefined {
    return this.#name;
  }

  /** The call has ended: the signal may outlive many calls. */
  end(): void {
    this.#shared?.removeEventListener('abort', this.#release);
  }
}
