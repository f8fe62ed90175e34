import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canExpress, crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import {
  keyTooLongError,
  longestRawKey,
  malformedKeyError,
  malformedKeys,
  spellingsOfOneKey,
  spellingsOfTwoKeys,
} from '../../support/semantics/key-rows.ts';

const account = '123456789012';
/** Every host is this machine. */
const toLoopback: LookupFunction = (_host, { all }, answer) => {
  if (all) answer(null, [{ address: '127.0.0.1', family: 4 }]);
  else answer(null, '127.0.0.1', 4);
};
const arn = (kind: string, resource: string) => `arn:aws:${kind}:us-east-1:${account}:${resource}`;
const points = {
  [arn('s3', 'accesspoint/ap')]: `ap-${account}.s3-accesspoint.us-east-1.gateway.test`,
  [arn('s3-object-lambda', 'accesspoint/ap')]: `ap-${account}.s3-object-lambda.us-east-1.gateway.test`,
  [arn('s3-outposts', 'outpost/op-1/bucket/ap')]: `ap-${account}.op-1.s3-outposts.us-east-1.gateway.test`,
};

describe.each(crossedDialects)('docs/semantics.md, section 11: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      store: { domain: 'gateway.test' },
      buckets: {
        open: {},
        'dotted.name': {},
        folder: { bucketAtStore: 'open', keyPrefix: 'team a/' },
        ...Object.fromEntries(Object.keys(points).map(name => [name, { bucketAtStore: 'open' }])),
      },
      gateway: { domain: 'gateway.test' },
    });
    await lab.store.put('/open', '', { 'x-amz-acl': 'public-read-write' });
    await lab.store.put('/dotted.name');
    await lab.store.put('/dotted.name/k', 'dots');
  });
  afterAll(() => lab.stop());

  const put = (rawKey: string, body: string) =>
    lab.store.raw({ method: 'PUT', path: `/open/${rawKey}`, body });
  const ask = (rawKey: string, more: Partial<Question> = {}) =>
    lab.agree({ path: `/open/${rawKey}`, ...more });

  it('row 217 and Limits: a key has 1 to 1024 bytes', async () => {
    await put(longestRawKey, 'long');
    await put('1', 'short');
    expect((await ask(longestRawKey)).reply).toMatchObject({ status: 200, text: 'long' });
    expect((await ask('1')).reply).toMatchObject({ status: 200, text: 'short' });
    // a field shows the dialect: the bucket of an address that is refused is not looked up
    const { reply, cache } = await ask(`${longestRawKey}x`, { fields: { 'checksum-mode': 'ENABLED' } });
    expect(reply.status).toBe(400);
    expect(reply.error).toEqual(keyTooLongError);
    expect(cache.cold).toBe('BYPASS');
    const head = await ask('x'.repeat(1025), { method: 'HEAD', fields: { 'checksum-mode': 'ENABLED' } });
    expect(head.reply).toMatchObject({ status: 400, text: '' });
  });

  it.each(spellingsOfOneKey)('row %i: %s and %s are one key', async (_row, one, other) => {
    await put(one, one);
    const { reply } = await ask(one);
    expect(reply).toMatchObject({ status: 200, text: one });
    const warm = await lab.ask({ path: `/open/${other}` });
    expect(warm).toMatchObject({ status: 200, text: one, headers: { 'x-cache': 'HIT' } });
  });

  it.each(spellingsOfTwoKeys)('row %i: %s and %s are two keys', async (_row, one, other) => {
    await put(one, 'one');
    await put(other, 'other');
    lab.forget();
    for (const _moment of ['cold', 'warm']) {
      expect(await lab.ask({ path: `/open/${one}` })).toMatchObject({ text: 'one' });
      expect(await lab.ask({ path: `/open/${other}` })).toMatchObject({ text: 'other' });
    }
  });

  it('what keys begin with is no object', async () => {
    await put('level/inner/leaf', 'leaf');
    for (const rawKey of ['level', 'level/', 'level/inner']) {
      const { reply, cache } = await ask(rawKey);
      expect(reply).toMatchObject({ status: 404, error: { code: 'NoSuchKey' } });
      expect(cache.again).toBe('HIT');
    }
    expect((await ask('level/inner/leaf')).reply.text).toBe('leaf');
  });

  it.each(malformedKeys)('row 228: %s is no key', async rawKey => {
    const reply = await lab.ask({ path: `/open/${rawKey}`, as: 'anonymous', fields: { date: 'x' } });
    expect(reply.status).toBe(400);
    expect(reply.error).toMatchObject(malformedKeyError);
  });

  it('row 227: keys in errors are escaped, cold and warm', async () => {
    const { reply } = await ask('%3C%26%22%3E%0D');
    expect(reply.error).toMatchObject({ code: 'NoSuchKey', fields: { Key: '<&">\r' } });
  });

  it.each([
    [229, 'gateway.test', '/open/there'],
    [229, '127.0.0.1:9000', '/open/there'],
    [230, 'open.gateway.test', '/there'],
    [230, 'OPEN.gateway.test:8080', '/there'],
    [231, 'elsewhere.example', '/open/there'],
  ])('row %i: on the host %s it is %s', async (_row, host, path) => {
    await put('there', 'here');
    const { reply, cache } = await lab.agree({ path, host });
    expect(reply).toMatchObject({ status: 200, text: 'here' });
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
  });

  it('one object has one place in the cache, however it is addressed', async () => {
    lab.forget();
    await lab.ask({ path: '/open/there' });
    const reply = await lab.ask({ path: '/there', host: 'open.gateway.test' });
    expect(reply).toMatchObject({ text: 'here', headers: { 'x-cache': 'HIT' } });
  });

  it('row 230: a name of a bucket may contain dots', async () => {
    const { reply } = await lab.agree({ path: '/k', host: 'dotted.name.gateway.test' });
    expect(reply.text).toBe('dots');
  });

  it('row 222: a leading slash on a virtual host is part of the key', async () => {
    await put('/slash', 'slash');
    const { reply } = await lab.agree({ path: '//slash', host: 'open.gateway.test' });
    expect(reply).toMatchObject({ status: 200, text: 'slash' });
  });

  it.each(Object.entries(points))(
    'row 232: %s is addressed by its host, and by its name',
    async (name, host) => {
      await put('there', 'here');
      for (const question of [{ path: '/there', host }, { path: `/${encodeURIComponent(name)}/there` }]) {
        lab.forget();
        for (const cache of ['MISS', 'HIT']) {
          const reply = await lab.ask(question);
          expect(reply).toMatchObject({ status: 200, text: 'here', headers: { 'x-cache': cache } });
        }
      }
    },
  );

  it.each(['s3', 's3-object-lambda'])(
    'row 232: a kit that has the gateway as its endpoint asks for a point of %s',
    async kind => {
      await put('there', 'here');
      const [host = ''] = Object.entries(points).flatMap(([name, host]) =>
        name.includes(`:${kind}:`) ? host : [],
      );
      lab.forget();
      await lab.ask({ path: '/there', host });
      const client = lab.sdk(undefined, {
        endpoint: `http://gateway.test:${new URL(lab.gateway.url()).port}`,
        forcePathStyle: false,
        useArnRegion: true,
        requestHandler: { httpAgent: new Agent({ lookup: toLoopback }) },
      });
      const hosts: string[] = [];
      client.middlewareStack.add(
        next => args => {
          hosts.push((args.request as { hostname: string }).hostname);
          return next(args);
        },
        { step: 'finalizeRequest' },
      );
      const got = await client.send(
        new GetObjectCommand({ Bucket: arn(kind, 'accesspoint/ap'), Key: 'there' }),
      );
      expect(await got.Body?.transformToString()).toBe('here');
      expect(hosts).toEqual([`ap-${account}.gateway.test`]);
      client.destroy();
    },
  );

  it('row 232: a point on an outpost is found by name, account and outpost', async () => {
    await put('there', 'here');
    const reply = await lab.ask({ path: '/there', host: `ap-${account}.op-1.gateway.test` });
    expect(reply).toMatchObject({ status: 200, text: 'here' });
  });

  it('row 232: points that only the scope of a signature tells apart are not found without one', async () => {
    const host = `ap-${account}.gateway.test`;
    const anonymously = await lab.ask({ path: '/there', host, as: 'anonymous', fields: { date: 'x' } });
    expect(anonymously.error?.code).toBe('NoSuchBucket');
  });

  it('row 232: an access point that is not configured is a missing bucket', async () => {
    const host = `other-${account}.s3-accesspoint.us-east-1.gateway.test`;
    expect((await lab.ask({ path: '/there', host })).error?.code).toBe('NoSuchBucket');
  });

  it.each(['/open?list-type=2', '/open/?list-type=2'])('row 233: %s lists the bucket', async path => {
    const reply = await lab.ask({ path });
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('<ListBucketResult');
  });

  it.each(['acl', 'tagging'])('row 234: ?%s is another operation, and never from the cache', async name => {
    await put('there', 'here');
    const question = { path: `/open/there?${name}` };
    const [fromStore, one, other] = [
      await lab.askStore(question),
      await lab.ask(question),
      await lab.ask(question),
    ];
    expect(one).toMatchObject({ status: 200, text: fromStore.text, headers: { 'x-cache': 'BYPASS' } });
    expect(other.headers['x-cache']).toBe('BYPASS');
    expect(other.fields['request-id']).not.toBe(one.fields['request-id']);
  });

  it('row 234: a sub-resource that nobody knows is not the object', async () => {
    const reply = await lab.ask({ path: '/open/there?something' });
    expect(reply.headers['x-cache']).toBe('BYPASS');
  });

  it('row 235: HEAD has no sub-resources, and two of them are one too many', async () => {
    const head = await lab.ask({ method: 'HEAD', path: '/open?acl' });
    expect(head).toMatchObject({ status: 405, text: '' });
    expect(head.headers.allow).toContain('GET');
    expect((await lab.ask({ path: '/open?acl&versioning' })).status).toBe(400);
  });

  it('row 236: a key has no ?versions', async () => {
    const { reply } = await ask('there?versions');
    expect(reply.status).toBe(400);
    expect(reply.error).toMatchObject({
      code: 'InvalidRequest',
      message: 'There is no such thing as the ?versions sub-resource for a key',
    });
  });

  it('row 237: other parameters mean nothing, and do not split the cache', async () => {
    const { cache } = await ask('there?foo=bar&x-id=GetObject');
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
  });

  if (canExpress(dialects, 'absolute form')) {
    it('a request target in absolute form is understood', async () => {
      await put('there', 'here');
      const path = `${lab.gateway.url()}/open/there`;
      const reply = await lab.ask({ path, as: 'anonymous' });
      expect(reply).toMatchObject({ status: 200, text: 'here' });
    });
  }

  it('what stands before keys at the store is never shown, neither in errors nor in listings', async () => {
    await put('team%20a/report', 'ours');
    expect(await lab.ask({ path: '/folder/report' })).toMatchObject({ status: 200, text: 'ours' });
    for (const path of ['/folder/none', '/folder/none?tagging']) {
      lab.forget();
      for (const _moment of ['cold', 'warm']) {
        const reply = await lab.ask({ path });
        expect(reply.error).toMatchObject({ code: 'NoSuchKey', fields: { Key: 'none' } });
        expect(reply.text).not.toContain('team');
      }
    }
    for (const query of [
      'list-type=2&prefix=r',
      'prefix=r',
      'versions',
      'versions&key-marker=a',
      'uploads',
    ]) {
      const listing = await lab.ask({ path: `/folder?${query}` });
      expect(listing.status).toBe(200);
      expect(listing.text).not.toContain('team');
      expect(listing.text).not.toContain('there');
      if (query === 'uploads') continue;
      expect(listing.text).toContain('<Key>report</Key>');
      expect(listing.text).toContain('<Name>folder</Name>');
    }
  });
});
