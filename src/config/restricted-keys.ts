import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import type { KeyKind } from '../s3/path-key.ts';
import { formatPath } from './problems.ts';

/** The parts of a configuration that restrict which keys can be reached. */
export interface KeyRestrictions {
  readonly backends: Readonly<Record<string, { readonly type: string; readonly keys?: KeyKind | undefined }>>;
  readonly buckets: Readonly<Record<string, RestrictedBucket>>;
  readonly clients: readonly { readonly allow: readonly ClientGrant[] }[];
}

interface RestrictedBucket {
  readonly backend: string;
  readonly keyPrefix?: string;
  readonly anonymous?: readonly { readonly keys: readonly string[] }[] | undefined;
}

interface ClientGrant {
  readonly buckets: readonly string[];
  readonly keys?: readonly string[];
}

/** The allowed values of `keys`, for error messages. */
export const KEY_KINDS =
  'exact (the store keeps keys such as a//b, a/./b and a/../b apart, as Amazon S3 does) or path ' +
  '(it takes them for paths, as MinIO and versitygw do; such keys are then refused), which "tidegate check --connect" finds out';

/**
 * How a backend distinguishes keys. A backend without `keys` has no restrictions to protect, so all spellings are
 * allowed.
 */
export function keysOf(backend: { readonly type: string; readonly keys?: KeyKind | undefined }): KeyKind {
  return backend.keys ?? 'exact';
}

/**
 * For each backend without `keys`, the configuration key that restricts its object keys, by backend name. Such a
 * restriction can be bypassed if the store treats two spellings as one key.
 */
export function undecidedBackends(config: KeyRestrictions): ReadonlyMap<string, string> {
  const undecided = new Map<string, string>();
  for (const [name, bucket] of Object.entries(config.buckets)) {
    const { backend: backendName } = bucket;
    const backend = Object.hasOwn(config.backends, backendName) ? config.backends[backendName] : undefined;
    if (backend?.type !== 's3' || backend.keys !== undefined || undecided.has(backendName)) continue;
    const restriction = restrictionOf(name, bucket, config);
    if (restriction !== undefined) undecided.set(backendName, restriction);
  }
  return undecided;
}

function restrictionOf(name: string, bucket: RestrictedBucket, config: KeyRestrictions): string | undefined {
  if (bucket.keyPrefix) return formatPath(['buckets', name, 'keyPrefix']);
  if (bucket.anonymous?.some(grant => isRestricted(grant.keys)))
    return formatPath(['buckets', name, 'anonymous']);
  const index = config.clients.findIndex(({ allow }) =>
    allow.some(grant => isRestricted(grant.keys) && covers(grant, name, config)),
  );
  return index < 0 ? undefined : `clients[${index}].allow`;
}

function isRestricted(keys: readonly string[] = ['**']): boolean {
  return keys.length !== 1 || keys[0] !== '**';
}

/** A grant for a bucket that is not configured counts for `"*"`. */
function covers({ buckets }: ClientGrant, name: string, config: KeyRestrictions): boolean {
  if (buckets.includes(EVERY_OTHER_BUCKET) || buckets.includes(name)) return true;
  return name === EVERY_OTHER_BUCKET && buckets.some(granted => !Object.hasOwn(config.buckets, granted));
}
