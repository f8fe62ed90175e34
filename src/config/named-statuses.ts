/** The part of a cache policy that names statuses. */
export interface Statuses {
  readonly namedTtls?:
    | readonly ({ readonly status: number; readonly ttlMs: number } | { readonly type: string })[]
    | undefined;
}

interface StatusTtl<Policy> {
  readonly path: readonly PropertyKey[];
  readonly status: number;
  readonly ttlMs: number;
  /** The one that it counts in. */
  readonly policy: Policy;
}

/** Each `ttlByStatus` of a bucket and its rules with its path; what a rule has of its bucket is named there alone. */
export function* ownStatuses<Policy extends Statuses>(bucket: {
  readonly cache?: Policy | undefined;
  readonly rules?: readonly { readonly cache?: Policy | undefined }[] | undefined;
}): Generator<StatusTtl<Policy>> {
  const { cache, rules = [] } = bucket;
  const ofBucket = cache ? [...statusesOf(['cache'], cache)] : [];
  yield* ofBucket;
  for (const [index, rule] of rules.entries())
    for (const named of rule.cache ? statusesOf(['rules', index, 'cache'], rule.cache) : [])
      if (!ofBucket.some(({ status, ttlMs }) => status === named.status && ttlMs === named.ttlMs))
        yield named;
}

function* statusesOf<Policy extends Statuses>(
  path: readonly PropertyKey[],
  policy: Policy,
): Generator<StatusTtl<Policy>> {
  for (const named of policy.namedTtls ?? [])
    if ('status' in named) yield { ...named, path: [...path, 'ttlByStatus', String(named.status)], policy };
}
