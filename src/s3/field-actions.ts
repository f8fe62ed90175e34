/** Access control lists that give nobody anything that the owner of the bucket does not have anyway. */
const givesNothing: ReadonlySet<string> = new Set([
  'private',
  'bucket-owner-full-control',
  'bucket-owner-read',
]);

/** The actions that permit what fields of a write do beside it, by the names of the fields without prefix. */
const actionsOfFields: ReadonlyMap<string, string> = new Map([
  ['acl', 'PutObjectAcl'],
  ['bypass-governance-retention', 'BypassGovernanceRetention'],
  ['object-lock-legal-hold', 'PutObjectLegalHold'],
  ['object-lock-mode', 'PutObjectRetention'],
  ['object-lock-retain-until-date', 'PutObjectRetention'],
  ['tagging', 'PutObjectTagging'],
]);

/** The same for fields of CreateBucket. */
const actionsOfBucketFields: ReadonlyMap<string, string> = new Map([
  ['acl', 'PutBucketAcl'],
  ['bucket-object-lock-enabled', 'PutObjectLockConfiguration'],
  ['object-ownership', 'PutBucketOwnershipControls'],
]);

/** All actions that fields of objects need. */
export const fieldActions: readonly string[] = [...new Set(actionsOfFields.values())];

/**
 * Calls `require` with each action that a write needs for its fields: who may write an object may not for that reason
 * publish it, lock it, or pass over a lock.
 */
export function requireActionsOfFields(
  fields: ReadonlyMap<string, string>,
  require: (action: string) => void,
): void {
  requireAll(actionsOfFields, fields, require);
}

/** The same for CreateBucket. */
export function requireActionsOfBucketFields(
  fields: ReadonlyMap<string, string>,
  require: (action: string) => void,
): void {
  requireAll(actionsOfBucketFields, fields, require);
}

function requireAll(
  actions: ReadonlyMap<string, string>,
  fields: ReadonlyMap<string, string>,
  require: (action: string) => void,
): void {
  for (const [name, value] of fields) {
    if (name === 'acl' && givesNothing.has(value)) continue;
    const action = actions.get(name.startsWith('grant-') ? 'acl' : name);
    if (action !== undefined) require(action);
  }
}
