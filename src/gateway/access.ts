import { s3Error } from '../s3/error.ts';
import type { Visibility } from './reply/visibility.ts';

/** Who asks. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'client'; readonly accessKeyId: string };

export const anonymous: Caller = { kind: 'anonymous' };

/** Whether `caller` may do `action` (a name of the store's API) with `key` of the bucket that clients call `bucket`. */
export type Policy = (caller: Caller, bucket: string, action: string, key: string) => boolean;

/** What a caller may do with one key. */
export class Permissions {
  readonly #policy: Policy;
  readonly #caller: Caller;
  readonly #bucket: string;
  readonly #key: string;

  constructor(policy: Policy, caller: Caller, bucket: string, key: string) {
    this.#policy = policy;
    this.#caller = caller;
    this.#bucket = bucket;
    this.#key = key;
  }

  allows(action: string): boolean {
    return this.#policy(this.#caller, this.#bucket, action, this.#key);
  }

  /** @throws S3Error AccessDenied unless `action` is allowed. */
  require(action: string): void {
    if (!this.allows(action)) throw s3Error('AccessDenied');
  }

  /** What of an object's fields the caller is shown (behaviours.md, Decided 9). */
  visibility(checksums: boolean): Visibility {
    return {
      checksums,
      taggingCount: this.allows('GetObjectTagging'),
      retention: this.allows('GetObjectRetention'),
      legalHold: this.allows('GetObjectLegalHold'),
    };
  }
}
