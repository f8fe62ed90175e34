import { randomBytes } from 'node:crypto';
import type { StoredBucket } from '../disk/buckets.ts';
import { NULL_VERSION } from '../disk/versions.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { OperationRequest } from '../protocol/operation-request.ts';

/** 24 random bytes in base64url: 32 characters. */
const form = /^[\w-]{32}$/;

/** The id of a version created now. */
export function newVersionId({ settings }: StoredBucket): string {
  return settings.versioning === 'enabled' ? randomBytes(24).toString('base64url') : NULL_VERSION;
}

/** The version id in a request, if any. @throws InvalidArgument */
export function parseVersionId(request: OperationRequest, bucket: StoredBucket): string | undefined {
  return checkedVersionId(request.query.get('versionId'), bucket);
}

/**
 * Validates a version id. @throws InvalidArgument when it cannot be one of this bucket (docs/semantics.md 95, 98, 100)
 */
export function checkedVersionId(versionId: string | undefined, bucket: StoredBucket): string | undefined {
  if (versionId === undefined || versionId === NULL_VERSION) return versionId;
  if (versionId === '') throw invalid('Version id cannot be the empty string', versionId);
  if (!form.test(versionId) || bucket.settings.versioning === 'never') {
    throw invalid('Invalid version id specified', versionId);
  }
  return versionId;
}

function invalid(message: string, versionId: string): OperationError {
  return new OperationError('InvalidArgument', {
    message,
    fields: { ArgumentName: 'versionId', ArgumentValue: versionId },
  });
}
