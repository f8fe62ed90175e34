import type { Address } from '../s3/address.ts';
import { s3Error } from '../s3/error.ts';
import type { Operation } from '../s3/operation.ts';
import type { Query } from '../s3/query.ts';
import type { Permissions } from './access.ts';
import type { Bucket } from './bucket.ts';
import type { Exchange } from './exchange.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import { listObjects } from './listing/list-objects.ts';
import { passThrough } from './pass-through.ts';
import type { RequestFields } from './request-fields.ts';
import { storeQuery } from './store-query.ts';

/** A request for anything but a GetObject or HeadObject, in a bucket of ours. */
export interface OtherOperation {
  readonly exchange: Exchange;
  readonly fields: RequestFields;
  readonly address: Exclude<Address, { kind: 'service' }>;
  readonly query: Query;
  readonly operation: Operation;
  readonly bucket: Bucket;
  readonly permissions: Permissions;
  readonly observer: ExchangeObserver;
}

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
  if (!isReading(exchange.method)) throw s3Error('MethodNotAllowed', { fields: [['Method', exchange.method]] });
  const request = {
    method: exchange.method,
    bucket: bucket.bucketAtStore,
    key: key === undefined ? undefined : bucket.keyPrefix + key,
    query: storeQuery(query),
    fields: [],
  };
  passThrough(exchange, bucket, request, observer, { detail: 'operation', keep: () => true, overrides: [] });
}
