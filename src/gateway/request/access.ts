import { type S3Error, s3Error } from '../../s3/error.ts';
import { readAction } from '../../s3/grants.ts';
import type { KeyShare } from '../../s3/key-pattern.ts';
import type { SignedPayload } from '../../s3/sigv4-payload.ts';

/** Who sent the request: a client with a verified signature, or an anonymous caller. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'client';
      readonly accessKeyId: string;
      /** What the signature covers of the body; nothing for a form. */
      readonly payload: SignedPayload;
    };

export const anonymous: Caller = Object.freeze({ kind: 'anonymous' });

/** Decides what callers may do. `action` is an API name of the store, `bucket` the name that clients use. */
export interface Policy {
  allows(caller: Caller, bucket: string, action: string, key: string): boolean;
  /** For which share of the keys with `prefix` the action is allowed. */
  shareBelow(caller: Caller, bucket: string, action: string, prefix: string): KeyShare;
}

/** What decides which fields a client sees beside its grants. */
interface AskedFields {
  /** The client sent checksum-mode ENABLED. */
  readonly checksums: boolean;
  /** The bucket and its keys have the same names at the store, so fields with these names are for clients. */
  readonly storeNames: boolean;
  /** Fields that say to this cache, or to all of its kind, what Cache-Control says to all (RFC 9213). */
  readonly targeted: boolean;
}

/** Which of an object's header fields a client may see (docs/semantics.md, Decided 9 and 12). */
export interface Visibility extends AskedFields {
  /** Granted GetObjectTagging. */
  readonly taggingCount: boolean;
  /** Granted GetObjectLegalHold. */
  readonly legalHold: boolean;
}

/** What the caller lacks is for the log; stores do not tell it to clients either. @param action an API name */
export function noGrant(action: string, scope: '' | ' for all keys' = ''): S3Error {
  return s3Error('AccessDenied', { reason: `no grant for ${action}${scope}` });
}

/** A key that is not there, for callers who may not know that (docs/semantics.md, Authentication 4): only the log says it. */
export function untoldAbsence(): S3Error {
  const reason = 'the store has no such key (404); without a grant for ListBucket that is told as 403';
  return s3Error('AccessDenied', { reason });
}

/** What one caller may do in one bucket. */
export class Permissions {
  readonly #policy: Policy;
  readonly #caller: Caller;
  readonly #bucket: string;

  constructor(policy: Policy, caller: Caller, bucket: string) {
    this.#policy = policy;
    this.#caller = caller;
    this.#bucket = bucket;
  }

  /** @param key for a listing its prefix; for a bucket operation the empty string */
  allows(action: string, key: string): boolean {
    return this.#policy.allows(this.#caller, this.#bucket, action, key);
  }

  /** For which share of the keys with `prefix` `action` is allowed. */
  shareBelow(action: string, prefix: string): KeyShare {
    return this.#policy.shareBelow(this.#caller, this.#bucket, action, prefix);
  }

  /** @throws S3Error AccessDenied unless `action` is allowed */
  require(action: string, key: string): void {
    if (!this.allows(action, key)) throw noGrant(action);
  }

  /** Whether the version, or the current one, may be read. */
  allowsRead(key: string, versionId: string | undefined): boolean {
    return this.allows(readAction(versionId), key);
  }

  /** Which of an object's header fields the caller may see (docs/semantics.md, Decided 9). */
  visibility(key: string, asked: AskedFields): Visibility {
    return {
      ...asked,
      taggingCount: this.allows('GetObjectTagging', key),
      legalHold: this.allows('GetObjectLegalHold', key),
    };
  }
}
