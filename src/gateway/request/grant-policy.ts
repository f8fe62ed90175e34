import { EVERY_OTHER_BUCKET } from '../../s3/bucket-name.ts';
import { compileGrants, type GrantRule, isAllowed, shareGranted } from '../../s3/grants.ts';
import { readingActions } from '../../s3/reading-actions.ts';
import type { Caller, Policy } from './access.ts';

/** The grants of one client. */
interface ClientGrants {
  readonly accessKeyId: string;
  readonly allow: readonly GrantRule[];
}

/**
 * Creates the policy from the configured grants. Anonymous grants also apply to authenticated clients. In them, `*` stands
 * for the actions that read: everybody may write only what is named.
 *
 * @param toAll anonymous grants, by bucket name or `EVERY_OTHER_BUCKET`
 */
export function grantPolicy(
  toAll: Readonly<Record<string, readonly GrantRule[]>>,
  clients: readonly ClientGrants[],
): Policy {
  const ofAll = new Map(
    Object.entries(toAll).map(([bucket, rules]) => [bucket, compileGrants(rules, readingActions)]),
  );
  const ofClients = new Map(clients.map(({ accessKeyId, allow }) => [accessKeyId, compileGrants(allow)]));
  const toEverybody = (bucket: string) => ofAll.get(bucket) ?? ofAll.get(EVERY_OTHER_BUCKET) ?? [];
  const toCaller = (caller: Caller) =>
    caller.kind === 'client' ? (ofClients.get(caller.accessKeyId) ?? []) : [];
  const allows = (caller: Caller, bucket: string, action: string, key: string) => {
    const access = { bucket, action, key };
    return isAllowed(toEverybody(bucket), access) || isAllowed(toCaller(caller), access);
  };
  const shareBelow = (caller: Caller, bucket: string, action: string, prefix: string) =>
    shareGranted([...toEverybody(bucket), ...toCaller(caller)], { bucket, action, key: prefix });
  return { allows, shareBelow };
}
