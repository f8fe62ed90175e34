import {
  type ChecksumAlgorithm,
  type ChecksumType,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import {
  compositeSha256,
  malformedPartNumberError,
  malformedPartNumbers,
  missingPartError,
  missingParts,
  partAndRangeError,
  partContents,
  partSizeBytes,
  partSpans,
  sha256,
  totalBytes,
} from '../../support/semantics/part-rows.ts';

let store: StoreUnderTest;
let compositeEtag: string | undefined;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  await store.put('/box/whole', '01234567', { 'x-amz-acl': 'public-read' });
  await store.put('/box/empty', '', { 'x-amz-acl': 'public-read' });
  compositeEtag = await upload('composite', partContents, 'SHA256', 'COMPOSITE');
  await upload('full', partContents, 'CRC32', 'FULL_OBJECT');
  await upload('default', partContents);
  await upload('single', partContents.slice(0, 1), 'SHA256', 'COMPOSITE');
});
afterAll(() => store.stop());

async function upload(
  Key: string,
  parts: readonly Uint8Array[],
  ChecksumAlgorithm?: ChecksumAlgorithm,
  ChecksumType?: ChecksumType,
  numbers: readonly number[] = [1, 2, 3],
): Promise<string | undefined> {
  const client = store.sdk();
  const target = { Bucket: 'box', Key };
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...target, ACL: 'public-read', ChecksumAlgorithm, ChecksumType }),
  );
  const Parts = [];
  for (const [index, Body] of parts.entries()) {
    const PartNumber = numbers[index];
    const part = await client.send(
      new UploadPartCommand({ ...target, UploadId, PartNumber, Body, ChecksumAlgorithm }),
    );
    Parts.push({ PartNumber, ETag: part.ETag });
  }
  const done = await client.send(
    new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }),
  );
  return done.ETag;
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  store.raw({ method, path: `/box/${path}`, headers });
const withChecksum = { 'x-amz-checksum-mode': 'ENABLED' };

describe('docs/semantics.md, section 2', () => {
  it.each(partSpans)('rows 36 and 37: part %i', async (partNumber, first, last) => {
    const expected = {
      'content-range': `bytes ${first}-${last}/${totalBytes}`,
      'content-length': String(last - first + 1),
      'x-amz-mp-parts-count': '3',
      etag: compositeEtag,
    };
    const reply = await get(`composite?partNumber=${partNumber}`);
    expect(reply.status).toBe(206);
    expect(reply.headers).toMatchObject(expected);
    expect(reply.body.equals(partContents[partNumber - 1] ?? Buffer.of())).toBe(true);
    const head = await get(`composite?partNumber=${partNumber}`, {}, 'HEAD');
    expect(head).toMatchObject({ status: 206, text: '' });
    expect(head.headers).toMatchObject(expected);
  });

  it('row 36: the tag of the object says that it has three parts', () => {
    expect(compositeEtag).toMatch(/^"[0-9a-f]{32}-3"$/);
  });

  it('row 38: an object put whole is its only part, and has no parts count', async () => {
    const reply = await get('whole?partNumber=1', withChecksum);
    expect(reply).toMatchObject({ status: 206, text: '01234567' });
    expect(reply.headers['content-range']).toBe('bytes 0-7/8');
    expect(reply.headers['x-amz-mp-parts-count']).toBeUndefined();
    expect(reply.headers['x-amz-checksum-crc64nvme']).toBeDefined();
  });

  it('row 39: an object uploaded in one part has a parts count of 1', async () => {
    const reply = await get('single?partNumber=1', {}, 'HEAD');
    expect(reply.status).toBe(206);
    expect(reply.headers['x-amz-mp-parts-count']).toBe('1');
  });

  it.each(missingParts)('row %i: %s has no part %s', async (_row, key, partNumber, count) => {
    expectError(await get(`${key}?partNumber=${partNumber}`), {
      status: 416,
      ...missingPartError(count, partNumber),
    });
    // row 42
    expect(await get(`${key}?partNumber=${partNumber}`, {}, 'HEAD')).toMatchObject({ status: 416, text: '' });
  });

  it.each(malformedPartNumbers)('row %i: %j is no part number', async (_row, value) => {
    expectError(await get(`whole?partNumber=${value}`), { status: 400, ...malformedPartNumberError(value) });
    expect(await get(`whole?partNumber=${value}`, {}, 'HEAD')).toMatchObject({ status: 400, text: '' });
  });

  it('rows 45 and 46: a part and a range do not go together', async () => {
    expectError(await get('composite?partNumber=1', { range: 'bytes=0-1' }), {
      status: 400,
      ...partAndRangeError,
    });
    const head = await get('composite?partNumber=1', { range: 'bytes=0-1' }, 'HEAD');
    expect(head).toMatchObject({ status: 400, text: '' });
  });

  it('row 47: the first part of an empty object is the empty object', async () => {
    const reply = await get('empty?partNumber=1', withChecksum);
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(reply.headers['content-range']).toBeUndefined();
    expect(reply.headers['content-length']).toBe('0');
    expect(reply.headers['x-amz-checksum-crc64nvme']).toBe('AAAAAAAAAAA=');
  });

  it("row 48: a part of a composite object has the part's own checksum", async () => {
    const { headers } = await get('composite?partNumber=2', withChecksum, 'HEAD');
    expect(headers['x-amz-checksum-sha256']).toBe(sha256(partContents[1] ?? Buffer.of()));
    expect(headers['x-amz-checksum-type']).toBe('COMPOSITE');
  });

  it.each(['full', 'default'])('row 49: a part of %s has no checksum', async key => {
    const { headers } = await get(`${key}?partNumber=2`, withChecksum, 'HEAD');
    for (const name of Object.keys(headers)) expect(name).not.toMatch(/checksum/);
  });

  it('row 50: the checksum of a composite object is one of checksums', async () => {
    const { headers } = await get('composite', withChecksum, 'HEAD');
    expect(headers['x-amz-checksum-sha256']).toBe(compositeSha256());
    expect(headers['x-amz-checksum-type']).toBe('COMPOSITE');
  });

  it('row 51: without a part number there is no parts count', async () => {
    const { status, headers } = await get('composite', {}, 'HEAD');
    expect(status).toBe(200);
    expect(headers['x-amz-mp-parts-count']).toBeUndefined();
    expect(headers['content-length']).toBe(String(totalBytes));
  });

  it('row 52: parts of an unfinished upload cannot be read', async () => {
    const target = { Bucket: 'box', Key: 'unfinished' };
    const { UploadId } = await store.sdk().send(new CreateMultipartUploadCommand(target));
    await store.sdk().send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: 'x' }));
    const reply = await store.signed({ path: '/box/unfinished?partNumber=1' });
    expectError(reply, { status: 404, code: 'NoSuchKey', fields: { Key: 'unfinished' } });
  });

  it('row 54: a part of a version names the version', async () => {
    await store.put('/kept');
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await store.put('/kept?versioning=', body);
    const versionId = (await store.put('/kept/k', 'old')).headers['x-amz-version-id'];
    await store.put('/kept/k', 'new');
    const reply = await store.signed({ path: `/kept/k?partNumber=1&versionId=${versionId}` });
    expect(reply).toMatchObject({ status: 206, text: 'old' });
    expect(reply.headers['x-amz-version-id']).toBe(versionId);
  });

  it('row 55: parts keep the numbers they were uploaded with', async () => {
    await upload('gaps', partContents, 'SHA256', 'COMPOSITE', [1, 5, 9]);
    expect((await get('gaps?partNumber=9')).text).toBe('the rest');
    expectError(await get('gaps?partNumber=2'), {
      status: 416,
      code: 'InvalidPartNumber',
      fields: { ActualPartCount: '3', PartNumberRequested: '2' },
    });
  });

  it('the checksum of a full object is that of its bytes, in parts or whole', async () => {
    await store.put('/box/same', Buffer.concat(partContents), {
      'x-amz-acl': 'public-read',
    });
    const expected = (await get('same', withChecksum, 'HEAD')).headers['x-amz-checksum-crc64nvme'];
    const { headers } = await get('default', withChecksum, 'HEAD');
    expect(headers['x-amz-checksum-crc64nvme']).toBe(expected);
    expect(headers['x-amz-checksum-type']).toBe('FULL_OBJECT');
  });

  it('a range reaches across parts', async () => {
    const reply = await get('composite', { range: `bytes=${partSizeBytes - 2}-${2 * partSizeBytes + 2}` });
    const whole = Buffer.concat(partContents);
    expect(reply.body.equals(whole.subarray(partSizeBytes - 2, 2 * partSizeBytes + 3))).toBe(true);
  });
});
