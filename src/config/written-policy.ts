import type { CachePolicy } from '../gateway/request/cache-policy.ts';

/** A policy under the names of its keys in the file; units are part of the names, and of no value. */
export function writtenPolicy({ namedTtls = [], ...policy }: CachePolicy) {
  const byStatus = namedTtls.flatMap(named => ('status' in named ? [[named.status, named.ttlMs]] : []));
  const byType = namedTtls.flatMap(named => ('type' in named ? [[named.type, named.ttlMs]] : []));
  return {
    ...policy,
    ...(byStatus.length > 0 && { ttlByStatusMs: Object.fromEntries(byStatus) }),
    ...(byType.length > 0 && { ttlByTypeMs: Object.fromEntries(byType) }),
  };
}
