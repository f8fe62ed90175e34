import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rclone } from '../clients.ts';
import { buckets, sha256, type WriteSite } from './site.ts';

const mebibyte = 1024 * 1024;
/** What rclone takes at least; larger files are sent in parts. */
const inParts = ['--s3-upload-cutoff', '5M', '--s3-chunk-size', '5M', '--s3-upload-concurrency', '3'];

/** What rclone writes. */
export function rcloneWrites(site: () => WriteSite): void {
  const gate = (...args: readonly string[]) =>
    rclone(site().gateway.url, [...args, ...inParts], site().client);

  it.each(buckets)('rclone copy, check, sync and purge in the bucket %s', async bucket => {
    const folder = site().folder(`rclone-${bucket}`, 'below it');
    const top = join(folder, '..');
    const hashes: Record<string, string> = {};
    const write = (name: string, sizeBytes: number) => {
      writeFileSync(join(top, name), randomBytes(sizeBytes));
      hashes[name] = sha256(join(top, name));
    };
    write('small.txt', 11);
    write('below it/parts+ü.bin', 12 * mebibyte + 3);
    write('below it/empty', 0);
    await gate('copy', top, `gate:${bucket}/rclone`);
    await gate('check', '--download', top, `gate:${bucket}/rclone`);
    await site().expectHeld(bucket, 'rclone/', hashes);

    write('small.txt', 12);
    write('new.bin', 6 * mebibyte);
    rmSync(join(top, 'below it/empty'));
    delete hashes['below it/empty'];
    await expect(gate('check', top, `gate:${bucket}/rclone`)).rejects.toThrow(/differences found/);
    await gate('sync', top, `gate:${bucket}/rclone`);
    await gate('check', '--download', top, `gate:${bucket}/rclone`);
    await site().expectHeld(bucket, 'rclone/', hashes);

    await gate('copy', `gate:${bucket}/rclone`, `gate:plain/rclone of ${bucket}`);
    await site().expectHeld('plain', `rclone of ${bucket}/`, hashes);
    await gate('purge', `gate:${bucket}/rclone`);
    await site().expectHeld(bucket, 'rclone/', {});
    await site().expectHeld('plain', `rclone of ${bucket}/`, hashes);
  });
}
