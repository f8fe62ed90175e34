import { objectKey } from '../cache/object-key.ts';
import { recordName } from '../cache/record.ts';
import { parseRange, type RangeRequest } from '../http/range.ts';
import type { Permissions } from './access.ts';
import type { Bucket } from './bucket.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectRead } from './lookup/object-read.ts';
import type { Visibility } from './reply/visibility.ts';
import type { RequestFields } from './request-fields.ts';

/** A client's GetObject or HeadObject: parsed, authenticated and allowed. */
export interface ClientRead {
  readonly exchange: Exchange;
  readonly fields: RequestFields;
  readonly read: ObjectRead;
  readonly range: RangeRequest;
  readonly visibility: Visibility;
  readonly nowMs: number;
}

/**
 * Reads what a client wants of an object out of its request.
 *
 * @throws S3Error AccessDenied where the client may not read it.
 */
export function clientRead(
  exchange: Exchange,
  fields: RequestFields,
  bucket: Bucket,
  key: string,
  permissions: Permissions,
  nowMs: number,
): ClientRead {
  permissions.require('GetObject');
  const range = parseRange(fields.range);
  const variant = { origin: fields.origin, expectedBucketOwner: undefined, requestPayer: undefined };
  const read: ObjectRead = {
    method: exchange.isHead ? 'HEAD' : 'GET',
    bucket,
    policy: bucket.policyFor(key),
    objectKey: objectKey(bucket.store.name, bucket.bucketAtStore, bucket.keyPrefix + key),
    versionId: undefined,
    variant,
    recordName: recordName(undefined, variant),
    range,
    partNumber: undefined,
    isConditional: fields.isConditional,
  };
  const checksums = fields.store?.get('checksum-mode')?.toUpperCase() === 'ENABLED';
  return { exchange, fields, read, range, visibility: permissions.visibility(checksums), nowMs };
}
