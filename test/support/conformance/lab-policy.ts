import type { CachePolicy } from '../../../src/gateway/request/cache-policy.ts';

/** A cache policy that can be told to let nothing be fresh, so that a record is revalidated without the clock moving. */
export class LabPolicy {
  readonly #usual: CachePolicy;
  isEverythingStale = false;

  constructor(usual: CachePolicy) {
    this.#usual = usual;
  }

  /** Plain data, because workers send it to each other. */
  get current(): CachePolicy {
    return this.isEverythingStale ? { ...this.#usual, ttlMs: 0, maxTtlMs: 0, negativeTtlMs: 0 } : this.#usual;
  }
}
