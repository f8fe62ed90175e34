import { s3Error } from '../s3/error.ts';
import { listObjects } from './listing/list-objects.ts';
import type { OtherOperation } from './other-operation.ts';
import { passThrough } from './pass-through.ts';
import { storeQuery } from './store-query.ts';

/** Operations that read and change nothing: what is granted of them goes to the store. */
const isReading = (method: string) => method === 'GET' || method === 'HEAD';

/**
 * Gives a request on to the store, if its caller was granted the operation by name.
 *
 * @throws S3Error AccessDenied where it was not, MethodNotAllowed for what would change something.
 */
export function passOperation(other: OtherOperation): void {
  const { exchange, address, query, operation, bucket, permissions, observer } = other;
  if (operation === 'ListObjectsV2' || operation === 'ListObjects') {
    listObjects(other);
    return;
  }
  const key = address.kind === 'object' ? address.key : undefined;
  permissions.require(operation, key ?? '');
  if (!isReading(exchange.method))
    throw s3Error('MethodNotAllowed', { fields: [['Method', exchange.method]] });
  const request = {
    method: exchange.method,
    bucket: bucket.bucketAtStore,
    key: key === undefined ? undefined : bucket.keyPrefix + key,
    query: storeQuery(query),
    fields: [],
  };
  passThrough(exchange, bucket, request, observer, { detail: 'operation', keep: () => true, overrides: [] });
}
