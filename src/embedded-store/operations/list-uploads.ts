import { formatIsoDate } from '../protocol/dates.ts';
import { parseListingParameters } from '../protocol/listing-parameters.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { xmlResult } from '../protocol/xml.ts';
import { findUpload } from './find-upload.ts';
import { ownerElement } from './list-objects.ts';
import type { BucketCall, ObjectCall } from './operation.ts';

/** ListMultipartUploads; prefixes are not grouped. */
export function listUploads(call: BucketCall): OperationAnswer {
  const { request, store, bucket } = call;
  const { prefix, maxEntries, encode, encodingType } = parseListingParameters(request, 'max-uploads');
  const after = {
    key: request.query.get('key-marker') ?? '',
    id: request.query.get('upload-id-marker') ?? '',
  };
  const found = store.uploads.list(bucket.name, prefix, after, maxEntries + 1);
  const page = found.slice(0, maxEntries);
  const last = found.length > page.length ? page.at(-1) : undefined;
  const content = {
    Bucket: bucket.name,
    KeyMarker: encode(after.key),
    UploadIdMarker: after.id,
    NextKeyMarker: last && encode(last.key),
    NextUploadIdMarker: last?.id,
    Prefix: encode(prefix),
    MaxUploads: maxEntries,
    EncodingType: encodingType,
    IsTruncated: last !== undefined,
    Upload: page.map(({ key, id, initiatedMs, plan }) => ({
      Key: encode(key),
      UploadId: id,
      Owner: ownerElement(call),
      StorageClass: plan.storageClass,
      Initiated: formatIsoDate(initiatedMs),
      ChecksumAlgorithm: plan.checksum.algorithm,
      ChecksumType: plan.checksum.type,
    })),
  };
  return { status: 200, body: xmlResult('ListMultipartUploadsResult', content) };
}

export function listParts(call: ObjectCall): OperationAnswer {
  const { request, store, bucket, key } = call;
  const { id, plan } = findUpload(call);
  const { maxEntries } = parseListingParameters(request, 'max-parts');
  const after = Number(request.query.get('part-number-marker') ?? 0) || 0;
  const found = store.uploads.parts(id, after, maxEntries + 1);
  const page = found.slice(0, maxEntries);
  const content = {
    Bucket: bucket.name,
    Key: key,
    UploadId: id,
    Owner: ownerElement(call),
    StorageClass: plan.storageClass,
    PartNumberMarker: after,
    NextPartNumberMarker: page.at(-1)?.partNumber,
    MaxParts: maxEntries,
    IsTruncated: found.length > page.length,
    ChecksumAlgorithm: plan.checksum.algorithm,
    ChecksumType: plan.checksum.type,
    Part: page.map(part => ({
      PartNumber: part.partNumber,
      LastModified: formatIsoDate(part.lastModifiedMs),
      ETag: `"${part.etag}"`,
      Size: part.sizeBytes,
      [`Checksum${plan.checksum.algorithm}`]: part.checksum,
    })),
  };
  return { status: 200, body: xmlResult('ListPartsResult', content) };
}
