import { formatIsoDate } from '../protocol/dates.ts';
import { parseAcl } from '../protocol/object-settings.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { xmlResult } from '../protocol/xml.ts';
import type { BucketCall, BucketNameCall, ServiceCall } from './operation.ts';

export function listBuckets({ store }: ServiceCall): OperationAnswer {
  const Bucket = store.buckets
    .list()
    .map(({ name, createdMs }) => ({ Name: name, CreationDate: formatIsoDate(createdMs) }));
  const content = { Owner: { ID: store.ownerId }, Buckets: { Bucket } };
  return { status: 200, body: xmlResult('ListAllMyBucketsResult', content) };
}

/** CreateBucket: names have 3 to 63 lower-case letters, digits, dots and hyphens. */
export function createBucket({ store, request, bucketName }: BucketNameCall): OperationAnswer {
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucketName)) {
    throw new OperationError('InvalidBucketName', { fields: { BucketName: bucketName } });
  }
  const isLockEnabled = request.prefixed('bucket-object-lock-enabled')?.toLowerCase() === 'true';
  const isNew = store.buckets.create({
    name: bucketName,
    createdMs: store.clock.nowMs(),
    settings: {
      ownerId: store.ownerId,
      acl: parseAcl(request),
      // object lock requires versioning
      versioning: isLockEnabled ? 'enabled' : 'never',
      payer: 'BucketOwner',
      isLockEnabled,
      cors: [],
      lifecycle: [],
    },
  });
  if (!isNew) throw new OperationError('BucketAlreadyOwnedByYou', { fields: { BucketName: bucketName } });
  return { status: 200, headers: { location: `/${bucketName}` } };
}

export function headBucket({ store }: BucketCall): OperationAnswer {
  return { status: 200, prefixed: { 'bucket-region': store.region } };
}

/** GetBucketLocation: empty for the default region. */
export function getBucketLocation({ store }: BucketCall): OperationAnswer {
  const name = store.region === 'us-east-1' ? '' : store.region;
  return { status: 200, body: xmlResult('LocationConstraint', { '#text': name }) };
}

export function deleteBucket({ store, bucket }: BucketCall): OperationAnswer {
  if (store.buckets.remove(bucket.name)) return { status: 204 };
  throw new OperationError('BucketNotEmpty', { fields: { BucketName: bucket.name } });
}

/** Uploads by HTML forms, which this store does not support (docs/semantics.md 269). */
export function postToBucket(): never {
  const message = 'Bucket POST must be of the enclosure-type multipart/form-data';
  throw new OperationError('PreconditionFailed', { message, fields: { Condition: message } });
}
