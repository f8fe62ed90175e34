import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Policy } from '../../../src/gateway/request/access.ts';
import type { WebsiteRules } from '../../../src/gateway/request/bucket.ts';
import type { Fault } from '../../support/stand-in/faults.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { defaultPolicy } from '../../support/worker-gateway.ts';

const website: WebsiteRules = { index: 'index.html', error: '404.html', errorFor: [404], redirects: true };
const html = { headers: { 'content-type': 'text/html' } };

let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  store.put('site', 'index.html', 'home', html);
  store.put('site', 'docs/index.html', 'docs', html);
  store.put('site', 'page.html', 'a page', html);
  store.put('site', '404.html', 'not here', html);
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

async function start(rules: Partial<WebsiteRules> = {}, options: Partial<TestGatewayOptions> = {}) {
  gateway = await TestGateway.start({
    storeUrl: store.url,
    domain: 'example.test',
    buckets: { site: { website: { ...website, ...rules } } },
    ...options,
  });
}

/** Status, body and target of what a browser gets. */
async function browse(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { status, body, headers: told } = await gateway.send(method, path, headers);
  return [status, told.location ?? body.toString()];
}

const atHost = { host: 'site.example.test' };

/** Anonymous callers may read what `reads` says, and list nothing. */
const only =
  (reads: (key: string) => boolean): Policy['allows'] =>
  (_caller, _bucket, action, key) =>
    action === 'GetObject' && reads(key);

describe('a bucket as a website', () => {
  it.each([
    ['/', atHost, 'home'],
    ['/?utm_source=x&v', atHost, 'home'],
    ['/docs/', atHost, 'docs'],
    ['/page.html?v2', atHost, 'a page'],
    ['/site/', {}, 'home'],
    ['/site/docs/', {}, 'docs'],
  ])('GET %s is a document', async (path, headers, body) => {
    await start();
    expect(await browse(path, headers)).toEqual([200, body]);
    const again = await gateway.get(path, headers);
    expect([again.headers['x-cache'], again.body.toString()]).toEqual(['HIT', body]);
    const head = await gateway.head(path, headers);
    expect([head.status, head.headers.etag]).toEqual([200, again.headers.etag]);
  });

  it.each([
    ['/docs', atHost, '/docs/'],
    ['/docs?a=1', atHost, '/docs/?a=1'],
    ['/site/docs', {}, '/site/docs/'],
    ['/site', {}, '/site/'],
    ['http://site.example.test/docs', atHost, '/docs/'],
  ])('GET %s is sent on to its folder', async (path, headers, location) => {
    await start();
    expect(await browse(path, headers)).toEqual([302, location]);
    expect(await browse(path, headers, 'HEAD')).toEqual([302, location]);
    expect(await browse(path, headers)).toEqual([302, location]);
  });

  it('no redirect leads to another host', async () => {
    store.put('site', '/evil.test/index.html', 'x');
    await start();
    expect(await browse('//evil.test', atHost)).toEqual([302, '/.//evil.test/']);
  });

  it('what is missing has the document for errors and the status of the store, whatever was asked for', async () => {
    await start();
    for (const path of ['/none', '/none/', '/docs/none.html', '/none']) {
      const asked = { ...atHost, range: 'bytes=0-1', 'if-none-match': '*', 'if-match': '"x"' };
      expect(await browse(path, asked)).toEqual([404, 'not here']);
      const { status, headers, body } = await gateway.head(path, atHost);
      expect([status, headers['content-length'], headers['content-type'], body.length]).toEqual([
        ...[404, '8', 'text/html', 0],
      ]);
    }
  });

  it('errors are those of the store where there is no document for them', async () => {
    await start({ error: undefined });
    const [status, body] = await browse('/none', atHost);
    expect([status, body]).toEqual([404, expect.stringContaining('<Code>NoSuchKey</Code>')]);
    await gateway.close();
    await start({ error: 'gone.html' });
    const [same, told] = await browse('/none', atHost);
    expect([same, told]).toEqual([404, expect.stringContaining('<Code>NoSuchKey</Code>')]);
  });

  it('folders stay as they are where no redirects are wanted', async () => {
    await start({ redirects: false });
    expect(await browse('/docs', atHost)).toEqual([404, 'not here']);
  });

  it('conditions and ranges work on documents', async () => {
    await start();
    const { headers } = await gateway.get('/docs/', atHost);
    const same = await gateway.get('/docs/', { ...atHost, 'if-none-match': headers.etag ?? '' });
    expect(same.status).toBe(304);
    const part = await gateway.get('/docs/', { ...atHost, range: 'bytes=1-2' });
    expect([part.status, part.body.toString()]).toEqual([206, 'oc']);
  });

  it('a document that appears is found once its absence is no longer believed', async () => {
    await start({}, { policy: { negativeTtlMs: 0 } });
    expect(await browse('/new/', atHost)).toEqual([404, 'not here']);
    store.put('site', 'new/index.html', 'new', html);
    expect(await browse('/new/', atHost)).toEqual([200, 'new']);
    expect(await browse('/new', atHost)).toEqual([302, '/new/']);
  });
});

describe('grants of a website', () => {
  it('are about the key that is read; who may read a page is told that it is missing', async () => {
    await start({}, { allows: only(key => !key.startsWith('docs/')) });
    expect(await browse('/', atHost)).toEqual([200, 'home']);
    expect(await browse('/none', atHost)).toEqual([404, 'not here']);
    expect((await browse('/docs/', atHost))[0]).toBe(403);
    // whether there is such a folder is not told
    expect(await browse('/docs', atHost)).toEqual([404, 'not here']);
  });

  it('a 403 has the document for errors where that is configured, if it may be read', async () => {
    await start({ errorFor: [403, 404] }, { allows: only(key => key === '404.html') });
    expect(await browse('/page.html', atHost)).toEqual([403, 'not here']);
    await gateway.close();
    await start({ errorFor: [403, 404] }, { allows: only(key => key === 'page.html') });
    const [status, body] = await browse('/none', atHost);
    expect([status, body]).toEqual([403, expect.stringContaining('<Code>AccessDenied</Code>')]);
  });
});

describe('what is asked of a store is answered as by one', () => {
  it.each([
    ['GET', '/site?list-type=2'],
    ['GET', '/site/?prefix=docs'],
    ['GET', '/site/?location'],
    ['GET', '/site/docs/?versionId=1'],
  ])('%s %s', async (method, path) => {
    await start();
    const [, body] = await browse(path, {}, method);
    expect(body).not.toMatch(/^(?:home|docs|not here|\/site\/)$/);
  });

  it('signed requests and those with fields of the store', async () => {
    const caller = { kind: 'client', accessKeyId: 'AK', payload: { kind: 'nothing' } } as never;
    await start();
    const own = await gateway.get('/site/none', { 'x-amz-checksum-mode': 'ENABLED' });
    expect(own.body.toString()).toContain('<Code>NoSuchKey</Code>');
    await gateway.close();
    await start({}, { authenticate: () => caller });
    expect((await gateway.get('/site/none')).body.toString()).toContain('<Code>NoSuchKey</Code>');
    expect((await gateway.get('/site/docs')).body.toString()).toContain('<Code>NoSuchKey</Code>');
  });

  it('a bucket without website', async () => {
    await start({}, { buckets: { site: {} } });
    expect((await gateway.get('/docs/', atHost)).body.toString()).toContain('<Code>NoSuchKey</Code>');
  });
});

it.each([
  [
    'is not to be cached',
    { keyRules: [{ keys: ['404.html'], cache: { ...defaultPolicy, mode: 'bypass' as const } }] },
  ],
  ['is too large to be kept', { policy: { maxObjectSizeBytes: 2 } }],
])('a document for errors that %s takes nothing of the status', async (_, options) => {
  await start({}, options);
  const { status } = await gateway.get('/none', atHost);
  expect(status).toBe(404);
});

describe('where the store fails to say whether there is a folder', () => {
  const slowDown = '<Error><Code>SlowDown</Code><Message>m</Message></Error>';
  const refusal = (status: number): Fault => ({ kind: 'answer', status, body: slowDown });
  const failures: [string, Fault, number][] = [
    ['503', refusal(503), 503],
    ['500', refusal(500), 500],
  ];

  it.each([...failures, ['an answer that is none', refusal(204), 502] as const])(
    'nobody is told that there is none: %s',
    async (_, fault, expected) => {
      await start({}, { policy: { negativeTtlMs: 60_000 } });
      store.spoiled.set('/site/docs/index.html', fault);
      for (const _time of ['first', 'with the held 404 of the page']) {
        const { status, headers, body } = await gateway.get('/docs', atHost);
        expect([status, body.toString()]).toEqual([expected, expect.not.stringContaining('not here')]);
        expect(headers['x-cache']).toBe('MISS');
        if (expected === 503) expect(headers['retry-after']).toBeDefined();
      }
      store.spoiled.clear();
      expect(await browse('/docs', atHost)).toEqual([302, '/docs/']);
    },
  );

  it('a store that must not list says so of what is missing with 403', async () => {
    await start();
    store.spoiled.set('/site/docs/index.html', refusal(403));
    expect(await browse('/docs', atHost)).toEqual([404, 'not here']);
  });

  it.each(failures)('its fallback is asked: %s', async (_, fault, expected) => {
    const replica = await StandInStore.start();
    replica.put('site-replica', 'docs/index.html', 'docs', html);
    await start({}, { fallbackUrl: replica.url });
    store.spoiled.set('/site/docs/index.html', fault);
    store.spoiled.set('/site/none/index.html', fault);
    const { status, headers } = await gateway.get('/docs', atHost);
    expect([status, headers.location]).toEqual([302, '/docs/']);
    expect(headers['cache-status']).toContain('fwd-status=404; stored; detail=fallback');
    // a replica may lack it
    expect((await browse('/none', atHost))[0]).toBe(expected);
    await replica.close();
  });

  it('its fallback is not asked where the store refuses to say', async () => {
    const replica = await StandInStore.start();
    replica.put('site-replica', 'docs/index.html', 'docs', html);
    await start({}, { fallbackUrl: replica.url });
    store.spoiled.set('/site/docs/index.html', refusal(400));
    expect((await browse('/docs', atHost))[0]).toBe(400);
    expect(replica.log.requests).toEqual([]);
    await replica.close();
  });

  it('an answer of the fallback is reported as one, where the page is held as missing', async () => {
    const replica = await StandInStore.start();
    replica.put('site-replica', 'docs/index.html', 'docs', html);
    await start({}, { fallbackUrl: replica.url, policy: { ttlMs: 0, negativeTtlMs: 60_000 } });
    await browse('/docs', atHost);
    store.spoiled.set('/site/docs/index.html', refusal(503));
    const { headers } = await gateway.get('/docs', atHost);
    expect([headers.location, headers['cache-status']]).toEqual([
      '/docs/',
      expect.stringContaining('detail=fallback'),
    ]);
    await replica.close();
  });
});

describe('what the store is asked for a website', () => {
  const asked = () => store.log.requests.map(({ method, url }) => `${method} ${url}`);

  it('is reported, though the answer is made of what is held as well', async () => {
    await start({}, { policy: { ttlMs: 60_000, negativeTtlMs: 60_000 } });
    const how = async (path: string) => {
      const { headers } = await gateway.get(path, atHost);
      return [headers['x-cache'], headers.age === undefined];
    };
    expect(await how('/docs')).toEqual(['MISS', true]);
    expect((await how('/docs'))[0]).toBe('HIT');
    expect(await how('/none')).toEqual(['MISS', true]);
    expect(await how('/none')).toEqual(['HIT', false]);
    // the document is held, the page is not
    expect(await how('/other')).toEqual(['MISS', true]);
    await gateway.close();
    await start({}, { policy: { ttlMs: 0, negativeTtlMs: 60_000 } });
    expect(await how('/docs')).toEqual(['MISS', true]);
    expect(await how('/docs')).toEqual(['REVALIDATED', true]);
  });

  it('is reported also where the store refuses the page, and the document for that is held', async () => {
    await start({ errorFor: [403, 404] }, { policy: { ttlMs: 60_000 } });
    store.spoiled.set('/site/denied', { kind: 'answer', status: 403, body: '' });
    await browse('/none', atHost);
    for (const _ of ['first', 'again']) {
      const { status, headers, body } = await gateway.get('/denied', atHost);
      expect([status, body.toString()]).toEqual([403, 'not here']);
      expect(headers['cache-status']).toBe('tidegate; fwd=uri-miss; fwd-status=403');
    }
  });

  it('is nothing for who takes only what is held', async () => {
    const policy = { clientDirectives: 'honour' as const, ttlMs: 0, negativeTtlMs: 60_000 };
    await start({ errorFor: [403, 404] }, { policy, allows: only(key => !key.startsWith('private/')) });
    await browse('/docs', atHost);
    await browse('/none', atHost);
    const before = asked();
    const held = { ...atHost, 'cache-control': 'only-if-cached' };
    for (const [path, expected] of [
      ['/docs', 404],
      ['/none', 404],
      ['/private/x', 403],
      ['/other', 504],
    ] as const)
      for (const method of ['GET', 'HEAD'])
        expect((await browse(path, held, method))[0], path).toBe(expected);
    expect(asked()).toEqual(before);
  });
});

it.each<[string, Fault]>([
  ['503', { kind: 'answer', status: 503, body: '' }],
  ['404', { kind: 'answer', status: 404, body: '' }],
  ['a broken connection', { kind: 'break', afterBytes: 0 }],
])('a document for errors that is not to be had leaves the error as it was: %s', async (_, fault) => {
  const replica = await StandInStore.start();
  for (const fallback of [{}, { fallbackUrl: replica.url }]) {
    const allows = only(key => !key.startsWith('private/'));
    await start({ errorFor: [403, 404] }, { ...fallback, allows, policy: { negativeTtlMs: 60_000 } });
    store.spoiled.set('/site/404.html', fault);
    const expected = [
      ['/none', 404, 'NoSuchKey', 'MISS'],
      ['/none', 404, 'NoSuchKey', 'HIT'],
      ['/private/x', 403, 'AccessDenied', 'BYPASS'],
    ] as const;
    for (const [path, status, code, cache] of expected) {
      const answer = await gateway.get(path, atHost);
      expect([answer.status, answer.body.toString()]).toEqual([status, expect.stringContaining(code)]);
      expect(answer.headers['x-cache']).toBe(cache);
    }
    if (fallback.fallbackUrl === undefined) await gateway.close();
  }
  await replica.close();
});

it.each(['pass', 'strip'] as const)(
  'of the document for errors a client sees what the rules of its key let it see (%s)',
  async targetedCacheControl => {
    store.put('site', '404.html', 'not here', { headers: { 'cdn-cache-control': 'max-age=9' } });
    const other = targetedCacheControl === 'pass' ? 'strip' : 'pass';
    const rule = { keys: ['404.html'], cache: { ...defaultPolicy, targetedCacheControl } };
    await start({}, { keyRules: [rule], policy: { targetedCacheControl: other } });
    const expected = targetedCacheControl === 'pass' ? 'max-age=9' : undefined;
    for (const path of ['/404.html', '/none', '/none'])
      expect((await gateway.get(path, atHost)).headers['cdn-cache-control'], path).toBe(expected);
  },
);

it('the document for errors is asked for with the Origin of its own rules', async () => {
  store.put('site', '404.html', 'not here');
  const cors = {
    ...{ allowOrigins: ['https://a.test'], allowMethods: ['GET'], allowHeaders: [], exposeHeaders: [] },
    ...{ allowCredentials: false, maxAgeMs: 600_000 },
  };
  await start({ redirects: false }, { keyRules: [{ keys: ['404.html'], cors }] });
  await gateway.get('/none', { ...atHost, origin: 'https://a.test' });
  const origins = store.log.requests.map(({ url, headers }) => [url, headers.origin]);
  expect(origins).toEqual([
    ['/site/none', 'https://a.test'],
    ['/site/404.html', undefined],
  ]);
});

describe('for how long browsers may believe an answer', () => {
  const year = { 'cache-control': 'max-age=31536000, immutable', expires: 'Thu, 31 Dec 2037 00:00:00 GMT' };
  const set = { ...year, 'surrogate-control': 'max-age=9', 'x-frame-options': 'DENY' };
  const rule = { keys: ['**'], responseHeaders: { set, add: {}, remove: [] } };
  const allows = only(key => !key.startsWith('private/'));
  const told = (headers: object) => Object.keys(headers).filter(name => name in set);

  it.each([
    ['of the document for errors are its own', { 'cache-control': 'max-age=5' }, 'max-age=5'],
    ['is not said of an error whose document does not say it', {}, undefined],
  ])('%s, and not what rules say of contents', async (_, metadata, expected) => {
    store.put('site', '404.html', 'not here', { headers: metadata });
    await start({ errorFor: [403, 404] }, { allows, keyRules: [rule] });
    for (const path of ['/404.html', '/none', '/none', '/private/x', '/404.html']) {
      const { status, headers, body } = await gateway.get(path, atHost);
      expect(body.toString()).toBe('not here');
      const validated = ['etag', 'last-modified', 'accept-ranges'].filter(name => name in headers);
      if (status === 200) {
        expect(headers).toMatchObject(set);
        expect(validated).toHaveLength(3);
        continue;
      }
      expect(headers['cache-control'], path).toBe(expected);
      expect(told(headers)).toEqual(['x-frame-options', ...(expected ? ['cache-control'] : [])]);
      // caches guess by the age of a document, and would ask whether it is still the same
      expect(validated).toEqual([]);
    }
  });

  it('is not said of redirects by what rules say of contents', async () => {
    await start({}, { keyRules: [rule] });
    for (const path of ['/site', '/site/docs', '/site/docs']) {
      const { status, headers } = await gateway.get(path);
      expect([status, told(headers)]).toEqual([302, ['x-frame-options']]);
    }
  });
});
