import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';

/** What a configuration says of where a bucket is. */
export interface PlacedBucket {
  readonly backend: string;
  readonly bucket?: string | undefined;
  readonly fallbackBucket?: string | undefined;
}

/** Which backends have others that stand in for them. */
type Fallbacks = Readonly<Record<string, { readonly type: string; readonly fallback?: string | undefined }>>;

/** The parts of a configuration that say where buckets are. */
interface Placed<Bucket> {
  readonly buckets: Readonly<Record<string, Bucket>>;
  readonly backends: Fallbacks;
}

/** A backend that reads of a bucket may come from, and the name of the bucket there. */
interface BucketPlace {
  readonly backend: string;
  readonly bucket: string;
  /** The key of the configuration that says what it is called there. */
  readonly path: readonly string[];
}

/** Where the bucket is that is configured as `name`: at its backend, and at the fallback of that. */
export function bucketPlaces(
  name: string,
  configured: PlacedBucket,
  backends: Fallbacks,
): [own: BucketPlace, ...fallback: BucketPlace[]] {
  const { backend, bucket = name, fallbackBucket } = configured;
  const path = configured.bucket === undefined ? ['buckets', name] : ['buckets', name, 'bucket'];
  const own = { backend, bucket, path };
  const fallback = Object.hasOwn(backends, backend) ? backends[backend]?.fallback : undefined;
  if (fallback === undefined) return [own];
  return fallbackBucket === undefined
    ? [own, { backend: fallback, bucket, path }]
    : [own, { backend: fallback, bucket: fallbackBucket, path: ['buckets', name, 'fallbackBucket'] }];
}

/** A bucket of the configuration at one of its places. */
interface NamedPlace<Bucket> {
  readonly name: string;
  readonly configured: Bucket;
  readonly place: BucketPlace;
}

/** All buckets with a name of their own that reads may find at `backend`, be it as the fallback of theirs. */
export function* bucketsAt<Bucket extends PlacedBucket>(
  backend: string,
  { buckets, backends }: Placed<Bucket>,
): Generator<NamedPlace<Bucket>> {
  for (const [name, configured] of Object.entries(buckets)) {
    if (name === EVERY_OTHER_BUCKET) continue;
    for (const place of bucketPlaces(name, configured, backends))
      if (place.backend === backend) yield { name, configured, place };
  }
}

/** Where all buckets are that have a name of their own. */
export function* placesOfNamed(
  buckets: Readonly<Record<string, PlacedBucket>>,
  backends: Fallbacks,
): Generator<BucketPlace> {
  for (const [name, bucket] of Object.entries(buckets))
    if (name !== EVERY_OTHER_BUCKET) yield* bucketPlaces(name, bucket, backends);
}
