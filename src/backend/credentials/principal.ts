import type { ProvidedCredentials } from './credential-source.ts';

/** The account and role, or the user, that credentials belong to, as far as that is known. */
export type Principal =
  /** Long-term keys of a user: other keys may belong to another user. */
  | { readonly kind: 'key'; readonly accessKeyId: string }
  /** Temporary keys, which change with each refresh. */
  | { readonly kind: 'temporary'; readonly accountId: string | undefined; readonly role: string | undefined };

export function principalOf({ accessKeyId, sessionToken, accountId, role }: ProvidedCredentials): Principal {
  return sessionToken === undefined
    ? { kind: 'key', accessKeyId }
    : { kind: 'temporary', accountId, role: role === undefined ? undefined : withoutSession(role) };
}

/** Whether the two are known to differ. An unknown value counts as equal to any. */
export function isOther(one: Principal, other: Principal): boolean {
  if (one.kind === 'key') return other.kind !== 'key' || one.accessKeyId !== other.accessKeyId;
  if (other.kind === 'key') return true;
  return differs(one.accountId, other.accountId) || differs(one.role, other.role);
}

/** Combines what is known from the previous credentials and from the current ones. */
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
 * The ARN of an assumed role ends with a session name, which may change each time
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html).
 */
function withoutSession(role: string): string {
  return role.replace(/^(arn:[^:]*:sts::[^:]*:assumed-role\/[^/]+)\/.*$/, '$1');
}
