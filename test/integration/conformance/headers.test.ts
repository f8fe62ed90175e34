import { createHash } from 'node:crypto';
import { type CORSRule, PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import type { Reply } from '../../support/conformance/reply.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';

const digits = '0123456789';
const kibibyte = 1024;
const checksumNames = ({ fields }: Reply) => Object.keys(fields).filter(name => name.startsWith('checksum'));
const enabled = { fields: { 'checksum-mode': 'ENABLED' } };
const readerWith = (...actions: string[]): Account => ({
  accessKeyId: ['reader', ...actions].join('-'),
  secretAccessKey: 'reader-secret',
  grants: [{ actions: ['GetObject', ...actions] }],
});
const reader = readerWith();
const tagReader = readerWith('GetObjectTagging');
const holdReader = readerWith('GetObjectLegalHold');

describe.each(crossedDialects)('docs/semantics.md, section 9: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      accounts: [OWNER, reader, tagReader, holdReader],
      buckets: { box: {}, open: {}, locks: {} },
      gateway: { policy: { blockSizeBytes: 4 * kibibyte } },
    });
    await lab.store.put('/box');
    await lab.store.put('/box/k', digits);
    await lab.store.put('/box/large', Buffer.alloc(64 * kibibyte, 'l'));
    await lab.store.put('/open', '', { 'x-amz-acl': 'public-read-write' });
    await lab.store.put('/locks', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
  });
  afterAll(() => lab.stop());

  const ask = (path: string, more: Partial<Question> = {}) => lab.agree({ path, ...more });
  /** Sent unsigned, since signers do not agree about bytes that are not ASCII. */
  const putOpen = (key: string, headers: Record<string, string>) =>
    lab.store.raw({ method: 'PUT', path: `/open/${key}`, body: 'x', headers });

  it('row 181: unasked there are no checksums, although they are known', async () => {
    lab.forget();
    await lab.ask({ path: '/box/k', ...enabled });
    const reply = await lab.ask({ path: '/box/k' });
    expect(reply.headers['x-cache']).toBe('HIT');
    expect(checksumNames(reply)).toEqual([]);
    expect(checksumNames((await ask('/box/k')).reply)).toEqual([]);
  });

  it.each(['ENABLED', 'enabled'])('rows 182, 183 and 185: %s brings the default one', async mode => {
    for (const method of ['GET', 'HEAD']) {
      const { reply, cache } = await ask('/box/k', { method, fields: { 'checksum-mode': mode } });
      expect(checksumNames(reply).sort()).toEqual(['checksum-crc64nvme', 'checksum-type']);
      expect(reply.fields['checksum-type']).toBe('FULL_OBJECT');
      expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
    }
  });

  it('checksum mode in a presigned query counts', async () => {
    const { reply } = await ask(`/box/k?${dialects.client}checksum-mode=ENABLED`);
    expect(checksumNames(reply)).toHaveLength(2);
  });

  it('row 184: another mode is refused', async () => {
    const { reply } = await ask('/box/k', { fields: { 'checksum-mode': 'foo' } });
    expect(reply.status).toBe(400);
    expect(reply.error).toMatchObject({
      code: 'InvalidRequest',
      message: `Value for ${dialects.client}checksum-mode header is invalid.`,
    });
  });

  it.each([
    ['crc32', Buffer.from('cbf43926', 'hex').toString('base64')],
    ['crc32c', '4waSgw=='],
    ['crc64nvme', 'rosUhgp5mIg='],
    ['sha1', createHash('sha1').update('123456789').digest('base64')],
    ['sha256', createHash('sha256').update('123456789').digest('base64')],
  ])('brings the %s that an object was stored with', async (name, value) => {
    await lab.store.put(`/box/${name}`, '123456789', { [`x-amz-checksum-${name}`]: value });
    const { reply } = await ask(`/box/${name}`, enabled);
    expect(reply.fields[`checksum-${name}`]).toBe(value);
    expect(checksumNames(reply)).toHaveLength(2);
  });

  it.each([
    ['the whole object', {}, 200],
    ['a range of all of it', { range: 'bytes=0-' }, 206],
    ['a range that does not count', { range: 'bytes=0-1', 'if-range': '"stale"' }, 200],
  ])('Decided 12: what a partial fill left unknown costs %s one HEAD', async (_what, headers, status) => {
    lab.forget();
    await lab.ask({ path: '/box/large', headers: { range: 'bytes=5000-5010' } });
    const before = await lab.requests();
    await lab.ask({ path: '/box/large', headers: { range: 'bytes=5000-5020' }, ...enabled });
    expect(await lab.requests()).toBe(before);
    const question = { path: '/box/large', headers, ...enabled };
    const expected = await lab.askStore(question);
    const reply = await lab.ask(question);
    expect(reply.status).toBe(status);
    expect(reply.fields['checksum-crc64nvme']).toBe(expected.fields['checksum-crc64nvme']);
    expect(reply.fields['checksum-crc64nvme']).toBeDefined();
    const afterwards = await lab.requests();
    expect(checksumNames(await lab.ask(question))).toHaveLength(2);
    expect(checksumNames(await lab.ask({ ...question, method: 'HEAD' }))).toHaveLength(2);
    expect(await lab.requests()).toBe(afterwards);
  });

  it('rows 186, 187, 193, 194 and 201: an ordinary answer', async () => {
    const { reply } = await ask('/box/k');
    expect(reply).toMatchObject({
      headers: {
        'accept-ranges': 'bytes',
        'content-length': '10',
        'content-type': 'binary/octet-stream',
        etag: `"${createHash('md5').update(digits).digest('hex')}"`,
        'last-modified': new Date(lab.store.clock.nowMs()).toUTCString(),
      },
      fields: { 'server-side-encryption': 'AES256' },
    });
    const [one, other] = [await lab.ask({ path: '/box/k' }), await lab.ask({ path: '/box/k' })];
    expect(one.headers.date).toBeDefined();
    expect(one.headers.server).toBeUndefined();
    expect(one.fields['request-id']).toMatch(/^[0-9a-f]{16}$/i);
    expect(one.fields['request-id']).not.toBe(other.fields['request-id']);
    expect(one.fields['id-2']).toMatch(/^.{40,}$/);
  });

  it('row 188: names of metadata are in lower case', async () => {
    await lab.store.put('/box/meta', 'x', { 'x-amz-meta-Colour': 'Blue', 'x-store-meta-shape': 'Round' });
    const { reply } = await ask('/box/meta');
    expect(reply.fields).toMatchObject({ 'meta-colour': 'Blue', 'meta-shape': 'Round' });
  });

  it('metadata keeps its text, even where that looks like a header of the other dialect', async () => {
    const text = 'x-amz-date x-store-date aws:kms';
    await lab.store.put('/box/lookalike', 'x', { 'x-amz-meta-note': text });
    expect((await ask('/box/lookalike')).reply.fields['meta-note']).toBe(text);
  });

  it('row 189: metadata that is not ASCII comes as an encoded word', async () => {
    await putOpen('utf8', { 'x-amz-meta-text': Buffer.from('größe 😀').toString('latin1') });
    const word = `=?UTF-8?B?${Buffer.from('größe 😀').toString('base64')}?=`;
    expect((await ask('/open/utf8')).reply.fields['meta-text']).toBe(word);
  });

  it.each(['GET', 'HEAD'])('row 190: other headers of an object keep their bytes on %s', async method => {
    const disposition = 'attachment; filename="größe"';
    await putOpen('latin1', { 'content-disposition': disposition });
    const { reply } = await ask('/open/latin1', { method });
    expect(reply.headers['content-disposition']).toBe(disposition);
    const part = await ask('/open/latin1', { method, headers: { range: 'bytes=0-0' } });
    expect(part.reply.headers['content-disposition']).toBe(disposition);
  });

  it('row 191: metadata that cannot be printed is counted', async () => {
    const unprintable = `=?UTF-8?B?${Buffer.from('\u0001').toString('base64')}?=`;
    await lab.store.put('/box/missing', 'x', { 'x-amz-meta-a': unprintable, 'x-amz-meta-b': 'b' });
    const { reply } = await ask('/box/missing');
    expect(reply.fields).toMatchObject({ 'missing-meta': '1', 'meta-b': 'b' });
  });

  it('row 192: metadata sent twice is merged', async () => {
    const headers = { 'x-amz-meta-a': ['one', 'two'] };
    await lab.store.raw({ method: 'PUT', path: '/open/twice', headers, body: 'x' });
    expect((await ask('/open/twice')).reply.fields['meta-a']).toBe('one,two');
  });

  it('row 195: a redirect of the website is a header only', async () => {
    await lab.store.put('/box/moved', 'x', { 'x-amz-website-redirect-location': '/elsewhere' });
    const { reply } = await ask('/box/moved');
    expect(reply).toMatchObject({
      status: 200,
      text: 'x',
      fields: { 'website-redirect-location': '/elsewhere' },
    });
  });

  it('row 196: a stored encoding is a header, and the bytes stay as they are', async () => {
    await lab.store.put('/box/gzip', 'not really gzip', { 'content-encoding': 'gzip' });
    for (const accepted of ['identity', 'gzip, br']) {
      const { reply } = await ask('/box/gzip', { headers: { 'accept-encoding': accepted } });
      expect(reply).toMatchObject({ text: 'not really gzip', headers: { 'content-encoding': 'gzip' } });
    }
  });

  it('row 197: the other headers of an object come as stored', async () => {
    const stored = {
      'cache-control': 'max-age=5',
      'content-disposition': 'inline',
      'content-encoding': 'identity',
      'content-language': 'de',
      'content-type': 'text/html',
      expires: 'tomorrow',
    };
    await lab.store.put('/box/stored', 'x', stored);
    expect((await ask('/box/stored')).reply.headers).toMatchObject(stored);
  });

  it('tags and locks come with an object, from the cache as from the store', async () => {
    for (const mode of ['GOVERNANCE', 'COMPLIANCE']) {
      for (const hold of ['ON', 'OFF']) {
        await lab.store.put('/locks/held', 'held', {
          'x-amz-tagging': 'a=1&b=2',
          'x-amz-object-lock-mode': mode,
          'x-amz-object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
          'x-amz-object-lock-legal-hold': hold,
        });
        const { reply, cache } = await ask('/locks/held');
        expect(reply.fields).toMatchObject({
          'tagging-count': '2',
          'object-lock-mode': mode,
          'object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
          'object-lock-legal-hold': hold,
        });
        expect(cache.again).toBe('HIT');
      }
    }
  });

  /** What `as` is shown of an object with tags and locks, by the store and by a gateway that others have warmed. */
  const shown = async (as: Account, pattern: RegExp) => {
    await lab.store.put('/locks/k', 'k', {
      'x-amz-tagging': 'a=1&b=2&c=3',
      'x-amz-object-lock-mode': 'GOVERNANCE',
      'x-amz-object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
      'x-amz-object-lock-legal-hold': 'ON',
    });
    const { reply, cache } = await ask('/locks/k', { as });
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
    return Object.fromEntries(Object.entries(reply.fields).filter(([field]) => pattern.test(field)));
  };

  it('row 129: tags are counted for those who may read them', async () => {
    expect(await shown(tagReader, /^tagging/)).toEqual({ 'tagging-count': '3' });
    for (const other of [reader, holdReader]) expect(await shown(other, /^tagging/)).toEqual({});
  });

  it('row 131: the hold is shown to those who may see it, the lock to every reader', async () => {
    const hold = { 'object-lock-legal-hold': 'ON' };
    const retention = {
      'object-lock-mode': 'GOVERNANCE',
      'object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
    };
    expect(await shown(OWNER, /^object-lock/)).toEqual({ ...retention, ...hold });
    expect(await shown(holdReader, /^object-lock/)).toEqual({ ...retention, ...hold });
    for (const other of [reader, tagReader]) expect(await shown(other, /^object-lock/)).toEqual(retention);
  });

  it('row 130: no tags are not counted', async () => {
    expect((await ask('/box/k')).reply.fields['tagging-count']).toBeUndefined();
  });
});

describe.each(crossedDialects)(
  'docs/semantics.md, section 9, other origins: $client before $store, $over',
  dialects => {
    const origin = 'https://www.example.test';
    const rules: CORSRule[] = [
      {
        AllowedOrigins: ['https://*.example.test'],
        AllowedMethods: ['GET', 'PUT'],
        AllowedHeaders: ['*'],
        ExposeHeaders: ['etag', `${dialects.store}meta-a`],
        MaxAgeSeconds: 60,
      },
      { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] },
    ];
    const allowed = {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, PUT',
      'access-control-expose-headers': `etag, ${dialects.client}meta-a`,
      'access-control-max-age': '60',
      'access-control-allow-credentials': 'true',
      vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    };
    let lab: Lab;

    beforeAll(async () => {
      lab = await Lab.start({
        dialects,
        accounts: [OWNER, reader],
        buckets: { box: {}, 'no-rules': {} },
        anonymous: { box: [{ actions: ['GetObject'], keys: ['**'] }] },
      });
      await lab.store.put('/box');
      await lab.store.put('/box/k', digits, { 'x-amz-meta-a': 'a' });
      await lab.store.put('/no-rules');
      const CORSConfiguration = { CORSRules: rules };
      await lab.store.sdk().send(new PutBucketCorsCommand({ Bucket: 'box', CORSConfiguration }));
    });
    afterAll(() => lab.stop());

    /** The store answers in the names that its rules were written in, so it is asked in its own dialect. */
    const askFrom = (from: string, more: Partial<Question> = {}) =>
      lab.ask({ path: '/box/k', headers: { origin: from }, ...more });

    it('row 198: an allowed origin is told so, cold and warm', async () => {
      for (const cache of ['MISS', 'HIT']) {
        if (cache === 'MISS') lab.forget();
        const reply = await askFrom(origin);
        expect(reply).toMatchObject({ status: 200, text: digits, headers: { ...allowed, 'x-cache': cache } });
      }
    });

    it('row 198 and Decided 13: records of origins are variants of one content', async () => {
      lab.forget();
      await lab.ask({ path: '/box/k' });
      await askFrom(origin);
      expect((await askFrom(origin)).headers).toMatchObject({ ...allowed, 'x-cache': 'HIT' });
      const without = await lab.ask({ path: '/box/k' });
      expect(without.headers['x-cache']).toBe('HIT');
      expect(without.headers['access-control-allow-origin']).toBeUndefined();
      expect(await lab.heldBlocks()).toBe(1);
    });

    it('row 198: what a page may see with HEAD says nothing of GET', async () => {
      const elsewhere = 'https://elsewhere.test';
      lab.forget();
      expect((await askFrom(elsewhere, { method: 'HEAD' })).headers['access-control-allow-origin']).toBe('*');
      expect((await askFrom(elsewhere)).headers['access-control-allow-origin']).toBeUndefined();
      lab.store.clock.advance(60_000);
      const revalidated = await askFrom(elsewhere);
      expect(revalidated).toMatchObject({ status: 200, text: digits, headers: { 'x-cache': 'REVALIDATED' } });
      expect(revalidated.headers['access-control-allow-origin']).toBeUndefined();
    });

    it.each(['without an origin', 'with one'])(
      'row 198: who reads without a signature is told the same, asked first %s',
      async first => {
        lab.forget();
        const plain = { path: '/box/k', as: 'anonymous' } as const;
        const withOrigin = { ...plain, headers: { origin } };
        const isPlainFirst = first === 'without an origin';
        for (const question of [isPlainFirst ? plain : withOrigin, isPlainFirst ? withOrigin : plain]) {
          for (const cache of ['MISS', 'HIT', 'HIT']) {
            const { headers } = await lab.ask(question);
            expect(headers['access-control-allow-origin']).toBe(question === plain ? undefined : origin);
            if (cache === 'HIT') expect(headers['x-cache']).toBe('HIT');
          }
        }
      },
    );

    it.each<[string, number, Partial<Question>]>([
      ['304', 304, { headers: { origin, 'if-none-match': '*' } }],
      ['412', 412, { headers: { origin, 'if-match': '"x"' } }],
      ['416', 416, { headers: { origin, range: 'bytes=10-' } }],
      ['404', 404, { path: '/box/none' }],
      ['403', 403, { path: '/box/none', as: reader }],
    ])('row 198: %s carries it too, cold and warm', async (_name, status, question) => {
      lab.forget();
      for (const _moment of ['cold', 'warm']) {
        const reply = await askFrom(origin, question);
        expect(reply.status).toBe(status);
        expect(reply.headers).toMatchObject(allowed);
      }
    });

    it('row 198: a rule for all origins needs no credentials', async () => {
      const { headers } = await askFrom('https://elsewhere.test', { method: 'HEAD' });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    });

    it('row 199: another origin is told nothing, however warm the cache', async () => {
      await askFrom(origin);
      const { headers } = await askFrom('https://elsewhere.test');
      for (const name of Object.keys(headers)) expect(name).not.toMatch(/^access-control|vary/);
    });

    const preflight = (headers: Record<string, string>, path = '/box/k') =>
      lab.send({ method: 'OPTIONS', path, headers });

    it('row 200: a page may ask before it sends', async () => {
      const named = `${dialects.client}checksum-mode, ${dialects.client}date`;
      const reply = await preflight({
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': named,
      });
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, PUT',
        'access-control-allow-headers': named,
        'x-cache': 'BYPASS',
      });
    });

    it.each([
      [{}, '/box/k', 400, 'BadRequest', 'Insufficient information. Origin request header needed.'],
      [
        { origin, 'access-control-request-method': 'DELETE' },
        '/box/k',
        403,
        'AccessForbidden',
        'CORSResponse',
      ],
      [
        { origin, 'access-control-request-method': 'GET' },
        '/no-rules/k',
        403,
        'AccessForbidden',
        'not enabled',
      ],
    ])(
      'row 200: OPTIONS with %j of %s is refused by the store',
      async (headers, path, status, code, message) => {
        const reply = await preflight(headers, path);
        expect(reply.status).toBe(status);
        expect(reply.text).toContain(`<Code>${code}</Code>`);
        expect(reply.text).toContain(message);
      },
    );
  },
);
