import { Readable } from 'node:stream';
import {
  ChecksumAlgorithm,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from '../../../support/conformance/lab.ts';
import { OWNER } from '../../../support/embedded-store/store-under-test.ts';
import { copyOf, patternContent } from '../../../support/stand-in/content.ts';

const mebibyte = 1024 * 1024;

describe.each([
  { client: 'x-amz-', store: 'x-amz-' },
  { client: 'x-amz-', store: 'x-store-' },
] as const)('the AWS SDK writes through the gateway in front of a store that speaks $store', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      buckets: { box: {}, renamed: { bucketAtStore: 'box', keyPrefix: 'in/' } },
    });
    await lab.store.put('/box');
  });
  afterAll(() => lab.stop());

  const contentOf = async (Bucket: string, Key: string) => {
    const answer = await lab.sdk().send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    return Buffer.from((await answer.Body?.transformToByteArray()) ?? []);
  };

  it.each([0, 1, 100, 65_536, 3 * mebibyte + 7])(
    'an object of %d bytes, with the checksum that SDKs send',
    async sizeBytes => {
      const body = copyOf(patternContent(sizeBytes));
      const put = await lab
        .sdk()
        .send(new PutObjectCommand({ Bucket: 'box', Key: `plain-${sizeBytes}`, Body: body }));
      expect(put.ChecksumCRC32).toBeDefined();
      expect(await contentOf('box', `plain-${sizeBytes}`)).toEqual(body);
    },
  );

  it.each(Object.values(ChecksumAlgorithm).filter(name => /^(?:CRC|SHA(?:1|256)$)/.test(name)))(
    'a body of which only its trailer tells the checksum: %s',
    async algorithm => {
      const body = copyOf(patternContent(2 * mebibyte + 11));
      const stream = Readable.from([body.subarray(0, 1_000), body.subarray(1_000)], { objectMode: false });
      const Key = `trailer-${algorithm}`;
      await lab.sdk().send(
        new PutObjectCommand({
          Bucket: 'box',
          Key,
          Body: stream,
          ContentLength: body.length,
          ChecksumAlgorithm: algorithm,
        }),
      );
      expect(await contentOf('box', Key)).toEqual(body);
      const head = await lab
        .sdk()
        .send(new HeadObjectCommand({ Bucket: 'box', Key, ChecksumMode: 'ENABLED' }));
      expect(head[`Checksum${algorithm}` as 'ChecksumCRC32']).toBeDefined();
      expect(head.ContentEncoding).toBeUndefined();
    },
  );

  it('headers, metadata and tags are kept, the name is mapped, and the cache forgets what it knew', async () => {
    const put = (Body: string, colour: string) =>
      lab.sdk().send(
        new PutObjectCommand({
          ...{ Bucket: 'renamed', Key: 'a b/ü.txt', Body, ContentType: 'text/plain', Metadata: { colour } },
          ...{
            Tagging: 'a=1',
            CacheControl: 'max-age=600',
            ContentEncoding: 'identity',
            ServerSideEncryption: 'AES256',
          },
        }),
      );
    await put('one', 'red');
    expect((await contentOf('renamed', 'a b/ü.txt')).toString()).toBe('one');
    await put('two', 'blue');
    expect((await contentOf('renamed', 'a b/ü.txt')).toString()).toBe('two');
    const head = await lab.sdk().send(new HeadObjectCommand({ Bucket: 'box', Key: 'in/a b/ü.txt' }));
    expect(head).toMatchObject({ Metadata: { colour: 'blue' }, ContentType: 'text/plain', TagCount: 1 });
    await lab.sdk().send(new DeleteObjectCommand({ Bucket: 'renamed', Key: 'a b/ü.txt' }));
    await expect(contentOf('renamed', 'a b/ü.txt')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('a presigned URL allows a PUT of anything', async () => {
    const url = await getSignedUrl(
      lab.sdk(OWNER, { requestChecksumCalculation: 'WHEN_REQUIRED' }),
      new PutObjectCommand({ Bucket: 'box', Key: 'presigned' }),
    );
    const answer = await fetch(url, { method: 'PUT', body: 'by a URL' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-cache')).toBe('BYPASS');
    expect((await contentOf('box', 'presigned')).toString()).toBe('by a URL');
  });

  it('a condition on what is there is the store’s to judge', async () => {
    const put = () =>
      lab.sdk().send(new PutObjectCommand({ Bucket: 'box', Key: 'once', Body: 'x', IfNoneMatch: '*' }));
    await put();
    await expect(put()).rejects.toMatchObject({ name: 'PreconditionFailed' });
  });
});
