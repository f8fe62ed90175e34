import { isPermitted } from '../access/permissions.ts';
import type { StoredVersion } from '../disk/versions.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { ObjectLocation } from './add-object.ts';
import { mayBypassGovernance, requireUnlocked } from './lock.ts';
import type { BucketCall, ObjectCall } from './operation.ts';
import { newVersionId, parseVersionId } from './version-id.ts';
import { type DeleteConditions, requireDeleteConditions } from './write-conditions.ts';

/** The result of a deletion. */
interface Deletion {
  /** The deleted version, or the new delete marker. */
  readonly versionId: string | undefined;
  readonly isMarker: boolean;
}

/** DeleteObject: succeeds for missing keys too, unless there is a condition, which is about the current object. */
export function deleteObject(call: ObjectCall): OperationAnswer {
  const { request, key } = call;
  const others = ['if-match-last-modified-time', 'if-match-size'];
  const hasOthers = others.some(name => request.prefixed(name) !== undefined);
  const conditions = { ifMatch: request.header('if-match'), hasOthers };
  const { versionId, isMarker } = deleteKey(call, key, parseVersionId(request, call.bucket), conditions);
  return {
    status: 204,
    prefixed: { ...(versionId && { 'version-id': versionId }), ...(isMarker && { 'delete-marker': 'true' }) },
  };
}

/**
 * Deletes the given version permanently. Without a version, adds a delete marker, or deletes the object in a bucket
 * without versioning.
 *
 * @throws AccessDenied, also for locked versions; those of `requireDeleteConditions`
 */
export function deleteKey(
  call: BucketCall,
  key: string,
  versionId: string | undefined,
  conditions: DeleteConditions,
): Deletion {
  const { store, bucket, caller } = call;
  const action = versionId === undefined ? 'DeleteObject' : 'DeleteObjectVersion';
  if (!isPermitted(caller, action, { bucket, key })) throw new OperationError('AccessDenied');
  requireDeleteConditions(call, key, conditions);
  if (versionId === undefined && bucket.settings.versioning !== 'never') {
    return { versionId: addMarker({ store, bucket, key }), isMarker: true };
  }
  const version = store.versions.find(bucket.name, key, versionId ?? 'null');
  if (version) removeVersion(call, version);
  return { versionId, isMarker: version?.kind === 'marker' };
}

/** Adds a delete marker to the key and returns the marker's version id. */
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
