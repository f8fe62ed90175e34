import { everyOtherBucket } from '../s3/bucket-name.ts';
import { compileGrants, type GrantRule, isAllowed } from '../s3/grants.ts';
import type { Policy } from './access.ts';

/** What one client may do. */
export interface ClientGrants {
  readonly accessKeyId: string;
  readonly allow: readonly GrantRule[];
}

/**
 * The policy of grants that are configured. What is granted to everybody is granted to known clients too.
 *
 * @param toAll what anonymous callers may do, by the name of the bucket or `everyOtherBucket`.
 */
export function grantPolicy(
  toAll: Readonly<Record<string, readonly GrantRule[]>>,
  clients: readonly ClientGrants[],
): Policy {
  const ofAll = new Map(Object.entries(toAll).map(([bucket, rules]) => [bucket, compileGrants(rules)]));
  const ofClients = new Map(clients.map(({ accessKeyId, allow }) => [accessKeyId, compileGrants(allow)]));
  return (caller, bucket, action, key) => {
    const wish = { bucket, action, key };
    if (isAllowed(ofAll.get(bucket) ?? ofAll.get(everyOtherBucket) ?? [], wish)) return true;
    return caller.kind === 'client' && isAllowed(ofClients.get(caller.accessKeyId) ?? [], wish);
  };
}
