import { isGetOrHead } from '../../http/get-or-head.ts';
import { actionOf } from '../../s3/action.ts';
import { notPassed, s3Error } from '../../s3/error.ts';
import { isListing } from '../../s3/listing/listing-kind.ts';
import { allowedMethods } from '../../s3/operation.ts';
import { isPassed, knownParameters } from '../../s3/operation-parameters.ts';
import type { OperationName } from '../../s3/operation-table.ts';
import { queryValue } from '../../s3/query.ts';
import { mayBePassed } from '../reply/client-names.ts';
import { noGrant } from '../request/access.ts';
import { isRenamed } from '../request/bucket.ts';
import { answerListing } from './listing/list-keys.ts';
import { answerListParts } from './listing/list-parts.ts';
import type { OtherOperation } from './other-operation.ts';
import { passPreflight } from './pass-preflight.ts';
import { passThrough } from './pass-through.ts';
import { passedRequest } from './passed-request.ts';
import { deleteObjects } from './write/delete-objects.ts';
import { passWrite } from './write/pass-write.ts';
import { postObject } from './write/post-object.ts';
import { restoreObject } from './write/restore-object.ts';

/** Bucket operations that reveal nothing about keys outside the bucket's prefix. Listings are handled separately. */
const concernsKeys: ReadonlySet<OperationName> = new Set<OperationName>(['GetBucketLocation', 'HeadBucket']);

const WHOLE_BUCKET_TEXT =
  'This bucket is a part of another one at the store (keyPrefix), whose configuration is for other keys as well.';

/**
 * Passes a request to the store if its caller was granted the operation, and the version it addresses.
 *
 * @throws S3Error AccessDenied without the grant, for all keys where a write concerns the bucket; NotImplemented for the configuration of a bucket with a `keyPrefix`;
 * MethodNotAllowed for operations that change something
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
  if (operation === 'DeleteObjects') {
    deleteObjects(other);
    return;
  }
  if (operation === 'PostObject') {
    postObject(other);
    return;
  }
  const key = address.kind === 'object' ? address.key : undefined;
  // the effect of an unknown operation, and therefore the grant it needs, is unknown
  if (operation === 'Unknown') throw s3Error('NotImplemented');
  const action = actionOf(operation, queryValue(query, 'versionId'));
  permissions.require(action, key ?? '');
  // the configuration of a bucket may open, delete or copy any of its keys
  if (key === undefined && !isGetOrHead(exchange.method) && permissions.shareBelow(action, '') !== 'every')
    throw noGrant(action, ' for all keys');
  if (key === undefined && bucket.keyPrefix !== '' && !concernsKeys.has(operation))
    throw s3Error('NotImplemented', { message: WHOLE_BUCKET_TEXT });
  const { method } = exchange;
  const resource = address.kind;
  if (!isGetOrHead(method)) {
    if (!isPassed(operation)) throw notPassed({ method, resource, allowed: allowedMethods(resource, query) });
    if (operation === 'RestoreObject') restoreObject(other);
    else passWrite(other);
    return;
  }
  // sub-resources of a version require the right to read that version, even if the sub-resource is granted
  const isOfVersion = knownParameters(operation, query, bucket.keys).some(({ name }) => name === 'versionId');
  if (isOfVersion) permissions.require('GetObjectVersion', key ?? '');
  if (operation === 'ListParts' && isRenamed(bucket)) {
    answerListParts(other);
    return;
  }
  passThrough(exchange, bucket, passedRequest(other), observer, {
    detail: 'operation',
    mayKnowMissing: key === undefined || permissions.allows('ListBucket', key),
    keep: field => mayBePassed(field, bucket),
    overrides: [],
  });
}
