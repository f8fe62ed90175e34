import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import { uploadParts } from '../../support/conformance/upload-parts.ts';
import {
  compositeSha256,
  malformedPartNumberError,
  malformedPartNumbers,
  missingPartError,
  missingParts,
  numberedParts,
  partAndRangeError,
  partContents,
  partSpans,
  sha256,
  totalBytes,
} from '../../support/semantics/part-rows.ts';

const withChecksum = { fields: { 'checksum-mode': 'ENABLED' } };

describe.each(crossedDialects)('docs/semantics.md, section 2: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({ dialects, buckets: { box: {} } });
    await lab.store.put('/box');
    await lab.store.put('/box/whole', '01234567');
    await lab.store.put('/box/empty', '');
    const client = lab.store.sdk();
    const upload = (key: string, parts: ReadonlyMap<number, Uint8Array>, more = {}) =>
      uploadParts(client, { bucket: 'box', key, parts, ...more });
    await upload('composite', numberedParts(1, 2, 3), {
      checksum: { algorithm: 'SHA256', type: 'COMPOSITE' },
    });
    await upload('full', numberedParts(1, 2), { checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT' } });
    await upload('single', numberedParts(1), { checksum: { algorithm: 'SHA256', type: 'COMPOSITE' } });
    await upload('gaps', numberedParts(1, 5, 9));
  });
  afterAll(() => lab.stop());

  const ask = (key: string, more: Partial<Question> = {}) => lab.agree({ path: `/box/${key}`, ...more });
  const head = (key: string, more: Partial<Question> = {}) => ask(key, { method: 'HEAD', ...more });

  it.each(partSpans)('rows 36 and 37: part %i', async (partNumber, first, last) => {
    const expected = {
      'content-range': `bytes ${first}-${last}/${totalBytes}`,
      'content-length': String(last - first + 1),
      etag: expect.stringMatching(/^"[0-9a-f]{32}-3"$/),
    };
    const { reply, cache } = await head(`composite?partNumber=${partNumber}`);
    expect(reply).toMatchObject({ status: 206, headers: expected, text: '' });
    expect(reply.fields['mp-parts-count']).toBe('3');
    expect(cache.again).toBe('HIT');
  });

  it('row 36 and Decided 5: a part is remembered, then served from blocks', async () => {
    const { reply, cache } = await ask('composite?partNumber=3');
    expect(reply).toMatchObject({ status: 206, text: 'the rest' });
    expect(cache).toMatchObject({ cold: 'MISS', again: 'HIT' });
    lab.forget();
    await lab.ask({ path: '/box/composite' });
    await lab.ask({ path: '/box/composite?partNumber=2', method: 'HEAD' });
    const part = await lab.ask({ path: '/box/composite?partNumber=2' });
    expect(part.headers['x-cache']).toBe('HIT');
    expect(part.body.equals(partContents[1] ?? Buffer.of())).toBe(true);
  });

  it('row 38: an object put whole is its only part, and has no parts count', async () => {
    const { reply } = await ask('whole?partNumber=1', withChecksum);
    expect(reply).toMatchObject({ status: 206, text: '01234567' });
    expect(reply.headers['content-range']).toBe('bytes 0-7/8');
    expect(reply.fields['mp-parts-count']).toBeUndefined();
    expect(reply.fields['checksum-crc64nvme']).toBeDefined();
    expect((await ask('whole?partNumber=1')).reply.fields['checksum-crc64nvme']).toBeUndefined();
  });

  it('row 39: an object uploaded in one part has a parts count of 1', async () => {
    const { reply } = await head('single?partNumber=1');
    expect(reply).toMatchObject({ status: 206, fields: { 'mp-parts-count': '1' } });
  });

  it.each(missingParts)('rows %i and 42: %s has no part %s', async (_row, key, partNumber, count) => {
    const { reply } = await ask(`${key}?partNumber=${partNumber}`);
    expect(reply.status).toBe(416);
    expect(reply.error).toEqual(missingPartError(count, partNumber));
    expect((await head(`${key}?partNumber=${partNumber}`)).reply).toMatchObject({ status: 416, text: '' });
  });

  it.each(malformedPartNumbers)('row %i: %j is no part number', async (_row, value) => {
    const { reply, cache } = await ask(`whole?partNumber=${value}`);
    expect(reply.status).toBe(400);
    expect(reply.error).toEqual(malformedPartNumberError(value));
    expect(cache.cold).toBe('BYPASS');
    expect((await head(`whole?partNumber=${value}`)).reply).toMatchObject({ status: 400, text: '' });
  });

  it('part number 10000 is a part number', async () => {
    expect((await ask('whole?partNumber=10000')).reply.error?.code).toBe('InvalidPartNumber');
  });

  it('rows 45 and 46: a part and a range do not go together', async () => {
    const headers = { range: 'bytes=0-1' };
    const { reply } = await ask('composite?partNumber=1', { headers });
    expect(reply.status).toBe(400);
    expect(reply.error).toMatchObject(partAndRangeError);
    expect((await head('composite?partNumber=1', { headers })).reply).toMatchObject({
      status: 400,
      text: '',
    });
  });

  it('row 47: the first part of an empty object is the empty object', async () => {
    const { reply } = await ask('empty?partNumber=1', withChecksum);
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(reply.headers['content-range']).toBeUndefined();
    expect(reply.headers['content-length']).toBe('0');
    expect(reply.fields['checksum-crc64nvme']).toBe('AAAAAAAAAAA=');
  });

  it('row 40: an empty object has no second part, whether or not anything is known of it', async () => {
    await ask('empty');
    const { reply } = await ask('empty?partNumber=2');
    expect(reply.status).toBe(416);
    expect(reply.error).toMatchObject({
      code: 'InvalidPartNumber',
      fields: { ActualPartCount: '1', PartNumberRequested: '2' },
    });
    expect((await head('empty?partNumber=2')).reply).toMatchObject({ status: 416, text: '' });
  });

  it("row 48: a part of a composite object has the part's own checksum", async () => {
    const { reply } = await head('composite?partNumber=3', withChecksum);
    expect(reply.fields['checksum-sha256']).toBe(sha256(partContents[2] ?? Buffer.of()));
    expect(reply.fields['checksum-type']).toBe('COMPOSITE');
    const silent = await head('composite?partNumber=3');
    expect(silent.reply.fields['checksum-sha256']).toBeUndefined();
  });

  it('row 49: a part of an object with one checksum has none', async () => {
    const { reply } = await head('full?partNumber=2', withChecksum);
    for (const name of Object.keys(reply.fields)) expect(name).not.toMatch(/checksum/);
  });

  it('row 50: the checksum of a composite object is one of checksums', async () => {
    const { reply } = await head('composite', withChecksum);
    expect(reply.fields['checksum-sha256']).toBe(compositeSha256());
    expect(reply.fields['checksum-type']).toBe('COMPOSITE');
  });

  it('row 51: without a part number there is no parts count, even when it is known', async () => {
    lab.forget();
    await lab.ask({ path: '/box/composite?partNumber=1', method: 'HEAD' });
    for (const method of ['HEAD', 'GET']) {
      const reply = await lab.ask({ path: '/box/composite', method });
      expect(reply.status).toBe(200);
      expect(reply.fields['mp-parts-count']).toBeUndefined();
    }
  });

  it('row 52: parts of an unfinished upload cannot be read', async () => {
    const client = lab.store.sdk();
    const target = { Bucket: 'box', Key: 'unfinished' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: 'x' }));
    const { reply } = await ask('unfinished?partNumber=1');
    expect(reply).toMatchObject({ status: 404, error: { code: 'NoSuchKey' } });
  });

  it.each(['HEAD', 'GET'])('row 53: %s of a part never sets the length of the object', async method => {
    lab.forget();
    await lab.ask({ path: '/box/composite?partNumber=3', method });
    const whole = await lab.ask({ path: '/box/composite' });
    expect(whole.headers['content-length']).toBe(String(totalBytes));
    expect(whole.body.equals(Buffer.concat(partContents))).toBe(true);
  });

  it.each([
    [1, 206],
    [5, 206],
    [9, 206],
    [2, 416],
    [10, 416],
  ])('row 55: of parts 1, 5 and 9, part %i is answered %i as the store does', async (number, status) => {
    expect((await head(`gaps?partNumber=${number}`)).reply.status).toBe(status);
    expect((await lab.ask({ path: `/box/gaps?partNumber=${number}` })).status).toBe(status);
  });

  it('row 55: parts that are known say nothing of numbers that were not asked for', async () => {
    lab.forget();
    await lab.ask({ path: '/box/gaps?partNumber=1', method: 'HEAD' });
    expect((await lab.ask({ path: '/box/gaps?partNumber=5', method: 'HEAD' })).status).toBe(206);
    expect((await lab.ask({ path: '/box/gaps?partNumber=2', method: 'HEAD' })).status).toBe(416);
  });

  it('a part costs one question, and does not make the next reader ask again what is known', async () => {
    lab.forget();
    await lab.ask({ path: '/box/composite', ...withChecksum });
    const before = await lab.requests();
    const part = await lab.ask({ path: '/box/composite?partNumber=3', ...withChecksum });
    expect(part.fields['checksum-sha256']).toBe(sha256(partContents[2] ?? Buffer.of()));
    expect(await lab.requests()).toBe(before + 1);
    const again = await lab.ask({ path: '/box/composite', ...withChecksum });
    expect(again.headers['x-cache']).toBe('HIT');
    expect(again.fields['checksum-sha256']).toMatch(/-3$/);
    expect(await lab.requests()).toBe(before + 1);
  });

  it('conditions and the range of If-Range hold for parts as well', async () => {
    const { etag = '' } = (await lab.ask({ path: '/box/composite', method: 'HEAD' })).headers;
    const part = 'composite?partNumber=3';
    expect((await ask(part, { headers: { 'if-none-match': etag } })).reply.status).toBe(304);
    expect((await ask(part, { headers: { 'if-match': '"other"' } })).reply.status).toBe(412);
  });
});

describe('docs/semantics.md, section 2: versions', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({ buckets: { kept: {} } });
    await lab.store.put('/kept');
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await lab.store.put('/kept?versioning=', body);
  });
  afterAll(() => lab.stop());

  it('row 54: a part of a version says which version it is of', async () => {
    await uploadParts(lab.store.sdk(), { bucket: 'kept', key: 'k', parts: numberedParts(1, 2) });
    const { fields } = await lab.askStore({ path: '/kept/k', method: 'HEAD' });
    const versionId = fields['version-id'];
    await lab.store.put('/kept/k', 'newer');
    const { reply, cache } = await lab.agree({
      method: 'HEAD',
      path: `/kept/k?partNumber=2&versionId=${versionId}`,
    });
    expect(reply).toMatchObject({ status: 206, fields: { 'version-id': versionId, 'mp-parts-count': '2' } });
    expect(cache.again).toBe('HIT');
  });
});
