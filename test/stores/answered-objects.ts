import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { uploadParts } from '../support/conformance/upload-parts.ts';
import { describingBytes } from '../support/self-describing.ts';
import type { RealStore } from './real-store.ts';

const mebibyte = 1_048_576;

/** Sizes of what is in the bucket `answers`. */
export const largeBytes = 3 * mebibyte + 17;
export const partBytes = 5 * mebibyte;
const lastPartBytes = 1000;

/** Versions of `history/v.txt`, oldest first: the first was written before versions were kept. */
export interface Versions {
  readonly written: readonly string[];
  /** Of the delete marker that is the current version of `gone.txt`. */
  readonly marker: string;
  /** Of what it hides. */
  readonly hidden: string;
}

/** A client of a store that the AWS SDK for JavaScript speaks for. */
export function sdkOf({ directUrl, credentials }: RealStore): S3Client {
  return new S3Client({
    endpoint: directUrl,
    region: 'us-east-1',
    // the SDK adds to what it is given
    credentials: { ...credentials },
    forcePathStyle: true,
    maxAttempts: 1,
  });
}

const plain: Omit<PutObjectCommandInput, 'Bucket'> = {
  Key: 'plain.txt',
  Body: '0123456789',
  ContentType: 'text/plain; charset=utf-8',
  ContentDisposition: 'attachment; filename="a b.txt"',
  ContentLanguage: 'en, de',
  CacheControl: 'max-age=600',
  Expires: new Date('2030-01-02T03:04:05Z'),
  Metadata: { colour: 'blue, green', 'Mixed-Case': 'x' },
};

/** What is put into `answers` by one request each. */
const objects: readonly Omit<PutObjectCommandInput, 'Bucket'>[] = [
  plain,
  { Key: 'empty', Body: Buffer.alloc(0) },
  { Key: 'large.bin', Body: describingBytes({ object: 1, version: 1 }, 0, largeBytes) },
  { Key: 'tagged.txt', Body: 'tagged', Tagging: 'a=1&b=2' },
  { Key: 'packed.txt.gz', Body: 'not really packed', ContentEncoding: 'gzip', ContentType: 'text/plain' },
  { Key: 'sums/sha256', Body: 'sha256', ChecksumAlgorithm: 'SHA256' },
  { Key: 'sums/crc64', Body: 'crc64', ChecksumAlgorithm: 'CRC64NVME' },
  { Key: 'sums/crc32c', Body: 'crc32c', ChecksumAlgorithm: 'CRC32C' },
  { Key: "odd names/ünï 日本 +%25'&=;,@$!(1)~", Body: 'odd' },
  { Key: 'folder/', Body: Buffer.alloc(0) },
];

/** Fills the buckets `answers` and `history` of an empty store. */
export async function putObjects(store: RealStore): Promise<Versions> {
  const client = sdkOf(store);
  try {
    for (const Bucket of ['answers', 'history']) await client.send(new CreateBucketCommand({ Bucket }));
    for (const object of objects) await client.send(new PutObjectCommand({ Bucket: 'answers', ...object }));
    for (const [key, algorithm, type] of [
      ['parts.bin', 'CRC64NVME', 'FULL_OBJECT'],
      ['composite.bin', 'SHA256', 'COMPOSITE'],
    ] as const) {
      const sizes = [partBytes, partBytes, lastPartBytes];
      const parts = sizes.map((size, index): [number, Buffer] => {
        const from = index * partBytes;
        return [index + 1, describingBytes({ object: 2, version: 1 }, from, from + size)];
      });
      await uploadParts(client, {
        bucket: 'answers',
        key,
        parts: new Map(parts),
        checksum: { algorithm, type },
      });
    }
    for (const Key of ['pending/a', 'pending/b', 'private/pending'])
      await client.send(new CreateMultipartUploadCommand({ Bucket: 'answers', Key }));
    return await putVersions(client);
  } finally {
    client.destroy();
  }
}

async function putVersions(client: S3Client): Promise<Versions> {
  const Bucket = 'history';
  const put = async (Key: string, Body: string) =>
    (await client.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId ?? 'null';
  const written = [await put('v.txt', 'before versions were kept')];
  await client.send(
    new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }),
  );
  for (const body of ['second', 'third']) written.push(await put('v.txt', body));
  const hidden = await put('gone.txt', 'hidden');
  const { VersionId: marker = '' } = await client.send(new DeleteObjectCommand({ Bucket, Key: 'gone.txt' }));
  return { written, marker, hidden };
}
