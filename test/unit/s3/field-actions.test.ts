import { expect, it } from 'vitest';
import { requireActionsOfBucketFields, requireActionsOfFields } from '../../../src/s3/field-actions.ts';

it.each([
  [{ acl: 'public-read' }, ['PutObjectAcl']],
  [{ acl: 'private' }, []],
  [{ acl: 'bucket-owner-full-control' }, []],
  [{ acl: 'bucket-owner-read' }, []],
  [{ acl: 'authenticated-read' }, ['PutObjectAcl']],
  [{ 'grant-full-control': 'id=1' }, ['PutObjectAcl']],
  [{ 'object-lock-mode': 'COMPLIANCE' }, ['PutObjectRetention']],
  [{ 'object-lock-retain-until-date': '2030-01-01T00:00:00Z' }, ['PutObjectRetention']],
  [{ 'object-lock-legal-hold': 'ON' }, ['PutObjectLegalHold']],
  [{ 'bypass-governance-retention': 'true' }, ['BypassGovernanceRetention']],
  [{ tagging: '', 'meta-acl': 'public-read' }, ['PutObjectTagging']],
])('%o needs %o', (fields, actions) => {
  const asked: string[] = [];
  requireActionsOfFields(new Map(Object.entries(fields)), action => asked.push(action));
  expect(asked).toEqual(actions);
});

it.each([
  [{ acl: 'public-read-write' }, ['PutBucketAcl']],
  [{ acl: 'private' }, []],
  [{ 'grant-write': 'id=1' }, ['PutBucketAcl']],
  [{ 'grant-write': 'private' }, ['PutBucketAcl']],
  [{ 'bucket-object-lock-enabled': 'true' }, ['PutObjectLockConfiguration']],
  [{ 'object-ownership': 'ObjectWriter' }, ['PutBucketOwnershipControls']],
])('a bucket that is made with %o needs %o', (fields, actions) => {
  const asked: string[] = [];
  requireActionsOfBucketFields(new Map(Object.entries(fields)), action => asked.push(action));
  expect(asked).toEqual(actions);
});
