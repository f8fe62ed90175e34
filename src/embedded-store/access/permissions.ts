import type { StoredBucket } from '../disk/buckets.ts';
import type { CannedAcl } from '../disk/object-attributes.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { StoreCaller } from './caller.ts';
import { isGranted } from './grants.ts';

const reads = ['GetObject', 'GetObjectVersion'];
const listings = ['ListBucket', 'ListBucketVersions', 'ListBucketMultipartUploads'];
const writes = ['PutObject', 'DeleteObject'];

/** The object of an action; for listings, the key is the prefix. */
interface Subject {
  readonly bucket: StoredBucket;
  readonly key: string;
  /** The object's own ACL, if there is an object. */
  readonly acl?: CannedAcl | undefined;
}

/**
 * Whether the caller may perform `action`: an account by its grants, anyone by the ACLs of the object (for reads) and
 * of the bucket (for listings and writes; docs/semantics.md 115 to 117).
 */
export function isPermitted(caller: StoreCaller, action: string, { bucket, key, acl }: Subject): boolean {
  const wish = { action, bucket: bucket.name, key };
  if (caller.kind === 'account' && isGranted(caller.account.grants, wish)) return true;
  if (reads.includes(action)) return isReadable(acl, caller);
  if (listings.includes(action)) return isReadable(bucket.settings.acl, caller);
  return writes.includes(action) && bucket.settings.acl === 'public-read-write';
}

/** @throws AccessDenied */
export function requirePermission(caller: StoreCaller, action: string, subject: Subject): void {
  if (!isPermitted(caller, action, subject)) throw new OperationError('AccessDenied');
}

/** For requests without an existing bucket, which only grants can allow. @throws AccessDenied */
export function requireGrant(caller: StoreCaller, action: string, bucket: string): void {
  const isAllowed =
    caller.kind === 'account' && isGranted(caller.account.grants, { action, bucket, key: '' });
  if (!isAllowed) throw new OperationError('AccessDenied');
}

function isReadable(acl: CannedAcl | undefined, caller: StoreCaller): boolean {
  switch (acl) {
    case 'public-read':
    case 'public-read-write':
      return true;
    case 'authenticated-read':
      return caller.kind === 'account';
    default:
      return false;
  }
}
