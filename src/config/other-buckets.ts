import { serviceDomain } from '../s3/access-point.ts';
import { EVERY_OTHER_BUCKET, isAdministrationName, isBucketName } from '../s3/bucket-name.ts';
import { bucketPlaces, type PlacedBucket, placesOfNamed } from './bucket-places.ts';

/** The parts of a configuration that determine which bucket names clients can use. */
export interface NamedBuckets {
  readonly backends: Readonly<
    Record<
      string,
      { readonly type: string; readonly endpoint?: string; readonly fallback?: string | undefined }
    >
  >;
  readonly buckets: Readonly<Record<string, PlacedBucket>>;
}

/**
 * Whether the `"*"` bucket covers a name. It does not cover: names that are not valid bucket names, including access
 * points, which may lead to any bucket; the names that configured buckets have at the same store or at the one that stands
 * in for it, since `"*"` would apply other grants to them; and names under which stores serve their administration. A
 * bucket with such a name must be configured explicitly.
 */
export function otherBucketNames({ backends, buckets }: NamedBuckets): (name: string) => boolean {
  const others = Object.hasOwn(buckets, EVERY_OTHER_BUCKET) ? buckets[EVERY_OTHER_BUCKET] : undefined;
  if (!others) return () => false;
  const reached = new Set(
    bucketPlaces(EVERY_OTHER_BUCKET, others, backends).map(({ backend }) => storeOf(backend, backends)),
  );
  const taken = new Set<string>();
  for (const { backend, bucket } of placesOfNamed(buckets, backends))
    if (reached.has(storeOf(backend, backends))) taken.add(bucket);
  return name => isBucketName(name) && !isAdministrationName(name) && !taken.has(name);
}

/** Whether clients can reach a bucket under this name. */
export function isKnownBucket(config: NamedBuckets, name: string): boolean {
  return Object.hasOwn(config.buckets, name) ? name !== EVERY_OTHER_BUCKET : otherBucketNames(config)(name);
}

/** Whether a bucket of this name is at a web origin, where there are paths and no objects. */
export function isAtWebOrigin({ backends, buckets }: NamedBuckets, name: string): boolean {
  const bucket = Object.hasOwn(buckets, name) ? buckets[name] : undefined;
  return bucket !== undefined && backends[bucket.backend]?.type === 'http';
}

/**
 * Identifies the store of a backend: the service, or host and port. Backends of the same store reach the same buckets.
 * (That two host names lead to one server cannot be known here.)
 */
function storeOf(name: string, backends: NamedBuckets['backends']): string {
  const endpoint = Object.hasOwn(backends, name) ? backends[name]?.endpoint : undefined;
  const host = endpoint && URL.parse(endpoint)?.host.replace(/\.(?=:|$)/, '');
  return host ? `at ${serviceDomain(host)}` : `of ${name}`;
}
