import { type StoredContent, writeContent } from '../disk/content.ts';
import type { ObjectAttributes } from '../disk/object-attributes.ts';
import type { NewObject, ObjectContent } from '../disk/versions.ts';
import type { Answer } from '../protocol/answer.ts';
import { parseCustomerKeyForWrite } from '../protocol/customer-key.ts';
import { parseEncryption } from '../protocol/encryption-settings.ts';
import { parseAcl, parseContentHeaders, parseLock, parseStorageClass } from '../protocol/object-settings.ts';
import { ReceivedBody } from '../protocol/received-body.ts';
import { parseStagedState } from '../protocol/staged-state.ts';
import { StoreError } from '../protocol/store-error.ts';
import { parseTaggingHeader } from '../protocol/tags.ts';
import { parseMetadata } from '../protocol/user-metadata.ts';
import { addObject } from './add-object.ts';
import { expirationHeader } from './lifecycle.ts';
import { demandLocks } from './lock.ts';
import { encryptionHeaders } from './object-headers.ts';
import { opaqueTag } from './opaque-tag.ts';
import type { ObjectCall } from './operation.ts';
import { demandWriteConditions } from './write-conditions.ts';

/** PutObject: the whole body becomes the current version, or nothing changes. */
export async function putObject(call: ObjectCall): Promise<Answer> {
  const { request, store } = call;
  if (request.prefixed('copy-source') !== undefined) throw new StoreError('NotImplemented');
  const customerKey = parseCustomerKeyForWrite(request);
  const encryption = parseEncryption(request, customerKey);
  const storageClass = parseStorageClass(request);
  const settings = parseAttributes(call);
  demandWriteConditions(call);
  const body = new ReceivedBody(call);
  const content = await writeContent(store.blobs, body, customerKey?.key);
  const { md5Hex, checksum } = body.facts();
  const object = addContent(call, content, {
    sizeBytes: content.sizeBytes,
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

/** What an object is stored with, as its PutObject or CreateMultipartUpload says it. */
export function parseAttributes(call: ObjectCall): Omit<ObjectAttributes, 'encryption' | 'checksum'> {
  const { request } = call;
  const lock = parseLock(request);
  if (lock.retention || lock.legalHold) demandLocks(call);
  const { accessTier, replicationStatus } = parseStagedState(request);
  const websiteRedirect = request.prefixed('website-redirect-location');
  return {
    contentHeaders: parseContentHeaders(request),
    metadata: parseMetadata(request),
    tags: parseTaggingHeader(request),
    acl: parseAcl(request),
    ...(websiteRedirect && { websiteRedirect }),
    ...lock,
    ...(accessTier && { accessTier }),
    ...(replicationStatus && { replicationStatus }),
  };
}

function addContent(call: ObjectCall, stored: StoredContent, content: ObjectContent): NewObject {
  try {
    const demand = () => demandWriteConditions(call);
    return addObject(call, [{ ...stored, partNumber: 1 }], { content, demand });
  } catch (error) {
    call.store.blobs.discard([stored.blobId]);
    throw error;
  }
}
