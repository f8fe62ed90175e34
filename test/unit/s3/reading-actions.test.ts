import { expect, it } from 'vitest';
import { readingActions } from '../../../src/s3/reading-actions.ts';

it.each(['GetObject', 'GetObjectVersion', 'GetObjectTagging', 'GetObjectAcl', 'ListBucket'])(
  '%s permits nothing but reading',
  action => {
    expect(readingActions).toContain(action);
  },
);

it.each([
  'PutObject',
  'DeleteObject',
  'DeleteObjectVersion',
  'PutObjectAcl',
  'RestoreObject',
  'CreateBucket',
])('%s permits more', action => {
  expect(readingActions).not.toContain(action);
});
