import { createHash } from 'node:crypto';
import { type CORSRule, PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';

let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  await store.put('/box/k', '0123456789', { 'x-amz-acl': 'public-read' });
  await store.put('/open', '', { 'x-amz-acl': 'public-read-write' });
});
afterAll(() => store.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  store.signed({ method, path, headers });
/** Sent unsigned, since signers do not agree about bytes that are not ASCII. */
const putOpen = (key: string, headers: Record<string, string>) =>
  store.raw({
    method: 'PUT',
    path: `/open/${key}`,
    body: 'x',
    headers: { 'x-amz-acl': 'public-read', ...headers },
  });
const checksums = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers).filter(name => name.includes('checksum'));

describe('docs/semantics.md, section 9: checksums', () => {
  it('row 181: unasked there are none', async () => {
    expect(checksums((await get('/box/k')).headers)).toEqual([]);
  });

  it.each(['ENABLED', 'enabled'])('rows 182, 183 and 185: %s brings the default one', async mode => {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await get('/box/k', { 'x-amz-checksum-mode': mode }, method);
      expect(checksums(headers).sort()).toEqual(['x-amz-checksum-crc64nvme', 'x-amz-checksum-type']);
      expect(headers['x-amz-checksum-type']).toBe('FULL_OBJECT');
    }
  });

  it('row 184: another mode is refused', async () => {
    expectError(await get('/box/k', { 'x-amz-checksum-mode': 'foo' }), {
      status: 400,
      code: 'InvalidRequest',
      message: 'Value for x-amz-checksum-mode header is invalid.',
    });
  });

  it.each(['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'])('keeps the %s that came', async name => {
    const vectors: Record<string, string> = {
      crc32: 'poTDl0NBJg==',
      crc32c: '4waSgw==',
      crc64nvme: 'rosUhgp5mIg=',
    };
    const value =
      name === 'crc32'
        ? Buffer.from('cbf43926', 'hex').toString('base64')
        : (vectors[name] ?? createHash(name).update('123456789').digest('base64'));
    await store.put(`/box/${name}`, '123456789', { [`x-amz-checksum-${name}`]: value });
    const { headers } = await get(`/box/${name}`, { 'x-amz-checksum-mode': 'ENABLED' });
    expect(headers[`x-amz-checksum-${name}`]).toBe(value);
    expect(checksums(headers)).toHaveLength(2);
  });
});

describe('docs/semantics.md, section 9: headers and metadata', () => {
  it('row 186: an ordinary answer', async () => {
    const { headers } = await get('/box/k');
    expect(headers).toMatchObject({
      'accept-ranges': 'bytes',
      'content-length': '10',
      'content-type': 'binary/octet-stream',
      date: expect.any(String),
      etag: `"${createHash('md5').update('0123456789').digest('hex')}"`,
      'last-modified': new Date(store.clock.nowMs()).toUTCString(),
      server: expect.any(String),
      'x-amz-id-2': expect.stringMatching(/^.{40,}$/),
      'x-amz-request-id': expect.stringMatching(/^[0-9A-F]{16}$/),
      'x-amz-server-side-encryption': 'AES256',
    });
  });

  it('row 187: without a content type it is binary', async () => {
    expect((await get('/box/k')).headers['content-type']).toBe('binary/octet-stream');
  });

  it('row 188: names of metadata are in lower case', async () => {
    await store.put('/box/meta', 'x', { 'x-amz-meta-Colour': 'Blue', 'x-store-meta-shape': 'Round' });
    expect((await get('/box/meta')).headers).toMatchObject({
      'x-amz-meta-colour': 'Blue',
      'x-amz-meta-shape': 'Round',
    });
  });

  it('row 189: metadata that is not ASCII comes as an encoded word', async () => {
    const wire = Buffer.from('größe 😀').toString('latin1');
    const word = `=?UTF-8?B?${Buffer.from('größe 😀').toString('base64')}?=`;
    await putOpen('utf8', { 'x-amz-meta-text': wire });
    expect((await get('/open/utf8')).headers['x-amz-meta-text']).toBe(word);
    await putOpen('utf8', { 'x-amz-meta-text': '=?UTF-8?Q?gr=C3=B6=C3=9Fe?=' });
    const again = `=?UTF-8?B?${Buffer.from('größe').toString('base64')}?=`;
    expect((await get('/open/utf8')).headers['x-amz-meta-text']).toBe(again);
  });

  it('row 190: other headers of an object keep their bytes', async () => {
    const disposition = 'attachment; filename="größe"';
    await putOpen('latin1', { 'content-disposition': disposition });
    expect((await get('/open/latin1')).headers['content-disposition']).toBe(disposition);
  });

  it('row 191: metadata that cannot be printed is counted', async () => {
    const unprintable = `=?UTF-8?B?${Buffer.from('\u0001').toString('base64')}?=`;
    await store.put('/box/missing', 'x', {
      'x-amz-meta-a': unprintable,
      'x-amz-meta-b': unprintable,
      'x-amz-meta-c': 'c',
    });
    const { headers } = await get('/box/missing');
    expect(headers['x-amz-missing-meta']).toBe('2');
    expect(headers['x-amz-meta-c']).toBe('c');
    expect(headers['x-amz-meta-a']).toBeUndefined();
  });

  it('row 192: metadata sent twice is merged', async () => {
    const headers = { 'x-amz-meta-a': ['one', 'two'], 'x-amz-acl': 'public-read' };
    const put = await store.raw({ method: 'PUT', path: '/open/twice', headers, body: 'x' });
    expect(put.status).toBe(200);
    expect((await store.raw({ path: '/open/twice' })).headers['x-amz-meta-a']).toBe('one,two');
  });

  it('rows 193 and 194: the tag is quoted and strong, the date has whole seconds', async () => {
    store.clock.advance(700);
    await store.put('/box/late', 'x');
    const { headers } = await get('/box/late');
    expect(headers.etag).toMatch(/^"[0-9a-f]{32}"$/);
    const floor = Math.floor(store.clock.nowMs() / 1000) * 1000;
    expect(headers['last-modified']).toBe(new Date(floor).toUTCString());
  });

  it('row 195: a redirect of the website is a header only', async () => {
    await store.put('/box/moved', 'x', { 'x-amz-website-redirect-location': '/elsewhere' });
    const reply = await get('/box/moved');
    expect(reply).toMatchObject({ status: 200, text: 'x' });
    expect(reply.headers['x-amz-website-redirect-location']).toBe('/elsewhere');
  });

  it('row 196: a stored encoding is a header, and the bytes stay as they are', async () => {
    await store.put('/box/gzip', 'not really gzip', { 'content-encoding': 'aws-chunked,gzip' });
    const reply = await get('/box/gzip', { 'accept-encoding': 'identity' });
    expect(reply.text).toBe('not really gzip');
    expect(reply.headers['content-encoding']).toBe('gzip');
  });

  it('row 197: the other headers of an object come as stored', async () => {
    const stored = {
      'cache-control': 'max-age=5',
      'content-language': 'de',
      expires: 'tomorrow',
      'content-type': 'text/html',
    };
    await store.put('/box/stored', 'x', stored);
    expect((await get('/box/stored')).headers).toMatchObject(stored);
  });

  it('too much metadata is refused', async () => {
    const headers = { 'x-amz-meta-a': 'x'.repeat(2048) };
    const reply = await store.signed({ method: 'PUT', path: '/box/x', body: 'x', headers });
    expectError(reply, { status: 400, code: 'MetadataTooLarge' });
  });
});

describe('docs/semantics.md, section 9: other origins', () => {
  const RULES: CORSRule[] = [
    {
      AllowedOrigins: ['https://*.example.test'],
      AllowedMethods: ['GET', 'PUT'],
      AllowedHeaders: ['x-custom-*'],
      ExposeHeaders: ['etag'],
      MaxAgeSeconds: 60,
    },
    { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] },
  ];
  const origin = 'https://www.example.test';
  const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';
  beforeAll(async () => {
    await store
      .sdk()
      .send(new PutBucketCorsCommand({ Bucket: 'box', CORSConfiguration: { CORSRules: RULES } }));
  });
  const options = (headers: Record<string, string>, path = '/box/k') =>
    store.raw({ method: 'OPTIONS', path, headers });

  it('row 198: an allowed origin is told so, on errors too', async () => {
    const expected = {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, PUT',
      'access-control-expose-headers': 'etag',
      'access-control-max-age': '60',
      'access-control-allow-credentials': 'true',
      vary: VARY,
    };
    expect((await get('/box/k', { origin })).headers).toMatchObject(expected);
    const missing = await get('/box/none', { origin });
    expect(missing.status).toBe(404);
    expect(missing.headers).toMatchObject(expected);
    const unsigned = await store.raw({ path: '/box/none', headers: { origin } });
    expect(unsigned.status).toBe(403);
    expect(unsigned.headers).toMatchObject(expected);
  });

  it('row 198: a rule for all origins needs no credentials', async () => {
    const { headers } = await get('/box/k', { origin: 'https://elsewhere.test' }, 'HEAD');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('row 199: another origin is told nothing', async () => {
    for (const headers of [{ origin: 'https://elsewhere.test' }, {}]) {
      const reply = await get('/box/k', headers);
      for (const name of Object.keys(reply.headers)) expect(name).not.toMatch(/^access-control|vary/);
    }
  });

  it('row 200: OPTIONS asks before the page does', async () => {
    const reply = await options({
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'X-Custom-One, x-custom-two',
    });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'x-custom-one, x-custom-two',
      vary: VARY,
    });
  });

  it('row 200: OPTIONS without Origin lacks information', async () => {
    expectError(await options({}), {
      status: 400,
      code: 'BadRequest',
      message: 'Insufficient information. Origin request header needed.',
    });
  });

  it.each([
    [{ 'access-control-request-method': 'DELETE' }],
    [{ 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-other' }],
  ])('row 200: without a rule %j is forbidden', async headers => {
    const reply = await options({ origin, ...headers });
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('<Code>AccessForbidden</Code>');
  });

  it('row 200: a bucket without rules allows nothing', async () => {
    await store.put('/no-rules');
    const reply = await options({ origin, 'access-control-request-method': 'GET' }, '/no-rules/k');
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('CORS is not enabled for this bucket.');
  });
});
