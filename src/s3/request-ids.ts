import { randomBytes } from 'node:crypto';

/** The two ids of every response (docs/semantics.md, Response headers). */
export interface RequestIds {
  readonly requestId: string;
  readonly id2: string;
}

/** The number of values of eight hexadecimal digits. */
const COUNTER_LIMIT = 2 ** 32;

/** All pairs of hexadecimal digits. */
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Creates ids that are unique across requests, threads and restarts. The random part is drawn once: ids are for finding
 * a request in the log and need not be unpredictable.
 */
export class RequestIdSource {
  /** The id of this worker thread, sent as `id-2` (`HostId` in error bodies). */
  readonly id2 = randomBytes(33).toString('base64url');
  readonly #random = randomBytes(4).toString('hex');
  #counter = 0;
  /** All digits except the last two. */
  #start = `${this.#random}000000`;

  /** The id of the next request: 16 hexadecimal digits. */
  nextRequestId(): string {
    this.#counter = (this.#counter + 1) % COUNTER_LIMIT;
    const low = this.#counter % 256;
    if (low === 0) this.#start = this.#random + ((this.#counter - low) / 256).toString(16).padStart(6, '0');
    return this.#start + hexPairs[low];
  }
}
