import { randomBytes } from 'node:crypto';
import { parseCustomerKeyForWrite } from '../protocol/customer-key.ts';
import { parseEncryption } from '../protocol/encryption-settings.ts';
import { parseStorageClass } from '../protocol/object-settings.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { xmlResult } from '../protocol/xml.ts';
import { parseChecksumPlan } from './multipart-checksum.ts';
import { parseAttributes } from './new-attributes.ts';
import { encryptionHeaders } from './object-headers.ts';
import type { ObjectCall } from './operation.ts';

/** CreateMultipartUpload: takes all properties of the object except its bytes. */
export function createUpload(call: ObjectCall): OperationAnswer {
  const { request, store, bucket, key } = call;
  const encryption = parseEncryption(request, parseCustomerKeyForWrite(request));
  const checksum = parseChecksumPlan(request);
  const id = randomBytes(24).toString('base64url');
  store.uploads.begin({
    id,
    bucket: bucket.name,
    key,
    initiatedMs: store.clock.nowMs(),
    plan: {
      storageClass: parseStorageClass(request),
      attributes: { ...parseAttributes(call), encryption },
      checksum,
    },
  });
  const content = { Bucket: bucket.name, Key: key, UploadId: id };
  return {
    status: 200,
    prefixed: {
      ...encryptionHeaders(encryption, request.prefix),
      'checksum-algorithm': checksum.algorithm,
      'checksum-type': checksum.type,
    },
    body: xmlResult('InitiateMultipartUploadResult', content),
  };
}
