import { isPermitted } from '../access/permissions.ts';
import type { StoredVersion } from '../disk/versions.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { ObjectLocation } from './add-object.ts';
import { mayBypassGovernance, requireUnlocked } from './lock.ts';
import type { BucketCall, ObjectCall } from './operation.ts';
import { newVersionId, parseVersionId } from './version-id.ts';

/** What a deletion did. */
export interface Deletion {
  /** The version removed, or the marker put in its place. */
  readonly versionId: string | undefined;
  readonly isMarker: boolean;
}

/** DeleteObject: what is not there is deleted too. */
export function deleteObject(call: ObjectCall): OperationAnswer {
  const { versionId, isMarker } = deleteKey(call, call.key, parseVersionId(call.request, call.bucket));
  return {
    status: 204,
    prefixed: { ...(versionId && { 'version-id': versionId }), ...(isMarker && { 'delete-marker': 'true' }) },
  };
}

/**
 * Removes a version for good, or, when none is named, hides the key behind a marker (in a bucket without versions:
 * removes it).
 *
 * @throws AccessDenied, also for what is locked
 */
export function deleteKey(call: BucketCall, key: string, versionId: string | undefined): Deletion {
  const { store, bucket, caller } = call;
  const action = versionId === undefined ? 'DeleteObject' : 'DeleteObjectVersion';
  if (!isPermitted(caller, action, { bucket, key })) throw new OperationError('AccessDenied');
  if (versionId === undefined && bucket.settings.versioning !== 'never') {
    return { versionId: addMarker({ store, bucket, key }), isMarker: true };
  }
  const version = store.versions.find(bucket.name, key, versionId ?? 'null');
  if (version) removeVersion(call, version);
  return { versionId, isMarker: version?.kind === 'marker' };
}

/** Hides what the key holds behind a delete marker, whose version id it gives. */
export function addMarker({ store, bucket, key }: ObjectLocation): string {
  const versionId = newVersionId(bucket);
  const lastModifiedMs = store.clock.nowMs();
  const marker = { kind: 'marker' as const, bucket: bucket.name, key, versionId, lastModifiedMs };
  store.blobs.discard(store.versions.add(marker, []));
  return versionId;
}

function removeVersion(call: BucketCall, version: StoredVersion): void {
  const { store } = call;
  if (version.kind === 'object') {
    requireUnlocked(version, store.clock.nowMs(), mayBypassGovernance(call, version.key));
  }
  store.blobs.discard(store.versions.remove(version));
}
