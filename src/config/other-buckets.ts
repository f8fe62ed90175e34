import { serviceDomain } from '../s3/access-point.ts';
import { EVERY_OTHER_BUCKET, isAdministrationName, isBucketName } from '../s3/bucket-name.ts';

/** The parts of a configuration that determine which bucket names clients can use. */
export interface NamedBuckets {
  readonly backends: Readonly<Record<string, { readonly type: string; readonly endpoint?: string }>>;
  readonly buckets: Readonly<
    Record<string, { readonly backend: string; readonly bucket?: string | undefined }>
  >;
}

/**
 * Whether the `"*"` bucket covers a name. It does not cover: names that are not valid bucket names, including access
 * points, which may lead to any bucket; the names that configured buckets have at the same store, since `"*"` would
 * apply other grants to them; and names under which stores serve their administration. A bucket with such a name must
 * be configured explicitly.
 */
export function otherBucketNames({ backends, buckets }: NamedBuckets): (name: string) => boolean {
  const others = Object.hasOwn(buckets, EVERY_OTHER_BUCKET) ? buckets[EVERY_OTHER_BUCKET] : undefined;
  if (!others) return () => false;
  const taken = new Set<string>();
  for (const [name, { backend, bucket = name }] of Object.entries(buckets))
    if (storeOf(backend, backends) === storeOf(others.backend, backends)) taken.add(bucket);
  return name => isBucketName(name) && !isAdministrationName(name) && !taken.has(name);
}

/** Whether clients can reach a bucket under this name. */
export function isKnownBucket(config: NamedBuckets, name: string): boolean {
  return Object.hasOwn(config.buckets, name) ? name !== EVERY_OTHER_BUCKET : otherBucketNames(config)(name);
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
