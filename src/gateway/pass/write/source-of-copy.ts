import { uncodedTags } from '../../../http/content-coding.ts';
import { parseAccessPointArn } from '../../../s3/access-point.ts';
import { isBucketName } from '../../../s3/bucket-name.ts';
import {
  type CopySource,
  formatCopySource,
  invalidCopySource,
  parseCopySource,
} from '../../../s3/copy-source.ts';
import { readCustomerKey } from '../../../s3/customer-key.ts';
import type { HeaderField } from '../../../s3/dialect.ts';
import { fieldsFromRaw } from '../../../s3/dialect.ts';
import { s3Error } from '../../../s3/error.ts';
import { readAction } from '../../../s3/grants.ts';
import type { OperationName } from '../../../s3/operation-table.ts';
import { pathKeyProblem } from '../../../s3/path-key.ts';
import { fieldsOfQuery } from '../../../s3/presigned-query.ts';
import { requireId } from '../../../s3/store-id.ts';
import { noGrant, Permissions } from '../../request/access.ts';
import type { Bucket } from '../../request/bucket.ts';
import { takesCustomerKeys } from '../../request/customer-keys.ts';
import type { KeyRules } from '../../request/key-rules.ts';
import { noSuchBucket } from '../../request/locate.ts';
import { mayBeMade } from '../../request/made-tags.ts';
import type { OtherOperation } from '../other-operation.ts';

/** The object that a copy is made of, which the caller may read. */
interface SourceOfCopy {
  readonly bucket: Bucket;
  /** What the store is told of it. */
  readonly fields: readonly HeaderField[];
  /** Whether it may be reported as missing. */
  readonly mayKnowMissing: boolean;
}

const FIELD = 'copy-source';
const TAGS = 'tagging-directive';

/** Whether an operation reads another object at the store. */
export function isCopy(operation: OperationName): boolean {
  return operation === 'CopyObject' || operation === 'UploadPartCopy';
}

/**
 * The source of a copy with the names of the store. It is read with the gateway's own rights, so all rules for reads of
 * its bucket are applied here.
 *
 * @param storeFields the store fields of the request, by name without prefix
 * @throws S3Error InvalidArgument for a source that could be taken for another one; NoSuchBucket; AccessDenied unless the
 * caller may read it; NotImplemented for a source at another store; those of `readCustomerKey`
 */
export function sourceOfCopy(other: OtherOperation, storeFields: ReadonlyMap<string, string>): SourceOfCopy {
  const source = parseCopySource(onlySource(other));
  const { key, versionId } = source;
  const bucket = bucketOf(other, source);
  const problem = bucket.keys === 'path' ? pathKeyProblem(bucket.keyPrefix + key) : undefined;
  if (problem !== undefined) throw invalidCopySource('key', key, problem);
  requireId(bucket.keys, versionId ?? '', 'versionId');
  const permissions = new Permissions(other.policy, other.caller, bucket.name);
  permissions.require(readAction(versionId), key);
  if (bucket.store !== other.bucket.store) throw s3Error('NotImplemented', { message: ELSEWHERE_TEXT });
  readCustomerKey(customerKeyOfSource(storeFields), takesCustomerKeys(bucket, other.request), 'read');
  const atStore = { bucket: bucket.bucketAtStore, key: bucket.keyPrefix + key, versionId };
  const named = { name: FIELD, value: formatCopySource(atStore), store: true };
  const fields = [named, ...demandOfSource(storeFields, bucket.rulesFor(key))];
  return {
    bucket,
    fields: isOfItself(other, bucket, source)
      ? fields
      : [...fields, ...withoutTags(other, storeFields, permissions, key)],
    mayKnowMissing: permissions.allows('ListBucket', key),
  };
}

const ELSEWHERE_TEXT = 'The source of a copy has to be at the same backend as its target.';

/** The header that names the source. Of several, gateway and store might read different ones. */
function onlySource({ request, fields, query }: OtherOperation): string {
  const lines = fieldsFromRaw(request.rawHeaders).filter(({ name, store }) => store && name === FIELD);
  const named = [...lines, ...fieldsOfQuery(query).filter(({ name }) => name === FIELD)];
  const sent = fields.store?.get(FIELD) ?? '';
  if (named.length !== 1) throw invalidCopySource('encoding', sent, 'it is named more than once');
  return sent;
}

function bucketOf({ buckets }: OtherOperation, { bucket: name }: CopySource): Bucket {
  const point = parseAccessPointArn(name);
  const bucket = buckets.find(name);
  if (bucket) return bucket;
  if (point || isBucketName(name)) throw noSuchBucket(name);
  throw invalidCopySource('bucket', name);
}

/** Such a copy changes the metadata; the tags stay where they are. */
function isOfItself(
  { bucket, address }: OtherOperation,
  ofSource: Bucket,
  { key, versionId }: CopySource,
): boolean {
  const target = address.kind === 'object' ? bucket.keyPrefix + address.key : undefined;
  const isSame = bucket.bucketAtStore === ofSource.bucketAtStore && target === ofSource.keyPrefix + key;
  return isSame && versionId === undefined;
}

const OF_SOURCE = 'copy-source-';

/** The store knows no tags of what is made here of the source. */
function demandOfSource(storeFields: ReadonlyMap<string, string>, rules: KeyRules): readonly HeaderField[] {
  const name = `${OF_SOURCE}if-match`;
  const ifMatch = storeFields.get(name);
  return ifMatch !== undefined && mayBeMade(rules)
    ? [{ name, value: uncodedTags(ifMatch), store: true }]
    : [];
}

function customerKeyOfSource(storeFields: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const ofSource = [...storeFields].filter(([name]) => name.startsWith(OF_SOURCE));
  return new Map(ofSource.map(([name, value]) => [name.slice(OF_SOURCE.length), value]));
}

/**
 * CopyObject takes the tags of its source along unless told otherwise, which reads and writes them. They stay behind for
 * callers who may not do both: to those who may not read tags, objects have none.
 *
 * @throws S3Error AccessDenied where the request asks for the tags
 */
function withoutTags(
  { operation, permissions, address }: OtherOperation,
  storeFields: ReadonlyMap<string, string>,
  ofSource: Permissions,
  key: string,
): readonly HeaderField[] {
  const directive = storeFields.get(TAGS);
  if (operation !== 'CopyObject' || directive === 'REPLACE') return [];
  const target = address.kind === 'object' ? address.key : '';
  const mayRead = ofSource.allows('GetObjectTagging', key);
  if (mayRead && permissions.allows('PutObjectTagging', target)) return [];
  if (directive !== undefined) throw noGrant(mayRead ? 'PutObjectTagging' : 'GetObjectTagging');
  return [{ name: TAGS, value: 'REPLACE', store: true }];
}
