import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type ChecksumAlgorithm,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { OWNER, StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';
import { signedChunks } from '../../support/signed-chunks.ts';

let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
});
afterAll(() => store.stop());

const text = async (key: string) => (await store.signed({ path: `/box/${key}` })).text;

describe('bodies of uploads', () => {
  it.each<ChecksumAlgorithm>(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'])(
    'takes a stream of the SDK with a trailing %s',
    async algorithm => {
      const Body = Readable.from([Buffer.from('streamed '), Buffer.from('body')]);
      await store.sdk().send(
        new PutObjectCommand({
          Bucket: 'box',
          Key: 'stream',
          Body,
          ContentLength: 13,
          ContentEncoding: 'gzip',
          ChecksumAlgorithm: algorithm,
        }),
      );
      const got = await store
        .sdk()
        .send(new GetObjectCommand({ Bucket: 'box', Key: 'stream', ChecksumMode: 'ENABLED' }));
      expect(got.ContentEncoding).toBe('gzip');
      expect(got[`Checksum${algorithm}`]).toBeDefined();
      expect(await got.Body?.transformToString()).toBe('streamed body');
    },
  );

  it.each([
    ['content-md5', createHash('md5').update('other').digest('base64'), 'BadDigest'],
    ['content-md5', 'nonsense', 'InvalidDigest'],
    ['x-amz-checksum-crc32', Buffer.alloc(4).toString('base64'), 'BadDigest'],
    ['x-amz-checksum-crc32', 'nonsense', 'InvalidRequest'],
    ['x-amz-decoded-content-length', '5', 'IncompleteBody'],
  ])('a body that does not fit %s: %s is %s', async (name, value, code) => {
    const headers = { [name]: value };
    const reply = await store.signed({ method: 'PUT', path: '/box/unfit', body: 'body', headers });
    expect({ status: reply.status, code: xmlText(reply.text, 'Code') }).toEqual({ status: 400, code });
    expect((await store.signed({ path: '/box/unfit' })).status).toBe(404);
  });

  it('two checksums are one too many', async () => {
    const headers = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' };
    const reply = await store.signed({ method: 'PUT', path: '/box/two', body: 'body', headers });
    expectError(reply, { status: 400, code: 'InvalidRequest' });
  });
});

const inChunks = (spoil = false) =>
  signedChunks(store.url, '/box/chunks', ['one ', 'two ', 'three'], {
    ...{ credentials: OWNER, nowMs: store.clock.nowMs(), spoil },
  });

describe('bodies in signed chunks', () => {
  it('are stored without their framing', async () => {
    expect((await store.raw(inChunks())).status).toBe(200);
    expect(await text('chunks')).toBe('one two three');
  });

  it('are refused when a chunk was changed', async () => {
    await store.put('/box/chunks', 'before');
    const reply = await store.raw(inChunks(true));
    expect(xmlText(reply.text, 'Code')).toBe('SignatureDoesNotMatch');
    expect(await text('chunks')).toBe('before');
  });

  it('are refused when they end early', async () => {
    const whole = inChunks();
    const cut = { ...whole, body: whole.body.slice(0, -100) };
    expect(xmlText((await store.raw(cut)).text, 'Code')).toBe('IncompleteBody');
  });
});

describe('conditions of writes', () => {
  const put = (headers: Record<string, string>, key = 'cond') =>
    store.signed({ method: 'PUT', path: `/box/${key}`, body: 'new', headers });

  it('If-None-Match * wants no object there', async () => {
    expect((await put({ 'if-none-match': '*' })).status).toBe(200);
    expectError(await put({ 'if-none-match': '*' }), {
      status: 412,
      code: 'PreconditionFailed',
      fields: { Condition: 'If-None-Match' },
    });
  });

  it('If-Match wants the object it names', async () => {
    const { headers } = await store.put('/box/match', 'old');
    expect((await put({ 'if-match': '"other"' }, 'match')).status).toBe(412);
    expect((await put({ 'if-match': headers.etag ?? '' }, 'match')).status).toBe(200);
    expect((await put({ 'if-match': '*' }, 'nothing')).status).toBe(404);
  });
});

describe('uploads in parts', () => {
  const target = { Bucket: 'box', Key: 'multi' };
  const begin = async () => {
    const { UploadId = '' } = await store.sdk().send(new CreateMultipartUploadCommand(target));
    return UploadId;
  };
  const part = (UploadId: string, PartNumber: number, Body: string) =>
    store.sdk().send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body }));
  const complete = (uploadId: string, parts: readonly (readonly [number, string | undefined])[]) =>
    store.signed({
      method: 'POST',
      path: `/box/multi?uploadId=${uploadId}`,
      body: `<CompleteMultipartUpload>${parts
        .map(([number, tag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`)
        .join('')}</CompleteMultipartUpload>`,
    });

  it('lists what is there, and forgets what is aborted', async () => {
    const uploadId = await begin();
    const { ETag } = await part(uploadId, 7, 'seven');
    const uploads = await store.sdk().send(new ListMultipartUploadsCommand({ Bucket: 'box', Prefix: 'mul' }));
    expect(uploads.Uploads).toMatchObject([{ Key: 'multi', UploadId: uploadId }]);
    const parts = await store.sdk().send(new ListPartsCommand({ ...target, UploadId: uploadId }));
    expect(parts.Parts).toMatchObject([{ PartNumber: 7, ETag, Size: 5 }]);
    await store.sdk().send(new AbortMultipartUploadCommand({ ...target, UploadId: uploadId }));
    expect(xmlText((await complete(uploadId, [[7, ETag]])).text, 'Code')).toBe('NoSuchUpload');
  });

  it('keeps the last part that had a number', async () => {
    const uploadId = await begin();
    await part(uploadId, 1, 'first');
    const { ETag } = await part(uploadId, 1, 'again');
    expect((await complete(uploadId, [[1, ETag]])).status).toBe(200);
    expect(await text('multi')).toBe('again');
  });

  it('refuses parts that are unknown, too small or out of order', async () => {
    const uploadId = await begin();
    const one = (await part(uploadId, 1, 'one')).ETag;
    const two = (await part(uploadId, 2, 'two')).ETag;
    const codeOf = async (parts: readonly (readonly [number, string | undefined])[]) =>
      xmlText((await complete(uploadId, parts)).text, 'Code');
    expect(await codeOf([[1, '"other"']])).toBe('InvalidPart');
    expect(await codeOf([[3, one]])).toBe('InvalidPart');
    expect(
      await codeOf([
        [2, two],
        [1, one],
      ]),
    ).toBe('InvalidPartOrder');
    expect(
      await codeOf([
        [1, one],
        [2, two],
      ]),
    ).toBe('EntityTooSmall');
    expect(await codeOf([])).toBe('MalformedXML');
  });
});
