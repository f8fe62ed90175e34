import { serviceDomain } from '../s3/access-point.ts';
import { EVERY_OTHER_BUCKET, isAdministrationName, isBucketName } from '../s3/bucket-name.ts';

/** What of a configuration says which buckets can be named. */
export interface NamedBuckets {
  readonly backends: Readonly<Record<string, { readonly type: string; readonly endpoint?: string }>>;
  readonly buckets: Readonly<
    Record<string, { readonly backend: string; readonly bucket?: string | undefined }>
  >;
}

/**
 * Whether `"*"` stands for a name. It does not for what is no name of a bucket, access points included: those lead to
 * buckets whose names nobody here knows. Nor does it for the name that a configured bucket has at the same store, since
 * `"*"` would give it other grants, nor for one under which stores administer themselves: a bucket that is really called
 * so has to be configured by its name.
 */
export function otherBucketNames({ backends, buckets }: NamedBuckets): (name: string) => boolean {
  const others = Object.hasOwn(buckets, EVERY_OTHER_BUCKET) ? buckets[EVERY_OTHER_BUCKET] : undefined;
  if (!others) return () => false;
  const taken = new Set<string>();
  for (const [name, { backend, bucket = name }] of Object.entries(buckets))
    if (storeOf(backend, backends) === storeOf(others.backend, backends)) taken.add(bucket);
  return name => isBucketName(name) && !isAdministrationName(name) && !taken.has(name);
}

/** Whether clients can reach a bucket by this name. */
export function isKnownBucket(config: NamedBuckets, name: string): boolean {
  return Object.hasOwn(config.buckets, name) ? name !== EVERY_OTHER_BUCKET : otherBucketNames(config)(name);
}

/**
 * What backends have in common that reach the same buckets: the service, or host and port. (That two host names lead to
 * one server cannot be known here.)
 */
function storeOf(name: string, backends: NamedBuckets['backends']): string {
  const endpoint = Object.hasOwn(backends, name) ? backends[name]?.endpoint : undefined;
  const host = endpoint && URL.parse(endpoint)?.host.replace(/\.(?=:|$)/, '');
  return host ? `at ${serviceDomain(host)}` : `of ${name}`;
}
