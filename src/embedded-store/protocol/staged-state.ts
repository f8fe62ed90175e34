import {
  ACCESS_TIERS,
  KMS_KEY_STATES,
  type ObjectAttributes,
  REPLICATION_STATUSES,
  STORAGE_CLASSES,
  type StorageClass,
} from '../disk/object-attributes.ts';
import { parseChoice } from './choice.ts';
import type { StoreRequest } from './store-request.ts';

/** States that a real store comes to by itself. */
export interface StagedState extends Pick<Partial<ObjectAttributes>, 'accessTier' | 'replicationStatus'> {
  readonly storageClass?: StorageClass;
  readonly kmsKeyState?: (typeof KMS_KEY_STATES)[number];
}

/**
 * The states that a request stages with headers only this store knows, each with the dialect's prefix:
 * `embedded-access-tier` and `embedded-replication-status` (the protocol's values, `none` to take the state
 * away), `embedded-storage-class` and `embedded-kms-key-state` (`enabled`, `disabled`, `pending-deletion`).
 * Throws InvalidArgument.
 */
export function parseStagedState(request: StoreRequest): StagedState {
  const accessTier = parseChoice(request, 'embedded-access-tier', [...ACCESS_TIERS, 'none']);
  const replicationStatus = parseChoice(request, 'embedded-replication-status', [
    ...REPLICATION_STATUSES,
    'none',
  ]);
  const storageClass = parseChoice(request, 'embedded-storage-class', STORAGE_CLASSES);
  const kmsKeyState = parseChoice(request, 'embedded-kms-key-state', KMS_KEY_STATES);
  return {
    ...(accessTier && { accessTier: accessTier === 'none' ? undefined : accessTier }),
    ...(replicationStatus && {
      replicationStatus: replicationStatus === 'none' ? undefined : replicationStatus,
    }),
    ...(storageClass && { storageClass }),
    ...(kmsKeyState && { kmsKeyState }),
  };
}
