import { actionOf } from '../../s3/action.ts';
import { notAllowed, s3Error } from '../../s3/error.ts';
import { knownParameters } from '../../s3/operation-parameters.ts';
import type { OperationName } from '../../s3/operation-table.ts';
import { queryValue } from '../../s3/query.ts';
import { isRenamed } from '../request/bucket.ts';
import { answerListing } from './listing/list-keys.ts';
import { answerListParts } from './listing/list-parts.ts';
import { isListing } from './listing/listing-kind.ts';
import type { OtherOperation } from './other-operation.ts';
import { passPreflight } from './pass-preflight.ts';
import { passThrough } from './pass-through.ts';
import { passedRequest } from './passed-request.ts';

/** Operations that read and change nothing: what is granted of them goes to the store. */
const isReading = (method: string) => method === 'GET' || method === 'HEAD';

/** Operations on a bucket that say nothing of other keys than those below its prefix. Listings are answered before. */
const concernsKeys: ReadonlySet<OperationName> = new Set<OperationName>([
  'DeleteObjects',
  'GetBucketLocation',
  'HeadBucket',
  'PostObject',
]);

const WHOLE_BUCKET_TEXT =
  'This bucket is a part of another one at the store (keyPrefix), whose configuration is for other keys as well.';

/**
 * Gives a request on to the store, if its caller was granted the operation by name, and the version that it is about.
 *
 * @throws S3Error AccessDenied where it was not, NotImplemented for the configuration of a bucket with a `keyPrefix`,
 *   MethodNotAllowed for what would change something
 */
export function passOperation(other: OtherOperation): void {
  const { exchange, address, query, operation, bucket, permissions, observer } = other;
  if (operation === 'Options') {
    passPreflight(other);
    return;
  }
  if (isListing(operation)) {
    answerListing(other, operation);
    return;
  }
  const key = address.kind === 'object' ? address.key : undefined;
  // what it would read or change, and so which grant it needs, only the store knows
  if (operation === 'Unknown') throw s3Error('NotImplemented');
  permissions.require(actionOf(operation, queryValue(query, 'versionId')), key ?? '');
  if (key === undefined && bucket.keyPrefix !== '' && !concernsKeys.has(operation))
    throw s3Error('NotImplemented', { message: WHOLE_BUCKET_TEXT });
  if (!isReading(exchange.method)) throw notAllowed(exchange.method, address.kind);
  // what belongs to a version is for those who may read the version, also where the sub-resource is granted
  const isOfVersion = knownParameters(operation, query, bucket.keys).some(({ name }) => name === 'versionId');
  if (isOfVersion) permissions.require('GetObjectVersion', key ?? '');
  if (operation === 'ListParts' && isRenamed(bucket)) {
    answerListParts(other);
    return;
  }
  passThrough(exchange, bucket, passedRequest(other), observer, {
    detail: 'operation',
    mayKnowMissing: key === undefined || permissions.allows('ListBucket', key),
    keep: () => true,
    overrides: [],
  });
}
