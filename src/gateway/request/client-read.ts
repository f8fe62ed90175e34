import { objectKey } from '../../cache/object-key.ts';
import { recordName } from '../../cache/record.ts';
import { parseRange, type RangeRequest } from '../../http/range.ts';
import type { Pairs } from '../../s3/error.ts';
import type { ReadParameters } from '../../s3/read-parameters.ts';
import type { Permissions, Visibility } from './access.ts';
import type { Bucket } from './bucket.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectRead } from './object-read.ts';
import type { RequestFields } from './request-fields.ts';

/** A client's GetObject or HeadObject, parsed and authenticated. */
export interface ClientRead {
  readonly exchange: Exchange;
  readonly fields: RequestFields;
  readonly read: ObjectRead;
  readonly range: RangeRequest;
  readonly visibility: Visibility;
  /** Headers that replace those of a 200 response only (docs/semantics.md, Decided 1). */
  readonly overrides: Pairs;
  /** Whether a missing key may be reported as missing (docs/semantics.md, Authentication 4). */
  readonly mayKnowMissing: boolean;
  readonly nowMs: number;
}

/** Builds the read that a client asks for; does not check whether it is allowed. */
export function clientRead(
  exchange: Exchange,
  fields: RequestFields,
  parameters: ReadParameters,
  bucket: Bucket,
  key: string,
  permissions: Permissions,
  nowMs: number,
): ClientRead {
  const { versionId, partNumber, expectedBucketOwner, requestPayer, checksumMode, overrides } = parameters;
  const range = parseRange(fields.range);
  const variant = { origin: fields.origin, expectedBucketOwner, requestPayer };
  const method = exchange.isHead ? 'HEAD' : 'GET';
  const read: ObjectRead = {
    method,
    bucket,
    policy: bucket.policyFor(key),
    objectKey: objectKey(bucket.store.name, bucket.bucketAtStore, bucket.keyPrefix + key),
    versionId,
    variant,
    recordName: recordName(versionId, variant, method),
    range,
    partNumber,
    isConditional: fields.isConditional,
  };
  const visibility = permissions.visibility(key, checksumMode);
  return {
    exchange,
    fields,
    read,
    range,
    visibility,
    overrides,
    mayKnowMissing: permissions.allows('ListBucket', key),
    nowMs,
  };
}
