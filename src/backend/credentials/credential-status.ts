import type { CredentialFailure } from './credential-failure.ts';

/** The state of a backend's credentials, without the credentials. */
export interface CredentialStatus {
  /** Where they come from, in words. */
  readonly source: string;
  /** `missing`: none have been obtained yet. */
  readonly state: 'missing' | 'valid' | 'expired';
  readonly expiresAtMs: number | undefined;
  readonly obtainedAtMs: number | undefined;
  /** Why the last refresh failed, and since when they have; undefined when it worked. */
  readonly failure: (CredentialFailure & { readonly sinceMs: number }) | undefined;
}
