import { compileKeyPatterns, compileKeyShare, type KeyMatcher, type KeyShare } from './key-pattern.ts';

/** One grant as it is configured: of a client with its buckets, or of a bucket for anonymous callers. */
export interface GrantRule {
  /** Names as clients use them, or `*`; without it the grant is for whatever bucket it was given for. */
  readonly buckets?: readonly string[];
  /** Patterns as `compileKeyPatterns` reads them. */
  readonly keys: readonly string[];
  /** The store's API names, or `*` for all. */
  readonly actions: readonly string[];
}

interface Grant {
  readonly buckets: ReadonlySet<string> | 'all';
  readonly actions: ReadonlySet<string> | 'all';
  readonly coversKey: KeyMatcher;
  readonly coversBelow: (prefix: string) => KeyShare;
}

/** What somebody may do, ready to be asked on every request. */
export type Grants = readonly Grant[];

/** What somebody wants to do. */
export interface AccessRequest {
  /** The name that the client uses. */
  readonly bucket: string;
  /** The store's API name, such as GetObject; `readAction` has that of a read. */
  readonly action: string;
  /** Decoded. Of a listing the prefix asked for; of what concerns a bucket alone, the empty text. */
  readonly key: string;
}

/** Compiles grants once, so that asking costs no parsing. */
export function compileGrants(rules: readonly GrantRule[]): Grants {
  return rules.map(({ buckets = ['*'], keys, actions }) => ({
    buckets: allOrSome(buckets),
    actions: allOrSome(actions),
    coversKey: compileKeyPatterns(keys),
    coversBelow: compileKeyShare(keys),
  }));
}

function allOrSome(names: readonly string[]): ReadonlySet<string> | 'all' {
  return names.includes('*') ? 'all' : new Set(names);
}

/**
 * Whether one of the grants covers the wish. Grants only add up: what one of them takes away with `!`, another may
 * give. HeadObject follows GetObject. Whether a missing key is 404 or 403 is the question whether ListBucket is
 * allowed with that key (behaviours.md 111 to 113).
 */
export function isAllowed(grants: Grants, { bucket, action, key }: AccessRequest): boolean {
  return grants.some(
    grant => includes(grant.buckets, bucket) && coversAction(grant.actions, action) && grant.coversKey(key),
  );
}

/** How many of all keys that begin with that of the wish one of the grants covers. */
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
 * The action that reading an object is, by GET or HEAD: a version needs GetObjectVersion, and that alone
 * (object-retrieval.md, Authentication 3; behaviours.md 109).
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
