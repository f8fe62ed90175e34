import { describe, expect, it } from 'vitest';
import { buckets, sha256, type WriteSite } from './site.ts';

/** What boto3 and botocore write. */
export function python(site: () => WriteSite): void {
  it('botocore puts bodies with every kind of checksum and signature', async () => {
    const lines = await site().python('write-bodies.py', 'plain');
    expect(lines.at(-1)).toBe('delete NoSuchKey');
    expect(lines.slice(0, -1).filter(line => !line.endsWith(' same -'))).toEqual([]);
    expect(lines).toHaveLength(10);
  });

  describe.each(buckets)('in the bucket %s', bucket => {
    it('botocore deletes objects, posts forms and puts to URLs that it has presigned', async () => {
      expect(await site().python('delete-and-post.py', bucket)).toEqual([
        ...['deleted 4 left 2', 'quiet None left 0'],
        ...['posted 204 same', 'posted 204 same', 'too large 400', 'presigned put 200 same'],
      ]);
      await site().expectHeld(bucket, 'many/', {});
      await site().expectHeld(bucket, 'posted/', {
        '10/a.bin': sha256(everyByte(1)),
        '3000000/a.bin': sha256(everyByte(11_719)),
      });
      await site().expectHeld(bucket, 'presigned/', { 'a b+ü.bin': sha256(everyByte(9000)) });
    });

    it('boto3 uploads in parallel parts, copies, lists and gives up uploads', async () => {
      const lines = await site().python('upload-parts.py', bucket);
      expect(lines.slice(0, -2).filter(line => !line.endsWith(' same'))).toEqual([]);
      expect(lines.slice(-2)).toEqual(["listed ['boto3/left'] 1", 'listed 0']);
      expect(lines).toHaveLength(8);
      const hash = await site().hashOf(bucket, 'boto3/up');
      await site().expectHeld(bucket, 'boto3/', { up: hash, parts: hash, 'a b+ü?.bin': hash });
    });
  });
}

/** All values of a byte, again and again. */
function everyByte(times: number): Buffer {
  return Buffer.alloc(
    times * 256,
    Uint8Array.from({ length: 256 }, (_, value) => value),
  );
}
