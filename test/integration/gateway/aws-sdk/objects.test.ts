import {
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  RestoreObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from '../../../support/conformance/lab.ts';
import { agreeBySdk, readBySdk, type SdkRead } from '../../../support/conformance/sdk-reads.ts';
import { uploadParts } from '../../../support/conformance/upload-parts.ts';
import { StandInStore } from '../../../support/stand-in-store.ts';
import { TestGateway } from '../../../support/test-gateway.ts';

const digits = '0123456789';
const mebibyte = 1024 * 1024;
const methods = ['GET', 'HEAD'] as const;
const customerKey = {
  SSECustomerAlgorithm: 'AES256',
  SSECustomerKey: Buffer.alloc(32, 'k').toString('base64'),
};

describe('the AWS SDK reads objects through the gateway as from the store', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      buckets: { box: {}, locked: {} },
      gateway: { policy: { blockSizeBytes: mebibyte } },
    });
    await lab.store.put('/box');
    await lab.store.put('/box/k', digits, {
      'content-type': 'text/plain',
      'content-language': 'de',
      'cache-control': 'max-age=60',
      'x-amz-meta-colour': 'blue',
      'x-amz-tagging': 'a=1&b=2',
      'x-amz-storage-class': 'STANDARD_IA',
      'x-amz-website-redirect-location': '/elsewhere',
    });
    await lab.store.put('/box/empty', '');
  });
  afterAll(() => lab.stop());

  const read = (input: Partial<SdkRead>) => agreeBySdk(lab, { Bucket: 'box', Key: 'k', ...input });

  it.each(methods)('%s shows headers, metadata and the number of tags', async method => {
    const answer = await read({ method });
    expect(answer).toMatchObject({ status: 200, body: method === 'GET' ? digits : undefined });
    expect(answer.fields).toMatchObject({
      AcceptRanges: 'bytes',
      CacheControl: 'max-age=60',
      ContentLanguage: 'de',
      ContentLength: 10,
      ContentType: 'text/plain',
      ETag: '"781e5e245d69b566979b86e28d23f2c7"',
      LastModified: expect.any(Date),
      Metadata: { colour: 'blue' },
      ServerSideEncryption: 'AES256',
      StorageClass: 'STANDARD_IA',
      WebsiteRedirectLocation: '/elsewhere',
    });
    if (method === 'GET') expect(answer.fields).toMatchObject({ TagCount: 2 });
    expect(answer.storeRequests).toEqual({ cold: 1, warm: 0 });
  });

  it.each(['CRC32', 'CRC32C', 'SHA1', 'SHA256', 'CRC64NVME'] as const)(
    'row 182: GET is given the %s that the SDK asks for by itself, and compares it',
    async algorithm => {
      const key = algorithm.toLowerCase();
      await uploadParts(lab.store.sdk(), {
        bucket: 'box',
        key,
        parts: new Map([[1, Buffer.alloc(5 * mebibyte, key)]]),
        checksum: { algorithm, type: algorithm.startsWith('CRC') ? 'FULL_OBJECT' : 'COMPOSITE' },
      });
      const answer = await read({ Key: key });
      expect(answer.fields[`Checksum${algorithm}`]).toEqual(expect.any(String));
      expect(answer.body?.length).toBe(5 * mebibyte);
      expect(answer.storeRequests.warm).toBe(0);
    },
  );

  it.each([
    ['bytes=2-4', 'bytes 2-4/10', '234'],
    ['bytes=7-', 'bytes 7-9/10', '789'],
    ['bytes=-3', 'bytes 7-9/10', '789'],
    ['bytes=0-99', 'bytes 0-9/10', digits],
  ])('rows 1 to 8: %s', async (Range, ContentRange, body) => {
    const answer = await read({ Range });
    expect(answer).toMatchObject({ status: 206, body, fields: { ContentRange, ContentLength: body.length } });
    expect(answer.storeRequests.warm).toBe(0);
  });

  it('row 10: a range behind the end', async () => {
    expect(await read({ Range: 'bytes=10-' })).toMatchObject({
      status: 416,
      fields: { name: 'InvalidRange', ActualObjectSize: '10', RangeRequested: 'bytes=10-' },
    });
  });

  it('row 14: several ranges are the whole object', async () => {
    expect(await read({ Range: 'bytes=0-1,3-4' })).toMatchObject({ status: 200, body: digits });
  });

  it('row 24: a range of an empty object', async () => {
    expect(await read({ Key: 'empty', Range: 'bytes=0-' })).toMatchObject({
      status: 416,
      fields: { name: 'InvalidRange' },
    });
    expect(await read({ Key: 'empty' })).toMatchObject({ status: 200, body: '' });
  });

  it.each(methods)('rows 36 to 42 and 48: %s of parts', async method => {
    const parts = [Buffer.alloc(5 * mebibyte, 'a'), Buffer.from('b')];
    await uploadParts(lab.store.sdk(), {
      bucket: 'box',
      key: 'parts',
      parts: new Map(parts.map((part, index) => [index + 1, part])),
      checksum: { algorithm: 'CRC32', type: 'COMPOSITE' },
    });
    for (const [index, part] of parts.entries()) {
      const answer = await read({ method, Key: 'parts', PartNumber: index + 1 });
      expect(answer).toMatchObject({ status: 206, fields: { PartsCount: 2, ContentLength: part.length } });
      if (method === 'GET') expect(answer.body === part.toString()).toBe(true);
    }
    expect((await read({ method, Key: 'parts', PartNumber: 3 })).status).toBe(416);
    const whole = await read({ method, Key: 'parts' });
    expect(whole.fields).toMatchObject({ ContentLength: 5 * mebibyte + 1 });
    expect(whole.fields.PartsCount).toBeUndefined();
  });

  it('row 132: the six overrides replace what is stored', async () => {
    const { fields } = await read({
      ResponseContentType: 'text/css',
      ResponseContentLanguage: 'fr',
      ResponseContentEncoding: 'br',
      ResponseContentDisposition: 'attachment',
      ResponseCacheControl: 'no-store',
      ResponseExpires: new Date(0),
    });
    expect(fields).toMatchObject({
      ContentType: 'text/css',
      ContentLanguage: 'fr',
      ContentEncoding: 'br',
      ContentDisposition: 'attachment',
      CacheControl: 'no-store',
      ExpiresString: 'Thu, 01 Jan 1970 00:00:00 GMT',
    });
  });

  it.each(methods)('rows 144, 146 and 156: %s of what is sealed with a customer key', async method => {
    const sealed = { Bucket: 'box', Key: 'sealed', Body: 'sealed', ...customerKey };
    const { SSECustomerKeyMD5 } = await lab.store.sdk().send(new PutObjectCommand(sealed));
    const opened = await read({ method, Key: 'sealed', ...customerKey });
    expect(opened).toMatchObject({
      status: 200,
      fields: { SSECustomerAlgorithm: 'AES256', SSECustomerKeyMD5 },
    });
    expect(opened.storeRequests).toEqual({ cold: 1, warm: 1 });
    expect((await read({ method, Key: 'sealed' })).status).toBe(400);
    const SSECustomerKey = Buffer.alloc(32, 'other').toString('base64');
    expect((await read({ method, Key: 'sealed', ...customerKey, SSECustomerKey })).status).toBe(403);
  });

  it('rows 165 to 173: an archived object, its restore, and the restored copy', async () => {
    await lab.store.put('/box/cold', 'cold', { 'x-amz-storage-class': 'GLACIER' });
    const refused = { status: 403, fields: { name: 'InvalidObjectState', StorageClass: 'GLACIER' } };
    expect(await read({ Key: 'cold' })).toMatchObject(refused);
    expect(await read({ Key: 'cold', method: 'HEAD' })).toMatchObject({
      status: 200,
      fields: { StorageClass: 'GLACIER' },
    });
    const restore = { Bucket: 'box', Key: 'cold', RestoreRequest: { Days: 1 } };
    await lab.store.sdk().send(new RestoreObjectCommand(restore));
    expect(await read({ Key: 'cold' })).toMatchObject(refused);
    expect((await read({ Key: 'cold', method: 'HEAD' })).fields.Restore).toBe('ongoing-request="true"');
    lab.store.clock.advance(10_000);
    const restored = await read({ Key: 'cold' });
    expect(restored).toMatchObject({ status: 200, body: 'cold' });
    expect(restored.fields.Restore).toMatch(/^ongoing-request="false", expiry-date="/);
  });

  it.each(['ARCHIVE_ACCESS', 'DEEP_ARCHIVE_ACCESS'])('row 166: an object in %s', async AccessTier => {
    await lab.store.put('/box/tiered', 'cold', {
      'x-amz-storage-class': 'INTELLIGENT_TIERING',
      'x-amz-embedded-access-tier': AccessTier,
    });
    expect(await read({ Key: 'tiered' })).toMatchObject({
      status: 403,
      fields: { name: 'InvalidObjectState', StorageClass: 'INTELLIGENT_TIERING', AccessTier },
    });
    const { fields } = await read({ Key: 'tiered', method: 'HEAD' });
    expect(fields.ArchiveStatus).toBe(AccessTier);
  });

  it('locks and legal holds are shown', async () => {
    await lab.store.put('/locked', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
    await lab.store.put('/locked/k', 'locked', {
      'x-amz-object-lock-mode': 'GOVERNANCE',
      'x-amz-object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
    });
    const hold = { Bucket: 'locked', Key: 'k', LegalHold: { Status: 'ON' as const } };
    await lab.store.sdk().send(new PutObjectLegalHoldCommand(hold));
    expect((await read({ Bucket: 'locked' })).fields).toMatchObject({
      ObjectLockMode: 'GOVERNANCE',
      ObjectLockRetainUntilDate: new Date('2099-01-01'),
      ObjectLockLegalHoldStatus: 'ON',
    });
  });
});

it('the SDK finds out when bytes and checksum differ, which the gateway leaves to it', async () => {
  const store = await StandInStore.start();
  const gateway = await TestGateway.start({ storeUrl: store.url });
  store.put('b', 'k', digits, { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } });
  const client = new S3Client({
    endpoint: gateway.url(),
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  try {
    for (const _moment of ['cold', 'warm']) {
      await expect(readBySdk(client, { Bucket: 'b', Key: 'k' })).rejects.toThrow(/checksum mismatch/i);
    }
  } finally {
    client.destroy();
    await gateway.close();
    await store.close();
  }
});
