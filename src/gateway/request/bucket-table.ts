import { canonicalBucketName, parseAccessPointArn } from '../../s3/access-point.ts';
import type { Bucket } from './bucket.ts';

/** The buckets that clients can address. */
export class BucketTable {
  readonly #named: ReadonlyMap<string, Bucket>;
  readonly #others: ((name: string) => Bucket | undefined) | undefined;

  /**
   * @param named by the name that clients use; a bucket that is a whole access point is also found by the ARN
   * @param others creates the bucket for any other name (`"*"` in the configuration), or undefined
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
