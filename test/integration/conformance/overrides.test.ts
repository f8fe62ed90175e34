import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';

const allSix = {
  'content-type': 'text/css',
  'content-language': 'de',
  expires: '123',
  'cache-control': 'no-store',
  'content-disposition': 'attachment; filename="größe"',
  'content-encoding': 'br',
};
const query = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([name, value]) => `response-${name}=${encodeURIComponent(value)}`)
    .join('&');

describe.each(crossedDialects)('docs/semantics.md, section 6: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      buckets: { box: {} },
      anonymous: { box: [{ actions: ['GetObject'], keys: ['**'] }] },
    });
    await lab.store.put('/box');
    const headers = { 'x-amz-acl': 'public-read', 'content-type': 'text/plain', 'content-language': 'en' };
    await lab.store.put('/box/k', '0123456789', headers);
  });
  afterAll(() => lab.stop());

  it.each([
    [132, 'GET'],
    [134, 'HEAD'],
  ])('rows %i and 139: a signed %s replaces all six headers, verbatim', async (_row, method) => {
    const { reply, cache } = await lab.agree({ method, path: `/box/k?${query(allSix)}` });
    expect(reply).toMatchObject({ status: 200, headers: allSix });
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
  });

  it.each(Object.keys(allSix))('response-%s replaces that header and no other', async name => {
    const value = Object.entries(allSix).find(([key]) => key === name)?.[1] ?? '';
    const { reply } = await lab.agree({ path: `/box/k?${query({ [name]: value })}` });
    expect(reply.headers[name]).toBe(value);
    for (const other of Object.keys(allSix)) {
      const stored = { 'content-type': 'text/plain', 'content-language': 'en' }[other];
      if (other !== name) expect(reply.headers[other]).toBe(stored);
    }
  });

  it('row 143: replaced headers are not kept', async () => {
    lab.forget();
    await lab.ask({ path: `/box/k?${query(allSix)}` });
    const plain = await lab.ask({ path: '/box/k' });
    expect(plain.headers).toMatchObject({ 'content-type': 'text/plain', 'x-cache': 'HIT' });
    expect(plain.headers['cache-control']).toBeUndefined();
  });

  it('row 133: so does a presigned URL', async () => {
    const command = new GetObjectCommand({
      Bucket: 'box',
      Key: 'k',
      ResponseContentType: 'text/css',
      ResponseExpires: new Date(0),
    });
    const client = lab.sdk();
    for (const cache of ['MISS', 'HIT']) {
      if (cache === 'MISS') lab.forget();
      const url = new URL(await getSignedUrl(client, command));
      const reply = await lab.send({ path: url.pathname + url.search });
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'content-type': 'text/css',
        expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
        'x-cache': cache,
      });
    }
  });

  it.each(['GET', 'HEAD'])('row 135: an anonymous %s may not, however warm the cache', async method => {
    const { reply } = await lab.agree({ method, path: '/box/k?response-expires=1', as: 'anonymous' });
    expect(reply.status).toBe(400);
    if (method === 'HEAD') expect(reply.text).toBe('');
    else {
      expect(reply.error).toMatchObject({
        code: 'InvalidRequest',
        message: 'Request specific response headers cannot be used for anonymous GET requests.',
      });
    }
  });

  it('row 136 and Decided 1: a range keeps the stored headers', async () => {
    const { reply } = await lab.agree({
      path: `/box/k?${query(allSix)}`,
      headers: { range: 'bytes=0-1' },
    });
    expect(reply).toMatchObject({ status: 206, headers: { 'content-type': 'text/plain' } });
    expect(reply.headers['cache-control']).toBeUndefined();
  });

  it('a part keeps the stored headers', async () => {
    const { reply } = await lab.agree({ path: `/box/k?partNumber=1&${query(allSix)}` });
    expect(reply).toMatchObject({ status: 206, headers: { 'content-type': 'text/plain' } });
  });

  it('row 137: 304, 404, 412 and 416 keep theirs', async () => {
    const { etag = '' } = (await lab.ask({ path: '/box/k' })).headers;
    const path = `/box/k?${query(allSix)}`;
    const unchanged = await lab.agree({ path, headers: { 'if-none-match': etag } });
    expect(unchanged.reply.status).toBe(304);
    expect(unchanged.reply.headers['cache-control']).toBeUndefined();
    for (const headers of [{ 'if-match': '"x"' }, { range: 'bytes=10-' }]) {
      const { reply } = await lab.agree({ path, headers });
      expect(reply.headers['content-type']).toBe('application/xml');
    }
    const missing = await lab.agree({ path: `/box/none?${query(allSix)}` });
    expect(missing.reply).toMatchObject({ status: 404, headers: { 'content-type': 'application/xml' } });
  });

  it('row 138: an empty value changes nothing', async () => {
    const { reply } = await lab.agree({ path: '/box/k?response-content-type=' });
    expect(reply.headers['content-type']).toBe('text/plain');
  });

  it.each([
    [139, 'attachment; filename="łódź"', 'Header value cannot be represented using ISO-8859-1.'],
    [140, 'a\r\nset-cookie: b', 'Header value cannot contain control characters.'],
  ])('row %i: %j is no value of a header', async (_row, value, message) => {
    const question = { path: `/box/k?${query({ 'content-disposition': value })}` };
    for (const ask of [lab.askStore(question), lab.ask(question)]) {
      const reply = await ask;
      expect(reply.status).toBe(400);
      expect(reply.error).toMatchObject({
        code: 'InvalidArgument',
        fields: { ArgumentName: 'response-content-disposition' },
      });
    }
    expect((await lab.ask(question)).error?.message).toBe(message);
  });

  it('row 141: of a repeated parameter the first counts', async () => {
    const { reply } = await lab.agree({ path: '/box/k?response-expires=1&response-expires=2' });
    expect(reply.headers.expires).toBe('1');
  });

  it('row 142: names are written in lower case', async () => {
    const { reply } = await lab.agree({ path: '/box/k?Response-Content-Type=text%2Fcss' });
    expect(reply.headers['content-type']).toBe('text/plain');
  });
});
