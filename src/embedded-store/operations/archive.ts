import type { StoredObject } from '../disk/versions.ts';
import { formatDate } from '../protocol/dates.ts';
import { OperationError } from '../protocol/operation-error.ts';

/** The archive state of an object at a certain time. */
type ArchiveState =
  | { readonly kind: 'at-hand' }
  | { readonly kind: 'archived' }
  | { readonly kind: 'restoring' }
  | { readonly kind: 'restored'; readonly expiresAtMs: number };

/**
 * An object in an archive class or archive tier can be read only when restored. A copy restored from a class is
 * temporary; an object restored from a tier stays readable.
 */
export function archiveState({ storageClass, attributes }: StoredObject, nowMs: number): ArchiveState {
  const { restore, accessTier } = attributes;
  const isArchived =
    storageClass === 'GLACIER' || storageClass === 'DEEP_ARCHIVE' || accessTier !== undefined;
  if (!isArchived) return { kind: 'at-hand' };
  if (!restore) return { kind: 'archived' };
  if (nowMs < restore.readyAtMs) return { kind: 'restoring' };
  if (restore.expiresAtMs === undefined) return { kind: 'at-hand' };
  return nowMs < restore.expiresAtMs
    ? { kind: 'restored', expiresAtMs: restore.expiresAtMs }
    : { kind: 'archived' };
}

/** @throws InvalidObjectState (docs/semantics.md 165 to 167, 172) */
export function requireReadable(object: StoredObject, nowMs: number): void {
  const { kind } = archiveState(object, nowMs);
  if (kind === 'at-hand' || kind === 'restored') return;
  const { accessTier } = object.attributes;
  throw new OperationError('InvalidObjectState', {
    ...(accessTier && { message: "The action is not valid for the object's access tier" }),
    fields: { StorageClass: object.storageClass, ...(accessTier && { AccessTier: accessTier }) },
  });
}

/** The headers `restore` and `archive-status` (docs/semantics.md 169, 170, 173), without prefix. */
export function archiveHeaders(object: StoredObject, nowMs: number): Record<string, string> {
  const state = archiveState(object, nowMs);
  const headers: Record<string, string> = {};
  if (state.kind === 'restoring') headers.restore = 'ongoing-request="true"';
  if (state.kind === 'restored') {
    headers.restore = `ongoing-request="false", expiry-date="${formatDate(state.expiresAtMs)}"`;
  }
  const { accessTier } = object.attributes;
  if (accessTier && state.kind !== 'at-hand') headers['archive-status'] = accessTier;
  return headers;
}
