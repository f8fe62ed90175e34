import { sendAndCollect, type WholeReply } from '../../backend/store.ts';
import { actionOf } from '../../s3/action.ts';
import type { OperationName } from '../../s3/operation.ts';
import { requirePlain } from '../../s3/path-key.ts';
import { queryValue } from '../../s3/query.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';
import { bypassed } from '../reply/cache-status.ts';
import { replyAsStored, replyRefusal } from '../reply/refusal-reply.ts';
import { holdingKeys, listingQuery } from './listing-query.ts';
import { translateListing } from './translate-listing.ts';

/** A listing has at most a thousand keys of at most 1 KiB; with escapes and the rest around them this is enough. */
const listingLimitBytes = 16 * 1024 * 1024;

/** Operations whose answers name keys of a bucket. */
const listings: ReadonlySet<OperationName> = new Set([
  'ListMultipartUploads',
  'ListObjects',
  'ListObjectsV2',
  'ListObjectVersions',
]);

/** Whether an operation lists keys: what `listKeys` answers. */
export function isListing(operation: OperationName): boolean {
  return listings.has(operation);
}

/**
 * Answers a listing with what the store lists, in the names that clients use, and without the keys that the caller may
 * not list.
 *
 * @throws S3Error AccessDenied unless the caller may list the prefix.
 */
export function listKeys(other: OtherOperation): void {
  const { exchange, query, operation, bucket, permissions, observer } = other;
  for (const name of holdingKeys) requirePlain(bucket.keys, queryValue(query, name) ?? '', name, 'prefix');
  permissions.require(actionOf(operation, undefined), queryValue(query, 'prefix') ?? '');
  exchange.report = bypassed('listing');
  const passed = passedRequest(other);
  const request = { ...passed, query: listingQuery(passed.query, bucket.keyPrefix) };
  sendAndCollect(bucket.store, request, listingLimitBytes)
    .then(reply => {
      if (reply.status === 200) replyAsStored(exchange, translated(other, reply));
      else replyRefusal(exchange, bucket, reply, true);
      observer.sent(exchange);
    })
    .catch(error => exchange.refuse(error));
}

function translated({ operation, bucket, permissions }: OtherOperation, reply: WholeReply): WholeReply {
  const action = actionOf(operation, undefined);
  const body = translateListing(reply.body, {
    bucket: bucket.name,
    keyPrefix: bucket.keyPrefix,
    mayList: key => permissions.allows(action, key),
  });
  return { ...reply, body };
}
