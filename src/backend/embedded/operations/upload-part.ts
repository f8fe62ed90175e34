import { writeContent } from '../disk/content.ts';
import type { Answer } from '../protocol/answer.ts';
import { matchCustomerKey, parseCustomerKeyForWrite } from '../protocol/customer-key.ts';
import { parsePartNumber } from '../protocol/part-number.ts';
import { ReceivedBody } from '../protocol/received-body.ts';
import { StoreError } from '../protocol/store-error.ts';
import { findUpload } from './find-upload.ts';
import { encryptionHeaders } from './object-headers.ts';
import { opaqueTag } from './opaque-tag.ts';
import type { ObjectCall } from './operation.ts';

/** UploadPart: a part replaces the one that had its number. */
export async function uploadPart(call: ObjectCall): Promise<Answer> {
  const { request, store } = call;
  if (request.prefixed('copy-source') !== undefined) throw new StoreError('NotImplemented');
  const partNumber = parsePartNumber(request);
  if (partNumber === undefined) throw new StoreError('InvalidRequest', { message: 'Missing partNumber' });
  const { plan } = findUpload(call);
  const { encryption } = plan.attributes;
  const sealKey = matchCustomerKey(encryption, parseCustomerKeyForWrite(request));
  const body = new ReceivedBody(call, plan.checksum.algorithm);
  const content = await writeContent(store.blobs, body, sealKey);
  const { md5Hex, checksum } = body.facts();
  const etag = encryption.kind === 'managed' ? md5Hex : opaqueTag();
  const lastModifiedMs = store.clock.nowMs();
  try {
    // looked up again: the upload may have ended while the part arrived
    const part = { ...content, partNumber, lastModifiedMs, etag, checksum: checksum.value };
    store.blobs.discard(store.uploads.putPart(findUpload(call), part));
  } catch (error) {
    store.blobs.discard([content.blobId]);
    throw error;
  }
  return {
    status: 200,
    headers: { etag: `"${etag}"` },
    prefixed: {
      ...encryptionHeaders(encryption, request.prefix),
      [`checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value,
    },
  };
}
