import { expect, it } from 'vitest';
import { isGetOrHead } from '../../../src/http/get-or-head.ts';
import { judgeAction } from '../../../src/s3/action-verdict.ts';
import { isPassed } from '../../../src/s3/operation-parameters.ts';
import { namedOperations, type OperationName } from '../../../src/s3/operation-table.ts';

it.each([
  'GetObject',
  'GetObjectVersion',
  'GetObjectTagging',
  'ListBucket',
  'ListObjectVersions',
  'ListParts',
  'PutObject',
  'DeleteObject',
  'DeleteObjectVersion',
  'AbortMultipartUpload',
  'PutObjectAcl',
  'BypassGovernanceRetention',
])('%s is granted on keys', action => {
  expect(judgeAction(action)).toEqual({ kind: 'grants', on: 'keys' });
});

it.each(['GetBucketLocation', 'GetBucketVersioning', 'ListBucketMetricsConfigurations'])(
  '%s is granted on a bucket as a whole',
  action => {
    expect(judgeAction(action)).toEqual({ kind: 'grants', on: 'bucket' });
  },
);

it.each(['CreateBucket', 'DeleteBucket', 'PutBucketPolicy', 'PutBucketVersioning', 'DeleteBucketCors'])(
  '%s is for who may do so to every key',
  action => {
    expect(judgeAction(action)).toEqual({ kind: 'grants', on: 'every key' });
  },
);

it.each([
  ['HeadObject', 'GetObject'],
  ['HeadBucket', 'ListBucket'],
  ['ListObjectsV2', 'ListBucket'],
  ['CopyObject', 'PutObject'],
  ['UploadPart', 'PutObject'],
  ['ListBuckets', 'ListBucket'],
])('%s follows %s', (name, action) => {
  expect(judgeAction(name)).toEqual({ kind: 'follows', action });
});

it.each(['RenameObject'])('%s is not passed to stores', action => {
  expect(judgeAction(action)).toEqual({ kind: 'not passed' });
});

it('sends nobody to another action for an operation that is not passed', () => {
  const all: readonly OperationName[] = [
    ...namedOperations.filter(({ method }) => !isGetOrHead(method)).map(({ name }) => name),
    'CopyObject',
    'UploadPartCopy',
  ];
  for (const name of all)
    if (!isPassed(name)) expect(judgeAction(name), name).toEqual({ kind: 'not passed' });
});

it.each([
  ['GetObjects', 'GetObject'],
  ['GetObjet', 'GetObject'],
  ['PutObjects', 'PutObject'],
  ['ListObjectV2', 'ListObjectsV2'],
  ['ListAllMyBuckets', 'ListBucket'],
  ['Getobject', 'GetObject'],
  ['ListBucketVersions', 'ListObjectVersions'],
  ['GetObjectVersionTagging', 'GetObjectTagging'],
  ['constructor', undefined],
  ['Unknown', undefined],
])('no operation asks for %s; meant is %s', (name, meant) => {
  expect(judgeAction(name)).toEqual({ kind: 'unknown', meant });
});
