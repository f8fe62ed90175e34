import { composeEtag } from '../checksum/compose-parts.ts';
import type { Upload, UploadedPart } from '../disk/uploads.ts';
import { claimedChecksum } from '../protocol/claimed-checksum.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { parsePartList, type WantedPart } from '../protocol/part-list.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { xmlResult } from '../protocol/xml.ts';
import { addObject } from './add-object.ts';
import { findUpload } from './find-upload.ts';
import { checksumOfParts } from './multipart-checksum.ts';
import { encryptionHeaders } from './object-headers.ts';
import type { ObjectCall } from './operation.ts';
import { requireWriteConditions } from './write-conditions.ts';

/** The minimum size of all parts except the last. */
const MIN_PART_BYTES = 5 * 1024 ** 2;

/** CompleteMultipartUpload: the listed parts become the object, others are deleted. */
export async function completeUpload(call: ObjectCall): Promise<OperationAnswer> {
  const { request, store, bucket, key } = call;
  const wanted = parsePartList(await receiveDocument(call));
  const upload = findUpload(call);
  const parts = chooseParts(store.uploads.parts(upload.id), wanted);
  const { plan } = upload;
  const checksum = checksumOfParts(plan.checksum, parts);
  const claim = claimedChecksum(request);
  if (claim?.kind === 'header' && claim.value !== checksum.value) throw new OperationError('BadDigest');
  const etag = composeEtag(parts);
  const object = addObject(call, parts, {
    content: {
      sizeBytes: parts.reduce((sum, part) => sum + part.sizeBytes, 0),
      etag,
      storageClass: plan.storageClass,
      attributes: { ...plan.attributes, checksum, partsCount: parts.length },
    },
    demand: () => requireWriteConditions(call),
    alongside: () => unusedBlobs(store.uploads.end(upload.id), parts),
  });
  const content = {
    Location: `/${bucket.name}/${key}`,
    Bucket: bucket.name,
    Key: key,
    ETag: `"${etag}"`,
    [`Checksum${checksum.algorithm}`]: checksum.value,
    ChecksumType: checksum.type,
  };
  return {
    status: 200,
    prefixed: {
      ...encryptionHeaders(plan.attributes.encryption, request.prefix),
      ...(bucket.settings.versioning !== 'never' && { 'version-id': object.versionId }),
    },
    body: xmlResult('CompleteMultipartUploadResult', content),
  };
}

export function abortUpload(call: ObjectCall): OperationAnswer {
  const upload: Upload = findUpload(call);
  call.store.blobs.discard(call.store.uploads.end(upload.id));
  return { status: 204 };
}

/** @throws MalformedXML, InvalidPartOrder, InvalidPart and EntityTooSmall */
function chooseParts(uploaded: readonly UploadedPart[], wanted: readonly WantedPart[]): UploadedPart[] {
  if (wanted.length === 0) throw new OperationError('MalformedXML');
  const byNumber = new Map(uploaded.map(part => [part.partNumber, part]));
  let previous = 0;
  const chosen = wanted.map(({ partNumber, etag }) => {
    if (partNumber <= previous) throw new OperationError('InvalidPartOrder');
    previous = partNumber;
    const part = byNumber.get(partNumber);
    if (part?.etag === etag) return part;
    throw new OperationError('InvalidPart', { fields: { PartNumber: partNumber, ETag: etag } });
  });
  for (const part of chosen.slice(0, -1)) demandSize(part);
  return chosen;
}

function demandSize({ sizeBytes, partNumber, etag }: UploadedPart): void {
  if (sizeBytes >= MIN_PART_BYTES) return;
  throw new OperationError('EntityTooSmall', {
    fields: {
      ProposedSize: sizeBytes,
      MinSizeAllowed: MIN_PART_BYTES,
      PartNumber: partNumber,
      ETag: etag,
    },
  });
}

function unusedBlobs(blobIds: readonly string[], parts: readonly UploadedPart[]): string[] {
  const used = new Set(parts.map(part => part.blobId));
  return blobIds.filter(id => !used.has(id));
}
