import { expect, it } from 'vitest';
import { requireActionsOfFields } from '../../../src/s3/field-actions.ts';

it.each([
  [{ acl: 'public-read' }, ['PutObjectAcl']],
  [{ acl: 'private' }, []],
  [{ acl: 'bucket-owner-full-control' }, []],
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
