import { expect, it } from 'vitest';
import { actionOf } from '../../../src/s3/action.ts';

it.each([
  ['GetObject', undefined, 'GetObject'],
  ['HeadObject', undefined, 'GetObject'],
  ['GetObject', 'v1', 'GetObjectVersion'],
  ['HeadObject', 'v1', 'GetObjectVersion'],
  ['GetObjectTagging', undefined, 'GetObjectTagging'],
  ['ListObjectsV2', undefined, 'ListBucket'],
  ['ListObjects', undefined, 'ListBucket'],
  ['HeadBucket', undefined, 'ListBucket'],
  ['ListObjectVersions', undefined, 'ListObjectVersions'],
  ['UploadPart', undefined, 'PutObject'],
  ['CopyObject', undefined, 'PutObject'],
  ['DeleteObject', undefined, 'DeleteObject'],
  ['DeleteObject', 'v1', 'DeleteObjectVersion'],
  ['PutObjectTagging', undefined, 'PutObjectTagging'],
  ['PutObjectTagging', 'v1', 'PutObjectVersionTagging'],
  ['DeleteObjectTagging', 'v1', 'DeleteObjectVersionTagging'],
  ['PutObjectAcl', 'v1', 'PutObjectVersionAcl'],
  ['PutObjectRetention', 'v1', 'PutObjectRetention'],
  ['RestoreObject', 'v1', 'RestoreObject'],
  ['DeleteBucketLifecycle', undefined, 'DeleteBucketLifecycle'],
  ['Unknown', undefined, 'Unknown'],
] as const)('%s of version %s needs %s', (operation, versionId, action) => {
  expect(actionOf(operation, versionId)).toBe(action);
});
