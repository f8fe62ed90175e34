import { createDigest } from '../checksum/checksum-algorithm.ts';
import { type ComposedPart, composeEtag } from '../checksum/compose-parts.ts';
import type { StoredBucket } from '../disk/buckets.ts';
import { writeContent } from '../disk/content.ts';
import type { ObjectAttributes, StorageClass } from '../disk/object-attributes.ts';
import { addObject, type PartContent } from '../operations/add-object.ts';
import { checksumOfParts } from '../operations/multipart-checksum.ts';
import { opaqueTag } from '../operations/opaque-tag.ts';
import { describeCustomerKey, type RequestKey } from '../protocol/customer-key.ts';
import type { StoreParts } from '../store.ts';

/** An object of the sample bucket. */
export interface SampleObject {
  readonly key: string;
  /** One sequence of chunks for a simple upload, several for a multipart upload. */
  readonly parts: readonly Iterable<Uint8Array>[];
  readonly contentType: string;
  readonly storageClass?: StorageClass;
  readonly customerKey?: RequestKey;
  readonly attributes?: Partial<ObjectAttributes>;
}

/** The checksum kept for each part; a whole object is treated as one part. */
const whole = { algorithm: 'CRC64NVME', type: 'FULL_OBJECT' } as const;

/** Writes a new current version, like PutObject or a multipart upload. */
export async function storeSample(
  store: StoreParts,
  bucket: StoredBucket,
  sample: SampleObject,
): Promise<void> {
  const parts: (PartContent & ComposedPart)[] = [];
  for (const chunks of sample.parts) parts.push(await storePart(store, sample, chunks, parts.length + 1));
  const [first] = parts;
  if (!first) return;
  const { customerKey } = sample;
  const isMultipart = parts.length > 1;
  addObject({ store, bucket, key: sample.key }, parts, {
    content: {
      sizeBytes: parts.reduce((sum, part) => sum + part.sizeBytes, 0),
      etag: isMultipart ? composeEtag(parts) : first.etag,
      storageClass: sample.storageClass ?? 'STANDARD',
      attributes: {
        contentHeaders: { 'content-type': sample.contentType },
        metadata: [],
        tags: [],
        acl: 'public-read',
        encryption: customerKey ? describeCustomerKey(customerKey) : { kind: 'managed' },
        checksum: checksumOfParts(whole, parts),
        ...(isMultipart && { partsCount: parts.length }),
        ...sample.attributes,
      },
    },
  });
}

async function storePart(
  store: StoreParts,
  { customerKey }: SampleObject,
  chunks: Iterable<Uint8Array>,
  partNumber: number,
): Promise<PartContent & ComposedPart> {
  const md5 = createDigest('MD5');
  const checksum = createDigest(whole.algorithm);
  const content = await writeContent(
    store.blobs,
    { source: inTurn(chunks), digests: [md5, checksum] },
    customerKey?.key,
  );
  return {
    ...content,
    partNumber,
    etag: customerKey ? opaqueTag() : md5.digest().toString('hex'),
    checksum: checksum.digest().toString('base64'),
  };
}

async function* inTurn(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
