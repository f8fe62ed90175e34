import { actionOf } from './action.ts';
import { bucketOperations, type OperationName, objectOperations } from './operation-table.ts';

/** What comes of naming an action in a grant. */
export type ActionVerdict =
  /** Operations are allowed by it: on keys, or with `bucket` on a bucket as a whole. */
  | { readonly kind: 'grants'; readonly on: 'keys' | 'bucket' }
  /** The operation of this name is allowed by another action. */
  | { readonly kind: 'follows'; readonly action: string }
  /** What it allows changes something. */
  | { readonly kind: 'changes' }
  /** No operation asks for it. */
  | { readonly kind: 'unknown'; readonly meant: string | undefined };

/** Asked for with the prefix of the listing, not with the empty key. */
const listings: ReadonlySet<string> = new Set(['ListBucket', 'ListMultipartUploads', 'ListObjectVersions']);

/** Names of access policies that differ from those of the API. */
const namesInPolicies: Readonly<Record<string, string>> = {
  GetBucketObjectLockConfiguration: 'GetObjectLockConfiguration',
  GetObjectVersionAcl: 'GetObjectAcl',
  GetObjectVersionTagging: 'GetObjectTagging',
  ListBucketMultipartUploads: 'ListMultipartUploads',
  ListBucketVersions: 'ListObjectVersions',
  ListMultipartUploadParts: 'ListParts',
};

/** Told from those of the table by their parameters. */
const listedConfigurations: readonly OperationName[] = [
  'ListBucketAnalyticsConfigurations',
  'ListBucketIntelligentTieringConfigurations',
  'ListBucketInventoryConfigurations',
  'ListBucketMetricsConfigurations',
];

const { reading, changing, following, ofBuckets } = knownActions();

/** @param action as it stands in a grant, not `*`. */
export function judgeAction(action: string): ActionVerdict {
  if (reading.has(action)) return { kind: 'grants', on: ofBuckets.has(action) ? 'bucket' : 'keys' };
  if (changing.has(action)) return { kind: 'changes' };
  const allowedBy = following.get(action);
  if (allowedBy !== undefined) return { kind: 'follows', action: allowedBy };
  const alike = [...reading].find(name => name.toLowerCase() === action.toLowerCase());
  const meant = Object.hasOwn(namesInPolicies, action) ? namesInPolicies[action] : alike;
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
  for (const name of ['ListObjectsV2', 'CopyObject', 'UploadPartCopy'] as const)
    following.set(name, actionOf(name, undefined));
  return { reading, changing, following, ofBuckets };
}
