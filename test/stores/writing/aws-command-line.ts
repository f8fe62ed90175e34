import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buckets, sha256, type WriteSite } from './site.ts';

const mebibyte = 1024 * 1024;
const yesterday = new Date(Date.now() - 86_400_000);

/** What the AWS command line writes. */
export function awsCommandLine(site: () => WriteSite): void {
  const s3 = (...args: readonly string[]) => site().aws('s3', ...args, '--only-show-errors');

  it.each([0, 1, 5 * mebibyte])('aws s3 cp of %d bytes up, and down again', async sizeBytes => {
    const [up, down] = [site().path(`up-${sizeBytes}`), site().path(`down-${sizeBytes}`)];
    writeFileSync(up, randomBytes(sizeBytes));
    const key = `folder/${sizeBytes}`;
    await s3('cp', up, `s3://plain/${key}`);
    await s3('cp', `s3://plain/${key}`, down);
    expect(sha256(down)).toBe(sha256(up));
    expect(await site().hashOf('plain', key)).toBe(sha256(up));
  });

  it('aws s3 cp over what is there, and aws s3 rm, are seen at once', async () => {
    const [up, down] = [site().path('again'), site().path('again-down')];
    const address = 's3://plain/again';
    for (const text of ['one', 'two', 'three']) {
      writeFileSync(up, text);
      await s3('cp', up, address);
      await s3('cp', address, down);
      expect(readFileSync(down, 'utf8')).toBe(text);
    }
    await s3('rm', address);
    await expect(s3('cp', address, down)).rejects.toThrow(/404/);
  });

  describe.each(buckets)('the AWS command line in the bucket %s', bucket => {
    it('cp of a large file up, over what is there, onward and back with mv', async () => {
      const up = site().path('large');
      for (const sizeBytes of [70 * mebibyte + 1, 20 * mebibyte]) {
        writeFileSync(up, randomBytes(sizeBytes));
        const hash = sha256(up);
        await s3('cp', up, `s3://${bucket}/mv/large file+ü.bin`);
        await s3('cp', `s3://${bucket}/mv/large file+ü.bin`, `s3://${bucket}/mv/copy`);
        await site().expectHeld(bucket, 'mv/', { 'large file+ü.bin': hash, copy: hash });
        await s3('mv', `s3://${bucket}/mv/copy`, `s3://${bucket}/mv/other.bin`);
        await site().expectHeld(bucket, 'mv/', { 'large file+ü.bin': hash, 'other.bin': hash });
        await s3('rm', `s3://${bucket}/mv/other.bin`);
      }
      const listed = await site().aws('s3', 'ls', '--recursive', `s3://${bucket}/mv/`);
      const lines = listed.trim().split('\n');
      expect(lines.map(line => line.slice(31))).toEqual(['mv/large file+ü.bin']);
    });

    it('sync of a folder up, from bucket to bucket, and down', async () => {
      const folder = site().folder(`tree-${bucket}`);
      const hashes: Record<string, string> = {};
      for (const [name, sizeBytes] of [
        ['a.txt', 5],
        ['sub/b b.bin', 9 * mebibyte],
        ['sub/empty', 0],
      ] as const) {
        const path = join(folder, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, randomBytes(sizeBytes));
        // stores tell whole seconds: what is written in the second of its upload would be sent again
        utimesSync(path, yesterday, yesterday);
        hashes[name] = sha256(path);
      }
      await s3('sync', folder, `s3://${bucket}/tree`);
      await site().expectHeld(bucket, 'tree/', hashes);
      await s3('sync', `s3://${bucket}/tree`, `s3://plain/tree of ${bucket}`);
      await site().expectHeld('plain', `tree of ${bucket}/`, hashes);
      const back = site().folder(`back-${bucket}`);
      await s3('sync', `s3://plain/tree of ${bucket}`, back);
      for (const [name, hash] of Object.entries(hashes)) expect(sha256(join(back, name))).toBe(hash);
      expect(await site().aws('s3', 'sync', folder, `s3://${bucket}/tree`)).toBe('');
    });
  });

  it('aws s3api put-object of 200 MiB, which the gateway holds no large part of at any time', async () => {
    const up = site().path('huge');
    writeFileSync(up, randomBytes(200 * mebibyte));
    await site().aws('s3api', 'put-object', '--bucket', 'plain', '--key', 'huge', '--body', up);
    // the arena is 128 MiB, of which little was read
    const status = readFileSync(`/proc/${site().gateway.pid}/status`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(450 * 1024);
    expect(await site().hashOf('plain', 'huge')).toBe(sha256(up));
  });

  it('the answer to a completed upload tells the address at the gateway alone', async () => {
    const asked = ['--bucket', 'renamed', '--key', 'told'];
    const { UploadId } = JSON.parse(await site().aws('s3api', 'create-multipart-upload', ...asked));
    const part = site().path('part');
    writeFileSync(part, 'x');
    const upload = [...asked, '--upload-id', UploadId];
    const sent = await site().aws('s3api', 'upload-part', ...upload, '--part-number', '1', '--body', part);
    const parts = JSON.stringify({ Parts: [{ PartNumber: 1, ETag: JSON.parse(sent).ETag }] });
    const said = await site().aws(
      's3api',
      'complete-multipart-upload',
      ...upload,
      '--multipart-upload',
      parts,
    );
    const Location = `${site().gateway.url}/renamed/told`;
    expect(JSON.parse(said)).toMatchObject({ Bucket: 'renamed', Key: 'told', Location });
    expect(said).not.toMatch(/elsewhere|tenant/);
  });
}
