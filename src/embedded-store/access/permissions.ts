import type { Bucket } from '../disk/buckets.ts';
import type { CannedAcl } from '../disk/object-attributes.ts';
import { StoreError } from '../protocol/store-error.ts';
import type { Caller } from './caller.ts';
import { isGranted } from './grants.ts';

const READS = ['GetObject', 'GetObjectVersion'];
const LISTINGS = ['ListBucket', 'ListBucketVersions', 'ListBucketMultipartUploads'];
const WRITES = ['PutObject', 'DeleteObject'];

/** The object that an action concerns; for listings the key is the prefix. */
export interface Subject {
  readonly bucket: Bucket;
  readonly key: string;
  /** The object's own list, when there is an object. */
  readonly acl?: CannedAcl | undefined;
}

/**
 * Whether the caller may do `action`: an account by its grants, anybody by the lists of the object (reading
 * it) and of the bucket (listing and writing; behaviours.md 115 to 117).
 */
export function isAllowed(caller: Caller, action: string, { bucket, key, acl }: Subject): boolean {
  const wish = { action, bucket: bucket.name, key };
  if (caller.kind === 'account' && isGranted(caller.account.grants, wish)) return true;
  if (READS.includes(action)) return isReadable(acl, caller);
  if (LISTINGS.includes(action)) return isReadable(bucket.settings.acl, caller);
  return WRITES.includes(action) && bucket.settings.acl === 'public-read-write';
}

/** Throws AccessDenied. */
export function demand(caller: Caller, action: string, subject: Subject): void {
  if (!isAllowed(caller, action, subject)) throw new StoreError('AccessDenied');
}

/** For what concerns no bucket that is there: only grants can allow it. Throws AccessDenied. */
export function demandGrant(caller: Caller, action: string, bucket: string): void {
  const isAllowed =
    caller.kind === 'account' && isGranted(caller.account.grants, { action, bucket, key: '' });
  if (!isAllowed) throw new StoreError('AccessDenied');
}

function isReadable(acl: CannedAcl | undefined, caller: Caller): boolean {
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
