import { isOfConnection, isStoreFailure } from '../call-outcome.ts';
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
  readonly #breaker: Breaker | undefined;
  readonly #request: Pick<StoreRequest, 'method'>;
  readonly #object: string;
  #isTrial = false;
  /** The beginning of the body of a 503 whose code is not known yet. */
  #body: string | undefined;

  constructor(breaker: Breaker | undefined, request: Pick<StoreRequest, 'method'>, object: string) {
    this.#breaker = breaker;
    this.#request = request;
    this.#object = object;
  }

  /** Whether the call may be sent now. */
  admit(): boolean {
    const admission = this.#breaker?.admit() ?? 'send';
    this.#isTrial = admission === 'try';
    return admission !== 'refuse';
  }

  /** Whether it may be sent once more: the store may have failed for others meanwhile. */
  mayBeRepeated(): boolean {
    return this.#isTrial || !this.#breaker?.isRefusing;
  }

  answered(status: number): void {
    if (status === 503) {
      if (this.#request.method === 'HEAD') this.dropped();
      else this.#body = '';
    } else if (status >= 500 && status !== 501) this.#failed(this.#object);
    else this.#succeeded();
  }

  arrived(chunk: Buffer): void {
    if (this.#body === undefined) return;
    this.#body += chunk.toString('latin1', 0, CODE_LIMIT);
    if (this.#body.includes('<Code>SlowDown</Code>')) this.#succeeded();
    else if (this.#body.length >= CODE_LIMIT) this.#failed(this.#object);
  }

  ended(): void {
    if (this.#body !== undefined) this.#failed(this.#object);
  }

  failed(error: StoreError): void {
    if (isStoreFailure(error)) this.#failed(isOfConnection(error) ? undefined : this.#object);
    else this.dropped();
  }

  /** It says nothing of the store. */
  dropped(): void {
    this.#body = undefined;
    this.#tried('dropped');
  }

  #succeeded(): void {
    this.#body = undefined;
    this.#breaker?.succeeded();
    this.#tried('succeeded');
  }

  #failed(object: string | undefined): void {
    this.#body = undefined;
    this.#breaker?.failed(object);
    this.#tried('failed');
  }

  #tried(end: 'succeeded' | 'failed' | 'dropped'): void {
    if (!this.#isTrial) return;
    this.#isTrial = false;
    this.#breaker?.tried(end);
  }
}
