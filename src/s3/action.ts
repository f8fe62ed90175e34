import { readAction } from './grants.ts';
import type { OperationName } from './operation-table.ts';

/** Operations that are part of what another name permits; the rest are permitted under their own. */
const permittedAs: Partial<Record<OperationName, string>> = {
  CompleteMultipartUpload: 'PutObject',
  CopyObject: 'PutObject',
  CreateMultipartUpload: 'PutObject',
  DeleteObjects: 'DeleteObject',
  HeadBucket: 'ListBucket',
  ListObjects: 'ListBucket',
  ListObjectsV2: 'ListBucket',
  PostObject: 'PutObject',
  UploadPart: 'PutObject',
  UploadPartCopy: 'PutObject',
};

/**
 * The action that a caller's grants must name for an operation. HeadObject is permitted as GetObject is, and what
 * is done to a version under the version's own name (object-retrieval.md, Authentication 3; behaviours.md 109).
 *
 * For two operations that is not all: whether the source of a copy may be read, and whether each key (and version)
 * in the body of DeleteObjects may be deleted, are questions of their own.
 */
export function actionOf(operation: OperationName, versionId: string | undefined): string {
  if (operation === 'GetObject' || operation === 'HeadObject') return readAction(versionId);
  if (operation === 'DeleteObject' && versionId !== undefined) return 'DeleteObjectVersion';
  return permittedAs[operation] ?? operation;
}
