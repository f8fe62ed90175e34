import { isStoreFailure } from '../call-outcome.ts';
import type { StoreError, StoreRequest } from '../store.ts';
import type { Breaker } from './breaker.ts';

/** How much of the body of a 503 is read for its code. */
const CODE_LIMIT = 2_048;

/**
 * Tells the breaker of a store how one call has ended. Failures of the store are: no connection, a connection that broke,
 * no answer in time, an answer that is none, and 5xx. None of them are
 *
 * - 4xx, 429 among them: the store answers;
 * - 501: an operation that the store does not have;
 * - 503 with the code SlowDown: the store works, and says that it is asked too much. That of a HEAD has no code, so it
 *   says nothing;
 * - calls that the gateway or the client gave up.
 */
export class CallReport {
  readonly #breaker: Pick<Breaker, 'succeeded' | 'failed'> | undefined;
  readonly #request: Pick<StoreRequest, 'method'>;
  /** The beginning of the body of a 503 whose code is not known yet. */
  #body: string | undefined;

  constructor(
    breaker: Pick<Breaker, 'succeeded' | 'failed'> | undefined,
    request: Pick<StoreRequest, 'method'>,
  ) {
    this.#breaker = breaker;
    this.#request = request;
  }

  answered(status: number): void {
    if (status === 503) this.#body = this.#request.method === 'HEAD' ? undefined : '';
    else if (status >= 500 && status !== 501) this.#breaker?.failed();
    else this.#breaker?.succeeded();
  }

  arrived(chunk: Buffer): void {
    if (this.#body === undefined) return;
    this.#body += chunk.toString('latin1', 0, CODE_LIMIT);
    if (this.#body.includes('<Code>SlowDown</Code>')) {
      this.#body = undefined;
      this.#breaker?.succeeded();
    } else if (this.#body.length >= CODE_LIMIT) this.ended();
  }

  ended(): void {
    if (this.#body === undefined) return;
    this.#body = undefined;
    this.#breaker?.failed();
  }

  failed(error: StoreError): void {
    this.#body = undefined;
    if (isStoreFailure(error)) this.#breaker?.failed();
  }
}
