import { isPermitted } from '../access/permissions.ts';
import type { DeleteMarker, StoredObject, StoredVersion } from '../disk/versions.ts';
import { formatDate } from '../protocol/dates.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { ObjectCall } from './operation.ts';
import { parseVersionId } from './version-id.ts';

/** The permissions needed to read something of an object, without and with a version id. */
interface ReadActions {
  readonly current: string;
  readonly version: string;
}

/**
 * Finds the object that a request reads: the current one, or the version in its address. Errors as in
 * docs/semantics.md, sections 4 and 5: 403 for an existing object that is forbidden; 404 for a missing one only if the
 * caller may list, else 403.
 */
export function findObject(call: ObjectCall, actions: ReadActions): StoredObject {
  return findVersion(call, parseVersionId(call.request, call.bucket), actions);
}

/** The same for a version that is not named in the request's own address. */
export function findVersion(
  call: ObjectCall,
  versionId: string | undefined,
  actions: ReadActions,
): StoredObject {
  const { bucket, key, caller, store } = call;
  const found =
    versionId === undefined
      ? store.versions.latest(bucket.name, key)
      : store.versions.find(bucket.name, key, versionId);
  const action = versionId === undefined ? actions.current : actions.version;
  const acl = found?.kind === 'object' ? found.attributes.acl : undefined;
  const isReader = isPermitted(caller, action, { bucket, key, acl });
  if (found?.kind === 'object' && isReader) return found;
  // the permission to list covers keys, not versions (row 109)
  const isLister =
    isPermitted(caller, 'ListBucket', { bucket, key }) && (isReader || versionId === undefined);
  if (found?.kind === 'object' || !(isLister || (found && isReader)))
    throw new OperationError('AccessDenied');
  throw found ? markerError(call, found, versionId) : missingError(key, versionId);
}

/** The version id shown in a response; none in a bucket that never had versioning (rows 93 to 96). */
export function shownVersionId({ bucket }: ObjectCall, version: StoredVersion): string | undefined {
  return bucket.settings.versioning === 'never' ? undefined : version.versionId;
}

/** docs/semantics.md 101 to 104: 404 without a version id, 405 when the marker's own id is given. */
function markerError(call: ObjectCall, marker: DeleteMarker, versionId: string | undefined): OperationError {
  const prefixed = { 'delete-marker': 'true', 'version-id': marker.versionId };
  if (versionId === undefined)
    return new OperationError('NoSuchKey', { fields: { Key: call.key }, prefixed });
  return new OperationError('MethodNotAllowed', {
    fields: { Method: call.request.method, ResourceType: 'DeleteMarker' },
    headers: { allow: 'DELETE', 'last-modified': formatDate(marker.lastModifiedMs) },
    prefixed,
  });
}

function missingError(key: string, versionId: string | undefined): OperationError {
  if (versionId === undefined) return new OperationError('NoSuchKey', { fields: { Key: key } });
  return new OperationError('NoSuchVersion', { fields: { Key: key, VersionId: versionId } });
}
