import { isStoreFailure } from '../call-outcome.ts';
import type { StoreError, StoreRequest } from '../store.ts';
import type { Breaker } from './breaker.ts';

/** How much of the body of a 503 is searched for its error code. */
const CODE_LIMIT = 2_048;

/**
 * Reports to the breaker of a store how one call has ended. Failures of the store are: no connection, a broken
 * connection, no answer in time, a malformed answer, and 5xx. Successes are also
 *
 * - 4xx, 429 among them: the store answers;
 * - 501: the store does not support the operation;
 * - 507: the store has no room for more, but goes on reading and deleting;
 * - 503 with the code SlowDown: the store works, but is overloaded.
 *
 * Neither are a 503 to HEAD, which has no code and may be either, and calls that the gateway or the client gave up.
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
    else if (status >= 500 && status !== 501 && status !== 507) this.#breaker?.failed();
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
