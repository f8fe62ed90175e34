import type { Store } from '../../backend/store.ts';
import type { FreshnessRules } from '../../cache/freshness.ts';
import { parseAccessPointArn } from '../../s3/access-point.ts';
import type { HeaderPrefix } from '../../s3/dialect.ts';
import type { KeyKind } from '../../s3/path-key.ts';

/** How answers of a bucket, or of some of its keys, are kept. */
export interface CachePolicy extends FreshnessRules {
  readonly blockSizeBytes: number;
  /** Objects that are said to be longer are passed on and not kept. */
  readonly maxObjectSizeBytes: number;
}

/** One bucket as clients name it, with all that is needed to serve it. */
export interface Bucket {
  /** The name that clients use. */
  readonly name: string;
  /** The same, or `_other` for one that the configuration does not name: a metric label. */
  readonly label: string;
  readonly store: Store;
  /**
   * Where it lies: what clients' signatures must name, as they would have to towards its store (docs/semantics.md
   * 122).
   */
  readonly region: string;
  /** The dialect of its store, spoken to clients that show none of their own. */
  readonly headerPrefix: HeaderPrefix;
  /** Its name at the store. */
  readonly bucketAtStore: string;
  /** Put before every key at the store. */
  readonly keyPrefix: string;
  /** Whether keys begin the paths at a store that may administer itself under some of them. */
  readonly meetsAdministration?: boolean;
  /** How its store tells keys apart. */
  readonly keys: KeyKind;
  /** Seals the markers of listings: 32 bytes, the same in all workers. */
  readonly listingKey: Uint8Array;
  readonly customerKeys: { readonly plainHttp: 'never' | 'loopback' | 'always' };
  /** How a key of this bucket is kept. */
  policyFor(key: string): CachePolicy;
}

/**
 * The region that clients sign for: that of the access point that they name, else of the one that the bucket is at its
 * store, else where the store is.
 */
export function regionOfBucket(name: string, bucketAtStore: string, storeRegion: string): string {
  const point = parseAccessPointArn(name) ?? parseAccessPointArn(bucketAtStore);
  return point?.region ?? storeRegion;
}

/** Whether the store knows the bucket, or its keys, under other names than clients do. */
export function isRenamed({ name, bucketAtStore, keyPrefix }: Bucket): boolean {
  return name !== bucketAtStore || keyPrefix !== '';
}
