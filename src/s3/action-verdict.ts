import { nearestName } from '../base/nearest-name.ts';
import { actionOf } from './action.ts';
import { bucketOperations, type OperationName, objectOperations } from './operation-table.ts';

/** The effect of naming an action in a grant. */
type ActionVerdict =
  /** It permits operations: on keys, or for `bucket` on the bucket as a whole. */
  | { readonly kind: 'grants'; readonly on: 'keys' | 'bucket' }
  /** There is an operation of this name, but it is permitted by another action. */
  | { readonly kind: 'follows'; readonly action: string }
  /** It permits write operations. */
  | { readonly kind: 'changes' }
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

/** Distinguished by query parameters from the operations of the table. */
const listedConfigurations: readonly OperationName[] = [
  'ListBucketAnalyticsConfigurations',
  'ListBucketIntelligentTieringConfigurations',
  'ListBucketInventoryConfigurations',
  'ListBucketMetricsConfigurations',
];

const { reading, changing, following, ofBuckets } = knownActions();

/** @param action as written in a grant, not `*`. */
export function judgeAction(action: string): ActionVerdict {
  if (reading.has(action)) return { kind: 'grants', on: ofBuckets.has(action) ? 'bucket' : 'keys' };
  if (changing.has(action)) return { kind: 'changes' };
  const allowedBy = following.get(action);
  if (allowedBy !== undefined) return { kind: 'follows', action: allowedBy };
  const meant = Object.hasOwn(namesInPolicies, action)
    ? namesInPolicies[action]
    : nearestName(action, [...reading, ...changing, ...following.keys()]);
  return { kind: 'unknown', meant };
}

function knownActions() {
  const reading = new Set<string>();
  const changing = new Set<string>();
  const following = new Map<string, string>();
  const ofBuckets = new Set<string>(listedConfigurations);
  const addAll = (operations: Readonly<Record<string, Readonly<Record<string, OperationName>>>>) => {
    for (const [method, name] of Object.values(operations).flatMap(Object.entries<OperationName>)) {
      const known = method === 'GET' || method === 'HEAD' ? reading : changing;
      for (const version of [undefined, 'a version']) known.add(actionOf(name, version));
      following.set(name, actionOf(name, undefined));
      if (operations === bucketOperations) ofBuckets.add(actionOf(name, undefined));
    }
  };
  addAll(bucketOperations);
  addAll(objectOperations);
  for (const name of listedConfigurations) reading.add(name);
  for (const name of listings) ofBuckets.delete(name);
  following.set('ListBuckets', 'ListBucket');
  for (const name of ['ListObjectsV2', 'CopyObject', 'UploadPartCopy'] as const)
    following.set(name, actionOf(name, undefined));
  return { reading, changing, following, ofBuckets };
}
