import { compileKeyPatterns, compileKeyShare, type KeyMatcher, type KeyShare } from './key-pattern.ts';

/** A grant as configured: for a client with its buckets, or for anonymous callers of a bucket. */
export interface GrantRule {
  /** Client-facing names, or `*`; left out for a grant that already belongs to a bucket. */
  readonly buckets?: readonly string[];
  /** Patterns in the syntax of `compileKeyPatterns`. */
  readonly keys: readonly string[];
  /** Actions by their S3 API names, or `*` for all. */
  readonly actions: readonly string[];
}

interface Grant {
  readonly buckets: ReadonlySet<string> | 'all';
  readonly actions: ReadonlySet<string> | 'all';
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
    buckets: someOrEvery(buckets, 'all'),
    actions: someOrEvery(actions, every),
    coversKey: compileKeyPatterns(keys),
    coversBelow: compileKeyShare(keys),
  }));
}

function someOrEvery(
  names: readonly string[],
  every: ReadonlySet<string> | 'all',
): ReadonlySet<string> | 'all' {
  if (!names.includes('*')) return new Set(names);
  return every === 'all' ? every : new Set([...every, ...names]);
}

/**
 * Whether one of the grants allows the access. Grants only add up: what one excludes with `!`, another may still allow.
 * HeadObject needs GetObject. For a missing key, the answer is 404 if ListBucket is allowed for that key, else 403
 * (docs/semantics.md 111 to 113).
 */
export function isAllowed(grants: Grants, { bucket, action, key }: AccessRequest): boolean {
  return grants.some(
    grant => includes(grant.buckets, bucket) && coversAction(grant.actions, action) && grant.coversKey(key),
  );
}

/** Whether every key that begins with the requested prefix is allowed, some are, or none. */
export function shareGranted(grants: Grants, { bucket, action, key }: AccessRequest): KeyShare {
  let most: KeyShare = 'none';
  for (const grant of grants) {
    if (!includes(grant.buckets, bucket) || !coversAction(grant.actions, action)) continue;
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

function coversAction(actions: Grant['actions'], action: string): boolean {
  return includes(actions, action) || (action === 'HeadObject' && includes(actions, 'GetObject'));
}

function includes(names: ReadonlySet<string> | 'all', name: string): boolean {
  return names === 'all' || names.has(name);
}
