import { nearestName } from '../base/nearest-name.ts';
import { isGetOrHead } from '../http/get-or-head.ts';
import { actionOf, actionsOf } from './action.ts';
import { fieldActions } from './field-actions.ts';
import { isPassed } from './operation-parameters.ts';
import { listedConfigurations, namedOperations, type OperationName } from './operation-table.ts';

/** The effect of naming an action in a grant. */
type ActionVerdict =
  /**
   * It permits operations: on keys, on the bucket as a whole, or such as change the bucket, which only who may do so to every
   * key may do.
   */
  | { readonly kind: 'grants'; readonly on: 'keys' | 'bucket' | 'every key' }
  /** There is an operation of this name, but it is permitted by another action. */
  | { readonly kind: 'follows'; readonly action: string }
  /** It is, or permits, an operation that changes something and is not passed to stores. */
  | { readonly kind: 'not passed' }
  /** No operation requires it. */
  | { readonly kind: 'unknown'; readonly meant: string | undefined };

/** Checked against the prefix of the listing instead of the empty key. */
const listings: ReadonlySet<string> = new Set(['ListBucket', 'ListMultipartUploads', 'ListObjectVersions']);

/** Actions whose names in access policies differ from those of the API. */
const namesInPolicies: Readonly<Record<string, string>> = {
  GetBucketObjectLockConfiguration: 'GetObjectLockConfiguration',
  GetObjectVersionAcl: 'GetObjectAcl',
  GetObjectVersionTagging: 'GetObjectTagging',
  ListBucketMultipartUploads: 'ListMultipartUploads',
  ListBucketVersions: 'ListObjectVersions',
  ListMultipartUploadParts: 'ListParts',
  // ListBuckets answers the names that the caller may list
  ListAllMyBuckets: 'ListBucket',
};

const { passed, refused, following, ofBuckets, changingBuckets } = knownActions();

/** @param action as written in a grant, not `*`. */
export function judgeAction(action: string): ActionVerdict {
  if (passed.has(action)) return { kind: 'grants', on: grantedOn(action) };
  if (refused.has(action)) return { kind: 'not passed' };
  const allowedBy = following.get(action);
  if (allowedBy !== undefined) return { kind: 'follows', action: allowedBy };
  const meant = Object.hasOwn(namesInPolicies, action)
    ? namesInPolicies[action]
    : nearestName(action, [...passed, ...refused, ...following.keys()]);
  return { kind: 'unknown', meant };
}

function grantedOn(action: string) {
  if (!ofBuckets.has(action)) return 'keys';
  return changingBuckets.has(action) ? 'every key' : 'bucket';
}

function knownActions() {
  const passed = new Set<string>(fieldActions);
  const refused = new Set<string>();
  const following = new Map<string, string>();
  const ofBuckets = new Set<string>(listedConfigurations);
  const changingBuckets = new Set<string>();
  const follow = (name: OperationName, isUsable: boolean) => {
    if (isUsable) following.set(name, actionOf(name, undefined));
    // no grant helps, although the action that it would need may permit other operations
    else refused.add(name);
  };
  for (const { name, method, resource } of namedOperations) {
    const isUsable = isGetOrHead(method) || isPassed(name);
    for (const action of actionsOf(name)) (isUsable ? passed : refused).add(action);
    follow(name, isUsable);
    if (!isGetOrHead(method)) changingBuckets.add(actionOf(name, undefined));
    if (resource === 'bucket') ofBuckets.add(actionOf(name, undefined));
    // a form that is posted to a bucket is for one key of it
    else ofBuckets.delete(actionOf(name, undefined));
  }
  for (const name of listedConfigurations) passed.add(name);
  for (const name of listings) ofBuckets.delete(name);
  following.set('ListBuckets', 'ListBucket');
  follow('ListObjectsV2', true);
  for (const name of ['CopyObject', 'UploadPartCopy'] as const) follow(name, isPassed(name));
  // what such a field does needs no grant for every key
  for (const name of fieldActions) changingBuckets.delete(name);
  return { passed, refused, following, ofBuckets, changingBuckets };
}
