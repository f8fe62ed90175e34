import { canonicalBucketName, parseAccessPointArn } from '../../s3/access-point.ts';
import type { Bucket } from './bucket.ts';

/** The buckets that clients can name. */
export class BucketTable {
  readonly #named: ReadonlyMap<string, Bucket>;
  readonly #others: ((name: string) => Bucket | undefined) | undefined;

  /**
   * @param named by the name that clients use. One that is all of an access point has the point's name as well.
   * @param others makes the bucket for another name, if there is one for it (`"*"` in the configuration).
   */
  constructor(
    named: ReadonlyMap<string, Bucket>,
    others: ((name: string) => Bucket | undefined) | undefined,
  ) {
    this.#named = new Map([...accessPoints(named.values()), ...named].map(canonical));
    this.#others = others;
  }

  find(name: string): Bucket | undefined {
    return this.#named.get(canonicalBucketName(name)) ?? this.#others?.(name);
  }
}

function* accessPoints(buckets: Iterable<Bucket>): Generator<[string, Bucket]> {
  for (const bucket of buckets) {
    const { bucketAtStore, keyPrefix } = bucket;
    if (keyPrefix === '' && parseAccessPointArn(bucketAtStore)) yield [bucketAtStore, bucket];
  }
}

function canonical([name, bucket]: [string, Bucket]): [string, Bucket] {
  return [canonicalBucketName(name), bucket];
}
