import {
  type ChecksumAlgorithm,
  type ChecksumType,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** An object to be uploaded in parts, by their numbers. */
export interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly parts: ReadonlyMap<number, Uint8Array>;
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly type: ChecksumType };
}

/** Uploads an object in parts. */
export async function uploadParts(client: S3Client, { bucket, key, parts, checksum }: Upload): Promise<void> {
  const target = { Bucket: bucket, Key: key };
  const ChecksumAlgorithm = checksum?.algorithm;
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm, ChecksumType: checksum?.type }),
  );
  const Parts = [];
  for (const [PartNumber, Body] of parts) {
    const part = await client.send(
      new UploadPartCommand({ ...target, UploadId, PartNumber, Body, ChecksumAlgorithm }),
    );
    // real stores want the checksum of each part again where there is one
    Parts.push({ ...part, PartNumber });
  }
  await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }));
}
