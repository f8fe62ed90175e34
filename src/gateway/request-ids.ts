import { randomBytes } from 'node:crypto';

/** The two ids that every answer carries (object-retrieval.md, Response headers). */
export interface RequestIds {
  readonly requestId: string;
  readonly id2: string;
}

/** Eight hexadecimal digits. */
const counterLimit = 2 ** 32;

/**
 * Makes ids that differ between requests, threads and starts. The random part is drawn once: an id has to be found
 * in a log again, not to be hard to guess.
 */
export class RequestIdSource {
  readonly #requestPrefix = randomBytes(4).toString('hex');
  readonly #id2 = randomBytes(33).toString('base64url');
  #counter = 0;

  /** The id of the next request: 16 hexadecimal digits. */
  nextRequestId(): string {
    this.#counter = (this.#counter + 1) % counterLimit;
    return this.#requestPrefix + (counterLimit + this.#counter).toString(16).slice(1);
  }

  /** The id of this thread of the gateway, sent as `id-2` (`HostId` in error bodies). */
  get id2(): string {
    return this.#id2;
  }
}
