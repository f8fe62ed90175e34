import { compileKeyPatterns, compileKeyShare, type KeyMatcher, type KeyShare } from './key-pattern.ts';

/** A grant as configured: for a client with its buckets, or for anonymous callers of a bucket. */
export interface GrantRule {
  /** Client-facing names, or `*`; left out for a grant that already belongs to a bucket. */
  readonly buckets?: readonly string[];
  /** Patterns in the syntax of `compileKeyPatterns`. */
  readonly keys: readonly string[];
  /** Actions by their S3 API names, or `*` for all but those that are granted by name alone. */
  readonly actions: readonly string[];
}

interface Grant {
  readonly buckets: ReadonlySet<string> | 'all';
  readonly coversAction: (action: string) => boolean;
  readonly coversKey: KeyMatcher;
  readonly coversBelow: (prefix: string) => KeyShare;
}

/** The permissions of a caller, compiled for evaluation on each request. */
export type Grants = readonly Grant[];

/** The access that a request needs. */
interface AccessRequest {
  /** The client-facing name. */
  readonly bucket: string;
  /** An action by its S3 API name, such as GetObject; for reads, `readAction` gives it. */
  readonly action: string;
  /** The decoded key. For a listing, the requested prefix; for operations on a bucket, the empty string. */
  readonly key: string;
}

/**
 * Compiles grants once, so that evaluation needs no parsing.
 *
 * @param every what `*` as an action stands for
 */
export function compileGrants(
  rules: readonly GrantRule[],
  every: ReadonlySet<string> | 'all' = 'all',
): Grants {
  return rules.map(({ buckets = ['*'], keys, actions }) => ({
    buckets: buckets.includes('*') ? 'all' : new Set(buckets),
    coversAction: compileActions(actions, every),
    coversKey: compileKeyPatterns(keys),
    coversBelow: compileKeyShare(keys),
  }));
}

/**
 * Whether one of the grants allows the access. Grants only add up: what one excludes with `!`, another may still allow.
 * HeadObject needs GetObject. For a missing key, the answer is 404 if ListBucket is allowed for that key, else 403
 * (docs/semantics.md 111 to 113).
 */
export function isAllowed(grants: Grants, { bucket, action, key }: AccessRequest): boolean {
  return grants.some(
    grant => includes(grant.buckets, bucket) && grant.coversAction(action) && grant.coversKey(key),
  );
}

/** Whether every key that begins with the requested prefix is allowed, some are, or none. */
export function shareGranted(grants: Grants, { bucket, action, key }: AccessRequest): KeyShare {
  let most: KeyShare = 'none';
  for (const grant of grants) {
    if (!includes(grant.buckets, bucket) || !grant.coversAction(action)) continue;
    const covered = grant.coversBelow(key);
    if (covered === 'every') return covered;
    if (covered === 'some') most = covered;
  }
  return most;
}

/**
 * The action needed to read an object by GET or HEAD: for a version GetObjectVersion, and only that
 * (docs/semantics.md, Authentication 3; docs/semantics.md 109).
 */
export function readAction(versionId: string | undefined): 'GetObject' | 'GetObjectVersion' {
  return versionId === undefined ? 'GetObject' : 'GetObjectVersion';
}

/**
 * The store writes into a bucket that the document of such an operation names, with the gateway's rights there:
 * whoever may do everything to one bucket could reach all others.
 */
export const namedOnly: ReadonlySet<string> = new Set([
  'CreateBucketMetadataTableConfiguration',
  'PutBucketAnalyticsConfiguration',
  'PutBucketInventoryConfiguration',
  'PutBucketLogging',
  'PutBucketNotificationConfiguration',
  'PutBucketReplication',
]);

function compileActions(names: readonly string[], every: ReadonlySet<string> | 'all'): Grant['coversAction'] {
  const named = new Set(names);
  if (named.has('GetObject')) named.add('HeadObject');
  if (!named.has('*')) return action => named.has(action);
  if (every === 'all') return action => named.has(action) || !namedOnly.has(action);
  const covered = new Set([...named, ...every]);
  if (covered.has('GetObject')) covered.add('HeadObject');
  return action => covered.has(action);
}

function includes(names: ReadonlySet<string> | 'all', name: string): boolean {
  return names === 'all' || names.has(name);
}
