import type { CredentialStatus } from '../../backend/credentials/credential-status.ts';

/** What `/api/status` says of the credentials of a backend; nothing of it is secret. */
export interface CredentialReport {
  readonly source: string;
  readonly state: CredentialStatus['state'];
  readonly obtainedAt: string | null;
  /** Null where they do not expire. */
  readonly expiresAt: string | null;
  /** Why they cannot be refreshed, and since when; null where the last refresh worked. */
  readonly failure: { readonly cause: string; readonly text: string; readonly since: string } | null;
}

export function reportCredentials(status: CredentialStatus): CredentialReport {
  const { source, state, obtainedAtMs, expiresAtMs, failure } = status;
  return {
    ...{ source, state, obtainedAt: timeOf(obtainedAtMs), expiresAt: timeOf(expiresAtMs) },
    failure: failure
      ? { cause: failure.cause, text: failure.text, since: new Date(failure.sinceMs).toISOString() }
      : null,
  };
}

function timeOf(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}
