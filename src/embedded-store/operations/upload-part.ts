import { createDigest } from '../checksum/checksum-algorithm.ts';
import { type StoredContent, writeContent } from '../disk/content.ts';
import type { UploadedPart } from '../disk/uploads.ts';
import { type CopySource, parseCopyRange, parseCopySource } from '../protocol/copy-source.ts';
import { matchCustomerKey, parseCustomerKeyForWrite } from '../protocol/customer-key.ts';
import { formatIsoDate } from '../protocol/dates.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { parsePartNumber } from '../protocol/part-number.ts';
import { ReceivedBody } from '../protocol/received-body.ts';
import { xmlResult } from '../protocol/xml.ts';
import { findUpload } from './find-upload.ts';
import { encryptionHeaders } from './object-headers.ts';
import { opaqueTag } from './opaque-tag.ts';
import { openCopySource } from './open-copy-source.ts';
import type { ObjectCall } from './operation.ts';

/** UploadPart, or UploadPartCopy when the request has a copy source; replaces an earlier part with the same number. */
export function uploadPart(call: ObjectCall): Promise<OperationAnswer> {
  const source = parseCopySource(call.request);
  return source ? copyPart(call, source) : receivePart(call);
}

async function receivePart(call: ObjectCall): Promise<OperationAnswer> {
  const { encryption, algorithm, sealKey } = partPlan(call);
  const body = new ReceivedBody(call, algorithm);
  const stored = await writeContent(call.store.blobs, body, sealKey);
  const { md5Hex, checksum } = body.facts();
  const part = keepPart(call, stored, md5Hex, checksum.value);
  return {
    status: 200,
    headers: { etag: `"${part.etag}"` },
    prefixed: {
      ...encryptionHeaders(encryption, call.request.prefix),
      [`checksum-${algorithm.toLowerCase()}`]: part.checksum,
    },
  };
}

async function copyPart(call: ObjectCall, from: CopySource): Promise<OperationAnswer> {
  const { encryption, algorithm, sealKey } = partPlan(call);
  const { object: source, read, headers } = openCopySource(call, from);
  const { first = 0, last = source.sizeBytes - 1 } = parseCopyRange(call.request, source.sizeBytes) ?? {};
  const [md5, digest] = [createDigest('MD5'), createDigest(algorithm)];
  const incoming = { source: read(first, last), digests: [md5, digest] };
  const stored = await writeContent(call.store.blobs, incoming, sealKey);
  const checksum = digest.digest().toString('base64');
  const part = keepPart(call, stored, md5.digest().toString('hex'), checksum);
  const content = {
    LastModified: formatIsoDate(part.lastModifiedMs),
    ETag: `"${part.etag}"`,
    [`Checksum${algorithm}`]: checksum,
  };
  return {
    status: 200,
    prefixed: { ...headers, ...encryptionHeaders(encryption, call.request.prefix) },
    body: xmlResult('CopyPartResult', content),
  };
}

/** The settings given when the upload began, and the key sent again with this part. */
function partPlan(call: ObjectCall) {
  const { attributes, checksum } = findUpload(call).plan;
  const { encryption } = attributes;
  const sealKey = matchCustomerKey(encryption, parseCustomerKeyForWrite(call.request));
  demandPartNumber(call);
  return { encryption, algorithm: checksum.algorithm, sealKey };
}

function keepPart(call: ObjectCall, stored: StoredContent, md5Hex: string, checksum: string): UploadedPart {
  const { store } = call;
  try {
    // looked up again: the upload may have ended meanwhile
    const upload = findUpload(call);
    const etag = upload.plan.attributes.encryption.kind === 'managed' ? md5Hex : opaqueTag();
    const lastModifiedMs = store.clock.nowMs();
    const part = { ...stored, partNumber: demandPartNumber(call), lastModifiedMs, etag, checksum };
    store.blobs.discard(store.uploads.putPart(upload, part));
    return part;
  } catch (error) {
    store.blobs.discard([stored.blobId]);
    throw error;
  }
}

function demandPartNumber({ request }: ObjectCall): number {
  const partNumber = parsePartNumber(request);
  if (partNumber !== undefined) return partNumber;
  throw new OperationError('InvalidRequest', { message: 'Missing partNumber' });
}
