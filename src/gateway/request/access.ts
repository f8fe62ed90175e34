import { s3Error } from '../../s3/error.ts';
import { readAction } from '../../s3/grants.ts';
import type { KeyShare } from '../../s3/key-pattern.ts';
import type { Visibility } from './visibility.ts';

/** Who asks: somebody whose signature was checked, or nobody in particular. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'client'; readonly accessKeyId: string };

export const anonymous: Caller = Object.freeze({ kind: 'anonymous' });

/** What callers may do; `action` is a name of the store's API, `bucket` as clients call it. */
export interface Policy {
  allows(caller: Caller, bucket: string, action: string, key: string): boolean;
  /** With how many of all keys that begin with `prefix` `caller` may do it. */
  shareBelow(caller: Caller, bucket: string, action: string, prefix: string): KeyShare;
}

/** What a caller may do in one bucket. */
export class Permissions {
  readonly #policy: Policy;
  readonly #caller: Caller;
  readonly #bucket: string;

  constructor(policy: Policy, caller: Caller, bucket: string) {
    this.#policy = policy;
    this.#caller = caller;
    this.#bucket = bucket;
  }

  /** @param key of a listing the prefix, of what concerns the bucket alone the empty text. */
  allows(action: string, key: string): boolean {
    return this.#policy.allows(this.#caller, this.#bucket, action, key);
  }

  /** With how many of all keys that begin with `prefix` `action` is allowed. */
  shareBelow(action: string, prefix: string): KeyShare {
    return this.#policy.shareBelow(this.#caller, this.#bucket, action, prefix);
  }

  /** @throws S3Error AccessDenied unless `action` is allowed */
  require(action: string, key: string): void {
    if (!this.allows(action, key)) throw s3Error('AccessDenied');
  }

  /** Whether the version, or the current one, may be read. */
  allowsRead(key: string, versionId: string | undefined): boolean {
    return this.allows(readAction(versionId), key);
  }

  /** What of an object's fields the caller is shown (docs/semantics.md, Decided 9). */
  visibility(key: string, checksums: boolean): Visibility {
    return {
      checksums,
      taggingCount: this.allows('GetObjectTagging', key),
      retention: this.allows('GetObjectRetention', key),
      legalHold: this.allows('GetObjectLegalHold', key),
    };
  }
}
