import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { RealProcess, run } from '../../support/real-process.ts';
import { type BucketName, buckets, sha256, type WriteSite } from './site.ts';

const mebibyte = 1024 * 1024;

/** What programs do in a mounted folder. In a process of its own: calls that wait for s3fs would wait for this one. */
const script = `
set -e
cd "$2"
mkdir -p 's3fs/below it'
echo first line > s3fs/text
echo second line >> s3fs/text
cp "$1" 's3fs/below it/parts+ü'
cp 's3fs/below it/parts+ü' s3fs/appended
printf more >> s3fs/appended
mv 's3fs/below it/parts+ü' s3fs/renamed
echo x > s3fs/removed
rm s3fs/removed
cat s3fs/text
cmp "$1" s3fs/renamed
`;

/** What s3fs writes: large files in parts, which it copies when a file is appended to or renamed. */
export function s3fs(site: () => WriteSite): void {
  it.each(buckets)(
    'files are written, appended to, renamed and removed on s3fs in the bucket %s',
    async bucket => {
      const [mounted, file] = [site().folder(`mounted-${bucket}`), site().path('of s3fs')];
      const parts = randomBytes(23 * mebibyte + 1);
      writeFileSync(file, parts);
      const program = await mount(site(), bucket, mounted);
      try {
        const said = await run('bash', ['-c', script, 'bash', file, mounted]);
        expect(said).toBe('first line\nsecond line\n');
      } finally {
        await program.stop();
      }
      // a folder is an empty object
      const folder = sha256(Buffer.alloc(0));
      await site().expectHeld(bucket, 's3fs/', {
        '': folder,
        'below it/': folder,
        text: sha256(Buffer.from('first line\nsecond line\n')),
        appended: sha256(Buffer.concat([parts, Buffer.from('more')])),
        renamed: sha256(parts),
      });
    },
  );
}

/** Mounts a bucket; it is unmounted when the program is stopped. */
async function mount({ gateway, client }: WriteSite, bucket: BucketName, folder: string) {
  const options = ['use_path_request_style', 'endpoint=us-east-1', 'multipart_size=10', 'retries=1'];
  const program = new RealProcess(
    's3fs',
    [bucket, folder, '-f', '-o', [`url=${gateway.url}`, ...options].join(',')],
    {
      environment: { AWSACCESSKEYID: client.accessKeyId, AWSSECRETACCESSKEY: client.secretAccessKey },
    },
  );
  try {
    const isMounted = () => readFileSync('/proc/self/mounts', 'utf8').includes(`s3fs ${folder} fuse.s3fs`);
    await vi.waitUntil(isMounted, { timeout: 30_000 });
  } catch {
    await program.stop();
    throw new Error(`s3fs mounts nothing:\n${program.output}`);
  }
  return program;
}
