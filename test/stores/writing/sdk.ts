import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { describe, expect, it } from 'vitest';
import { buckets, sha256, type WriteSite } from './site.ts';

const mebibyte = 1024 * 1024;

/** What the AWS SDK for JavaScript writes. */
export function sdkForJavaScript(site: () => WriteSite): void {
  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'the AWS SDK for JavaScript sends a stream with %s in its trailer, and the store keeps that',
    async ChecksumAlgorithm => {
      const body = randomBytes(3 * mebibyte + 5);
      const Body = streamOf(body, 77);
      const asked = { Bucket: 'plain', Key: `trailer/${ChecksumAlgorithm}` };
      await site().through.send(
        new PutObjectCommand({ ...asked, Body, ContentLength: body.length, ChecksumAlgorithm }),
      );
      const kept = await site().direct.send(new GetObjectCommand({ ...asked, ChecksumMode: 'ENABLED' }));
      expect(kept[`Checksum${ChecksumAlgorithm}`]).toBeDefined();
      expect(kept.ContentEncoding).toBeUndefined();
      expect(sha256((await kept.Body?.transformToByteArray()) ?? new Uint8Array())).toBe(sha256(body));
    },
  );

  describe.each(buckets)('the Upload of its lib-storage in the bucket %s', bucket => {
    const upload = (Key: string, Body: Uint8Array | Readable) =>
      new Upload({ client: site().through, params: { Bucket: bucket, Key, Body }, partSize: 5 * mebibyte });

    it('sends streams and buffers, in parts where they are large, with its default checksums', async () => {
      const hashes: Record<string, string> = {};
      for (const sizeBytes of [0, 1000, 5 * mebibyte, 17 * mebibyte + 1]) {
        const body = randomBytes(sizeBytes);
        hashes[`buffer ${sizeBytes}`] = hashes[`stream ${sizeBytes}`] = sha256(body);
        await upload(`lib/buffer ${sizeBytes}`, body).done();
        await upload(`lib/stream ${sizeBytes}`, streamOf(body, 100_000)).done();
      }
      await site().expectHeld(bucket, 'lib/', hashes);
    });
  });
}

function streamOf(bytes: Buffer, firstBytes: number): Readable {
  return Readable.from([bytes.subarray(0, firstBytes), bytes.subarray(firstBytes)], { objectMode: false });
}
