import { createDigest, DEFAULT_CHECKSUM, parseChecksumAlgorithm } from '../checksum/checksum-algorithm.ts';
import { writeContent } from '../disk/content.ts';
import type { ObjectAttributes, StoredChecksum } from '../disk/object-attributes.ts';
import type { StoredObject } from '../disk/versions.ts';
import type { CopySource } from '../protocol/copy-source.ts';
import { parseCustomerKeyForWrite } from '../protocol/customer-key.ts';
import { formatIsoDate } from '../protocol/dates.ts';
import { parseEncryption } from '../protocol/encryption-settings.ts';
import { parseStorageClass } from '../protocol/object-settings.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { xmlResult } from '../protocol/xml.ts';
import { addContent } from './add-content.ts';
import { parseAttributes } from './new-attributes.ts';
import { encryptionHeaders } from './object-headers.ts';
import { opaqueTag } from './opaque-tag.ts';
import { openCopySource } from './open-copy-source.ts';
import type { ObjectCall } from './operation.ts';

/** CopyObject: copies the bytes of another object, and its attributes unless the request replaces them. */
export async function copyObject(call: ObjectCall, from: CopySource): Promise<OperationAnswer> {
  const { request, store, bucket } = call;
  const customerKey = parseCustomerKeyForWrite(request);
  const encryption = parseEncryption(request, customerKey);
  const storageClass = parseStorageClass(request);
  const settings = parseAttributes(call);
  const { object: source, read, headers } = openCopySource(call, from);
  demandChange(call, source);
  const algorithm = checksumAlgorithm(call, source);
  const [md5, digest] = [createDigest('MD5'), createDigest(algorithm)];
  const incoming = { source: read(0, source.sizeBytes - 1), digests: [md5, digest] };
  const stored = await writeContent(store.blobs, incoming, customerKey?.key);
  const value = digest.digest().toString('base64');
  const checksum: StoredChecksum = { algorithm, type: 'FULL_OBJECT', value };
  const copy = addContent(call, stored, {
    sizeBytes: stored.sizeBytes,
    etag: encryption.kind === 'managed' ? md5.digest().toString('hex') : opaqueTag(),
    storageClass,
    attributes: { ...settings, ...kept(call, source), encryption, checksum },
  });
  const content = {
    LastModified: formatIsoDate(copy.lastModifiedMs),
    ETag: `"${copy.etag}"`,
    [`Checksum${algorithm}`]: value,
    ChecksumType: checksum.type,
  };
  return {
    status: 200,
    prefixed: {
      ...headers,
      ...encryptionHeaders(encryption, request.prefix),
      ...(bucket.settings.versioning !== 'never' && { 'version-id': copy.versionId }),
    },
    body: xmlResult('CopyObjectResult', content),
  };
}

/** The attributes that the copy keeps from the source. */
function kept({ request }: ObjectCall, { attributes }: StoredObject): Partial<ObjectAttributes> {
  const { contentHeaders, metadata, tags } = attributes;
  return {
    ...(request.prefixed('metadata-directive') !== 'REPLACE' && { contentHeaders, metadata }),
    ...(request.prefixed('tagging-directive') !== 'REPLACE' && { tags }),
  };
}

function checksumAlgorithm({ request }: ObjectCall, { attributes }: StoredObject) {
  const wanted = parseChecksumAlgorithm(request.prefixed('checksum-algorithm') ?? '');
  return wanted ?? attributes.checksum?.algorithm ?? DEFAULT_CHECKSUM;
}

/** @throws InvalidRequest when an object is copied onto itself without changes */
function demandChange({ request, bucket, key }: ObjectCall, source: StoredObject): void {
  const changes = ['storage-class', 'website-redirect-location', 'server-side-encryption'];
  const isItself = source.bucket === bucket.name && source.key === key && source.isLatest;
  if (!isItself || request.prefixed('metadata-directive') === 'REPLACE') return;
  if (changes.some(name => request.prefixed(name) !== undefined)) return;
  throw new OperationError('InvalidRequest', {
    message:
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  });
}
