import { sendAndCollect, type WholeReply } from '../../backend/store.ts';
import { queryValue } from '../../s3/query.ts';
import type { OtherOperation } from '../other-operation.ts';
import { bypassed } from '../reply/cache-status.ts';
import { asS3Error, replyError, replyRefusal } from '../reply/error-reply.ts';
import { storeQuery } from '../store-query.ts';
import { translateListing } from './translate-listing.ts';

/** A listing has at most a thousand keys of at most 1 KiB; with escapes and the rest around them this is enough. */
const listingLimitBytes = 16 * 1024 * 1024;

/** Parameters whose values are keys or beginnings of keys. */
const keyParameters = ['prefix', 'start-after', 'marker'] as const;

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
  const request = {
    method: exchange.method,
    bucket: bucket.bucketAtStore,
    key: undefined,
    query: queryAtStore(other),
    fields: [],
  };
  sendAndCollect(bucket.store, request, listingLimitBytes)
    .then(reply => replyRefusal(exchange, translated(other, reply)))
    .catch(error => replyError(exchange, asS3Error(error)))
    .finally(() => observer.sent(exchange));
}

function queryAtStore({ query, bucket }: OtherOperation): string {
  const { keyPrefix } = bucket;
  if (keyPrefix === '') return storeQuery(query);
  const replaced: Record<string, string> = { prefix: keyPrefix + (queryValue(query, 'prefix') ?? '') };
  for (const name of keyParameters.slice(1)) {
    const value = queryValue(query, name);
    if (value) replaced[name] = keyPrefix + value;
  }
  return storeQuery(query, replaced);
}

function translated({ bucket, permissions }: OtherOperation, reply: WholeReply): WholeReply {
  if (reply.status !== 200) return reply;
  const body = translateListing(reply.body, {
    bucket: bucket.name,
    keyPrefix: bucket.keyPrefix,
    mayList: key => permissions.allows('ListBucket', key),
  });
  return { ...reply, body };
}
