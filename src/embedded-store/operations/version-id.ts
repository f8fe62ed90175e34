import { randomBytes } from 'node:crypto';
import type { Bucket } from '../disk/buckets.ts';
import { NULL_VERSION } from '../disk/versions.ts';
import { StoreError } from '../protocol/store-error.ts';
import type { StoreRequest } from '../protocol/store-request.ts';

/** 24 random bytes as 32 characters. */
const FORM = /^[\w-]{32}$/;

/** The id of the version that a write creates now. */
export function newVersionId({ settings }: Bucket): string {
  return settings.versioning === 'enabled' ? randomBytes(24).toString('base64url') : NULL_VERSION;
}

/** The version that a request names, if any. Throws InvalidArgument. */
export function parseVersionId(request: StoreRequest, bucket: Bucket): string | undefined {
  return checkedVersionId(request.query.get('versionId'), bucket);
}

/** The same id. Throws InvalidArgument for what cannot be a version's id here (behaviours.md 95, 98, 100). */
export function checkedVersionId(versionId: string | undefined, bucket: Bucket): string | undefined {
  if (versionId === undefined || versionId === NULL_VERSION) return versionId;
  if (versionId === '') throw invalid('Version id cannot be the empty string', versionId);
  if (!FORM.test(versionId) || bucket.settings.versioning === 'never') {
    throw invalid('Invalid version id specified', versionId);
  }
  return versionId;
}

function invalid(message: string, versionId: string): StoreError {
  return new StoreError('InvalidArgument', {
    message,
    fields: { ArgumentName: 'versionId', ArgumentValue: versionId },
  });
}
