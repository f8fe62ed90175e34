import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { Client, CopyDestinationOptions, CopySourceOptions } from 'minio';
import { expect, it } from 'vitest';
import { buckets, sha256, type WriteSite } from './site.ts';

const mebibyte = 1024 * 1024;

/** What MinIO's client for JavaScript writes. */
export function minioClient(site: () => WriteSite): void {
  it.each(buckets)(
    "MinIO's client puts, sends in parts, copies, removes, and presigns PUT and POST in the bucket %s",
    async bucket => {
      const client = clientAt(site());
      const large = randomBytes(12 * mebibyte + 1);
      const file = site().path(`minio-${bucket}`);
      writeFileSync(file, large);
      const [small, parts] = [Buffer.from('small'), sha256(large)];

      await client.putObject(bucket, 'minio/small', small);
      await client.putObject(bucket, 'minio/stream', Readable.from([large], { objectMode: false }));
      await client.fPutObject(bucket, 'minio/file ü.bin', file, { 'content-type': 'text/x' });
      // a `+` in a source would be a space: this client does not encode it
      await client.copyObject(
        new CopySourceOptions({ Bucket: bucket, Object: 'minio/file ü.bin' }),
        new CopyDestinationOptions({ Bucket: bucket, Object: 'minio/copy' }),
      );
      const put = await client.presignedPutObject(bucket, 'minio/presigned', 60);
      expect((await fetch(put, { method: 'PUT', body: large })).status).toBe(200);
      expect(await post(client, bucket, 'minio/posted', small)).toBe(204);
      const held = { small: sha256(small), posted: sha256(small) };
      const copies = { stream: parts, 'file ü.bin': parts, copy: parts, presigned: parts };
      await site().expectHeld(bucket, 'minio/', { ...held, ...copies });

      const removed = Object.keys(copies).map(name => `minio/${name}`);
      await client.removeObjects(bucket, removed);
      await site().expectHeld(bucket, 'minio/', held);
    },
  );
}

function clientAt({ gateway, client }: WriteSite): Client {
  const { hostname, port } = new URL(gateway.url);
  return new Client({
    ...{ endPoint: hostname, port: Number(port), useSSL: false, region: 'us-east-1', pathStyle: true },
    ...{ accessKey: client.accessKeyId, secretKey: client.secretAccessKey, partSize: 5 * mebibyte },
  });
}

/** Posts a form with a policy; the status of the answer. */
async function post(client: Client, bucket: string, key: string, content: Uint8Array<ArrayBuffer>) {
  const policy = client.newPostPolicy();
  policy.setBucket(bucket);
  policy.setKey(key);
  policy.setExpires(new Date(Date.now() + 60_000));
  policy.setContentLengthRange(1, content.length);
  const { postURL, formData } = await client.presignedPostPolicy(policy);
  const form = new FormData();
  for (const [name, value] of Object.entries(formData)) form.append(name, String(value));
  form.append('file', new Blob([content]));
  return (await fetch(postURL, { method: 'POST', body: form })).status;
}
