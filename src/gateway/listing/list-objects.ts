import { sendAndCollect, type WholeReply } from '../../backend/store.ts';
import { queryValue } from '../../s3/query.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';
import { bypassed } from '../reply/cache-status.ts';
import { asS3Error, replyError } from '../reply/error-reply.ts';
import { replyAsStored, replyRefusal } from '../reply/refusal-reply.ts';
import { listingQuery } from './listing-query.ts';
import { translateListing } from './translate-listing.ts';

/** A listing has at most a thousand keys of at most 1 KiB; with escapes and the rest around them this is enough. */
const listingLimitBytes = 16 * 1024 * 1024;

/**
 * Answers ListObjects and ListObjectsV2 with what the store lists, in the names that clients use, and without the keys
 * that the caller may not list.
 *
 * @throws S3Error AccessDenied unless the caller may list the prefix.
 */
export function listObjects(other: OtherOperation): void {
  const { exchange, query, bucket, permissions, observer } = other;
  permissions.require('ListBucket', queryValue(query, 'prefix') ?? '');
  exchange.report = bypassed('listing');
  const passed = passedRequest(other);
  const request = { ...passed, query: listingQuery(passed.query, bucket.keyPrefix) };
  sendAndCollect(bucket.store, request, listingLimitBytes)
    .then(reply => {
      if (reply.status === 200) replyAsStored(exchange, translated(other, reply));
      else replyRefusal(exchange, bucket, reply, true);
    })
    .catch(error => replyError(exchange, asS3Error(error)))
    .finally(() => observer.sent(exchange));
}

function translated({ bucket, permissions }: OtherOperation, reply: WholeReply): WholeReply {
  const body = translateListing(reply.body, {
    bucket: bucket.name,
    keyPrefix: bucket.keyPrefix,
    mayList: key => permissions.allows('ListBucket', key),
  });
  return { ...reply, body };
}
