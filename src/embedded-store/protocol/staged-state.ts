import {
  accessTiers,
  kmsKeyStates,
  type ObjectAttributes,
  replicationStatuses,
  type StorageClass,
  storageClasses,
} from '../disk/object-attributes.ts';
import { parseChoice } from './choice.ts';
import type { OperationRequest } from './operation-request.ts';

/** States that a real store reaches by itself. */
interface StagedState extends Pick<Partial<ObjectAttributes>, 'accessTier' | 'replicationStatus'> {
  readonly storageClass?: StorageClass;
  readonly kmsKeyState?: (typeof kmsKeyStates)[number];
}

/**
 * The states to set, from headers that only this store has, each with the dialect's prefix: `embedded-access-tier` and
 * `embedded-replication-status` (values of the protocol; `none` removes the state), `embedded-storage-class` and
 * `embedded-kms-key-state` (`enabled`, `disabled`, `pending-deletion`).
 *
 * @throws InvalidArgument
 */
export function parseStagedState(request: OperationRequest): StagedState {
  const accessTier = parseChoice(request, 'embedded-access-tier', [...accessTiers, 'none']);
  const replicationStatus = parseChoice(request, 'embedded-replication-status', [
    ...replicationStatuses,
    'none',
  ]);
  const storageClass = parseChoice(request, 'embedded-storage-class', storageClasses);
  const kmsKeyState = parseChoice(request, 'embedded-kms-key-state', kmsKeyStates);
  return {
    ...(accessTier && { accessTier: accessTier === 'none' ? undefined : accessTier }),
    ...(replicationStatus && {
      replicationStatus: replicationStatus === 'none' ? undefined : replicationStatus,
    }),
    ...(storageClass && { storageClass }),
    ...(kmsKeyState && { kmsKeyState }),
  };
}
