import { randomBytes } from 'node:crypto';

/** The two ids that every answer carries (docs/semantics.md, Response headers). */
export interface RequestIds {
  readonly requestId: string;
  readonly id2: string;
}

/** As many values as eight hexadecimal digits have. */
const COUNTER_LIMIT = 2 ** 32;

/** All pairs of hexadecimal digits. */
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Makes ids that differ between requests, threads and starts. The random part is drawn once: an id has to be found
 * in a log again, not to be hard to guess.
 */
export class RequestIdSource {
  readonly #random = randomBytes(4).toString('hex');
  readonly #id2 = randomBytes(33).toString('base64url');
  #counter = 0;
  /** All digits but the last two. */
  #start = `${this.#random}000000`;

  /** The id of the next request: 16 hexadecimal digits. */
  nextRequestId(): string {
    this.#counter = (this.#counter + 1) % COUNTER_LIMIT;
    const low = this.#counter % 256;
    if (low === 0) this.#start = this.#random + ((this.#counter - low) / 256).toString(16).padStart(6, '0');
    return this.#start + hexPairs[low];
  }

  /** The id of this thread of the gateway, sent as `id-2` (`HostId` in error bodies). */
  get id2(): string {
    return this.#id2;
  }
}
