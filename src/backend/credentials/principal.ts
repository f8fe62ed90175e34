import type { ProvidedCredentials } from './credential-source.ts';

/** As whom requests are signed with some credentials, as far as that is known. */
export type Principal =
  /** Keys that belong to one user: others are of another one, or may be. */
  | { readonly kind: 'key'; readonly accessKeyId: string }
  /** Temporary keys, which are others after each refresh. */
  | { readonly kind: 'temporary'; readonly accountId: string | undefined; readonly role: string | undefined };

export function principalOf({ accessKeyId, sessionToken, accountId, role }: ProvidedCredentials): Principal {
  return sessionToken === undefined
    ? { kind: 'key', accessKeyId }
    : { kind: 'temporary', accountId, role: role === undefined ? undefined : withoutSession(role) };
}

/** Whether both are known to be different. What is unknown of one of them differs from nothing. */
export function isOther(one: Principal, other: Principal): boolean {
  if (one.kind === 'key') return other.kind !== 'key' || one.accessKeyId !== other.accessKeyId;
  if (other.kind === 'key') return true;
  return differs(one.accountId, other.accountId) || differs(one.role, other.role);
}

/** What is known of a principal from its credentials before and those of now. */
export function withKnown(before: Principal, now: Principal): Principal {
  if (before.kind === 'key' || now.kind === 'key') return now;
  return {
    kind: 'temporary',
    accountId: now.accountId ?? before.accountId,
    role: now.role ?? before.role,
  };
}

function differs(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/**
 * The ARN of an assumed role ends with the name of a session, which may be another one each time
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html).
 */
function withoutSession(role: string): string {
  return role.replace(/^(arn:[^:]*:sts::[^:]*:assumed-role\/[^/]+)\/.*$/, '$1');
}
