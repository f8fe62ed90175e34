import type { Store } from '../../backend/store.ts';
import { lengthPrefixed } from '../../base/length-prefixed.ts';
import { canonicalBucketName, ownLabels, parseAccessPointArn } from '../../s3/access-point.ts';
import type { HeaderPrefix } from '../../s3/dialect.ts';
import type { Bucket } from './bucket.ts';
import { placesOf } from './fallback-bucket.ts';
import { Succession } from './succession.ts';

const USUAL_REGION = 'us-east-1';

/** The name of a bucket that stands for every path of the listener. */
export const WHOLE_PATH_SPACE = '/';

/** The region and service that a request says it is signed for. */
export interface SignedScope {
  readonly region: string;
  readonly service: string;
}

/** A bucket that is found as an access point. */
interface Point extends SignedScope {
  readonly bucket: Bucket;
}

/** The buckets that have no name in the configuration (`"*"`). */
export interface OtherBuckets {
  /** Where they are. */
  readonly store: Store;
  /** The fallback of that. */
  readonly fallback?: Store | undefined;
  readonly region: string;
  readonly headerPrefix: HeaderPrefix;
  /** See `Bucket.requestRules`. */
  readonly requestRules?: string;
  readonly rulesFor: Bucket['rulesFor'];
  /** Undefined for a name that they do not stand for. */
  find(name: string): Bucket | undefined;
}

/** The buckets that clients can address. */
export class BucketTable {
  /** Those that have a name in the configuration. */
  readonly configured: readonly Bucket[];
  /**
   * The regions that requests to the service, which no bucket is named in, are signed for: those of the buckets, and the
   * one in which clients ask Amazon S3 that have none. Empty where there are no buckets.
   */
  readonly serviceRegions: readonly string[];
  /** The dialect of the buckets, if they have one in common. */
  readonly servicePrefix: HeaderPrefix | undefined;
  /** The web origin that has the whole path space. */
  readonly root: Bucket | undefined;
  /** That of each of its buckets. */
  readonly succession: Succession;
  /** Whether there are buckets at web origins. */
  readonly hasWeb: boolean;
  readonly #named: ReadonlyMap<string, Bucket>;
  readonly #others: OtherBuckets | undefined;
  /** By `ownLabels`; several where points differ in kind or region alone. */
  readonly #points = new Map<string, Point[]>();

  /**
   * @param named by the name that clients use; a bucket that is a whole access point is also found by the ARN
   */
  constructor(
    named: ReadonlyMap<string, Bucket>,
    others: OtherBuckets | undefined,
    succession = new Succession(),
  ) {
    this.succession = succession;
    this.configured = [...named.values()];
    this.#named = new Map([...accessPoints(named.values()), ...named].map(canonical));
    this.root = named.get(WHOLE_PATH_SPACE);
    this.hasWeb = this.configured.some(({ web }) => web !== undefined);
    this.#others = others;
    const all = others ? [others, ...this.configured] : this.configured;
    const regions = new Set(all.map(({ region }) => region));
    this.serviceRegions = all.length === 0 ? [] : [...regions.add(USUAL_REGION)];
    const prefixes = new Set(all.map(({ headerPrefix }) => headerPrefix));
    this.servicePrefix = prefixes.size === 1 ? all[0]?.headerPrefix : undefined;
    for (const [name, bucket] of this.#named) this.#addPoint(name, bucket);
  }

  /** The buckets that have no name in the configuration, if there can be any. */
  get others(): Pick<OtherBuckets, 'store' | 'rulesFor'> | undefined {
    return this.#others;
  }

  /** The stores that reads of them may come from, as one unambiguous string. */
  get otherPlaces(): string {
    const { store, fallback, requestRules } = this.#others ?? {};
    return [store?.identity, fallback?.identity, requestRules].map(lengthPrefixed).join('');
  }

  /** Everywhere that reads of configured buckets may come from. */
  get configuredPlaces(): readonly Bucket[] {
    return this.configured.flatMap(placesOf);
  }

  find(name: string): Bucket | undefined {
    return this.#named.get(canonicalBucketName(name)) ?? this.#others?.find(name);
  }

  /** Everywhere that reads of the bucket of this name may come from; nowhere if there is no such bucket. */
  placesOf(name: string): readonly Bucket[] {
    const bucket = this.find(name);
    return bucket ? placesOf(bucket) : [];
  }

  /** All places that reads may come from, of any bucket, that are called `nameAtStore` at their store. */
  placesCalled(nameAtStore: string): readonly Bucket[] {
    const other = this.findOther(nameAtStore);
    const places = [...this.configuredPlaces, ...(other ? placesOf(other) : [])];
    return places.filter(({ bucketAtStore }) => bucketAtStore === nameAtStore);
  }

  /** The bucket of this name, unless it has one in the configuration. */
  findOther(name: string): Bucket | undefined {
    return this.#named.has(canonicalBucketName(name)) ? undefined : this.#others?.find(name);
  }

  /**
   * The bucket for the labels that a client puts before the gateway's domain: a configured name, or the own labels of an
   * access point. Several points may have the same; then the signature's scope decides.
   *
   * @param scope undefined for a request without a signature
   */
  findInHost(hostLabels: string, scope: SignedScope | undefined): Bucket | undefined {
    const points = this.#points.get(hostLabels);
    const named = this.#named.get(hostLabels);
    if (named || !points) return named ?? this.#others?.find(hostLabels);
    if (points.length === 1) return points[0]?.bucket;
    return points.find(({ region, service }) => region === scope?.region && service === scope.service)
      ?.bucket;
  }

  #addPoint(name: string, bucket: Bucket): void {
    const point = parseAccessPointArn(name);
    if (!point) return;
    const hostLabels = ownLabels(point);
    const points = this.#points.get(hostLabels) ?? [];
    this.#points.set(hostLabels, [...points, { region: point.region, service: point.service, bucket }]);
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
