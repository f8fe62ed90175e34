import { canonicalBucketName } from '../s3/access-point.ts';
import type { Bucket } from './bucket.ts';

/** The buckets that clients can name. */
export class BucketTable {
  readonly #named: ReadonlyMap<string, Bucket>;
  readonly #others: ((name: string) => Bucket) | undefined;

  /**
   * @param named by the name that clients use.
   * @param others makes the bucket for every other name, where the configuration has `"*"`.
   */
  constructor(named: ReadonlyMap<string, Bucket>, others: ((name: string) => Bucket) | undefined) {
    this.#named = new Map(Array.from(named, ([name, bucket]) => [canonicalBucketName(name), bucket]));
    this.#others = others;
  }

  find(name: string): Bucket | undefined {
    return this.#named.get(canonicalBucketName(name)) ?? this.#others?.(name);
  }
}
