import { writeContent } from '../disk/content.ts';
import { parseCopySource } from '../protocol/copy-source.ts';
import { parseCustomerKeyForWrite } from '../protocol/customer-key.ts';
import { parseEncryption } from '../protocol/encryption-settings.ts';
import { parseStorageClass } from '../protocol/object-settings.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { ReceivedBody } from '../protocol/received-body.ts';
import { addContent } from './add-content.ts';
import { copyObject } from './copy-object.ts';
import { expirationHeader } from './lifecycle.ts';
import { parseAttributes } from './new-attributes.ts';
import { encryptionHeaders } from './object-headers.ts';
import { opaqueTag } from './opaque-tag.ts';
import type { ObjectCall } from './operation.ts';
import { requireWriteConditions } from './write-conditions.ts';

/** PutObject, or CopyObject when the request has a copy source. */
export function putOrCopyObject(call: ObjectCall): Promise<OperationAnswer> {
  const source = parseCopySource(call.request);
  return source ? copyObject(call, source) : putObject(call);
}

/** The complete body becomes the current version, or nothing changes. */
async function putObject(call: ObjectCall): Promise<OperationAnswer> {
  const { request, store } = call;
  const customerKey = parseCustomerKeyForWrite(request);
  const encryption = parseEncryption(request, customerKey);
  const storageClass = parseStorageClass(request);
  const settings = parseAttributes(call);
  requireWriteConditions(call);
  const body = new ReceivedBody(call);
  const stored = await writeContent(store.blobs, body, customerKey?.key);
  const { md5Hex, checksum } = body.facts();
  const object = addContent(call, stored, {
    sizeBytes: stored.sizeBytes,
    etag: encryption.kind === 'managed' ? md5Hex : opaqueTag(),
    storageClass,
    attributes: { ...settings, encryption, checksum },
  });
  const expiration = expirationHeader(call.bucket.settings.lifecycle, object);
  return {
    status: 200,
    headers: { etag: `"${object.etag}"` },
    prefixed: {
      ...encryptionHeaders(encryption, request.prefix),
      ...(call.bucket.settings.versioning !== 'never' && { 'version-id': object.versionId }),
      ...(expiration && { expiration }),
      [`checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value,
      'checksum-type': checksum.type,
    },
  };
}
