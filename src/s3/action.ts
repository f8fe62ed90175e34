import { readAction } from './grants.ts';
import type { OperationName } from './operation-table.ts';

/** Operations that another action permits; all others are permitted by the action of their own name. */
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

/** Operations on a version that have an action of their own, as in policies of stores. */
const ofVersions: Partial<Record<OperationName, string>> = {
  DeleteObject: 'DeleteObjectVersion',
  DeleteObjectTagging: 'DeleteObjectVersionTagging',
  PutObjectAcl: 'PutObjectVersionAcl',
  PutObjectTagging: 'PutObjectVersionTagging',
};

/**
 * The action that a caller's grants must name for an operation. HeadObject needs GetObject; operations on a version
 * need the action for versions (docs/semantics.md, Authentication 3; docs/semantics.md 109).
 *
 * Two operations need further checks: whether the source of a copy may be read, and whether each key (and version) in
 * the body of DeleteObjects may be deleted.
 */
export function actionOf(operation: OperationName, versionId: string | undefined): string {
  if (operation === 'GetObject' || operation === 'HeadObject') return readAction(versionId);
  const ofVersion = versionId === undefined ? undefined : ofVersions[operation];
  return ofVersion ?? permittedAs[operation] ?? operation;
}

/** The actions of an operation, with a version and without. */
export function actionsOf(operation: OperationName): readonly string[] {
  return [undefined, 'a version'].map(versionId => actionOf(operation, versionId));
}
