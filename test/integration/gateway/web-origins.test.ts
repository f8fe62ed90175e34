import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { CachePolicy } from '../../../src/gateway/request/cache-policy.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';
import {
  type Head,
  startWebGateway,
  type WebAnswers,
  type WebGatewayOptions,
} from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

const fresh = { 'cache-control': 'max-age=3600' };

/** An origin whose answers tell their number. */
async function start(head: WebAnswers, options: WebGatewayOptions = {}): Promise<void> {
  ({ origin, gateway } = await startWebGateway(head, options));
}

async function text(path: string, headers: Record<string, string> = {}): Promise<string> {
  return (await gateway.get(path, headers)).body.toString();
}

describe('what is stored of a web origin', () => {
  it('answers again while it is fresh, with Age, its own Date and its own fields', async () => {
    const date = new Date(Date.now() - 5_000).toUTCString();
    await start(() => ({ ...fresh, date, 'x-own': 'yes', server: 'origin' }));
    const first = await gateway.get('/a?b=1');
    const second = await gateway.get('/a?b=1');
    expect(second.body.toString()).toBe('answer 1');
    expect(second.headers).toMatchObject({ date, 'x-own': 'yes', server: 'origin', 'x-cache': 'HIT' });
    expect(Number(second.headers.age)).toBeGreaterThanOrEqual(5);
    expect(first.headers).toMatchObject({ date, 'x-cache': 'MISS' });
    expect(origin.asked).toHaveLength(1);
    expect(origin.lastAsked?.headers).toMatchObject({ via: '1.1 tidegate', host: new URL(origin.url).host });
  });

  it.each([1, 2])('is told under its key where that is to be told (%i workers)', async workers => {
    await start(() => fresh, {
      policy: { showKey: true },
      rules: { query: { names: new Set(), isSorted: false } },
      workers,
    });
    const told = async (method: string) => (await gateway.send(method, '/a?b=1')).headers['cache-status'];
    const key = 'key="web////a"';
    expect(await told('GET')).toBe(`tidegate; fwd=uri-miss; fwd-status=200; stored; ${key}`);
    const hit = new RegExp(`^tidegate; hit; ttl=\\d+; ${key}$`);
    expect(await told('GET')).toMatch(hit);
    expect(await told('HEAD')).toMatch(hit);
    expect(await told('POST')).toBe(`tidegate; fwd=method; ${key}`);
  });

  it('is told under its key, too, where it means 416', async () => {
    await start(() => fresh, { policy: { showKey: true } });
    await text('/a');
    const refused = await gateway.get('/a', { range: 'bytes=1000-' });
    expect(refused.status).toBe(416);
    expect(refused.headers['cache-status']).toMatch(/^tidegate; hit; ttl=\d+; key="web\/{4}a"$/);
    expect(origin.asked).toHaveLength(1);
  });

  it('is told apart by path and query', async () => {
    await start(() => fresh);
    const paths = ['/a', '/a?', '/a?x=1', '/a?x=2', '/a/', '//a', '/A', '/%61'];
    for (const path of paths) await text(path);
    expect(origin.asked.map(({ url }) => url)).toEqual(paths);
    for (const [index, path] of paths.entries()) expect(await text(path)).toBe(`answer ${index + 1}`);
  });

  it.each([
    ['none', new Set<string>(), false, '/a?x=1&y=2', '/a', '/a?z=1'],
    ['a list', new Set(['x']), false, '/a?y=1&x=1', '/a?x=1', '/a?x=1&z=1'],
    ['sorted', 'all' as const, true, '/a?b=2&a=1', '/a?a=1&b=2', '/a?a=1&b=2'],
  ])(
    'is told apart by what is kept of the query, and the origin gets no other: %s',
    async (_, names, isSorted, path, sent, same) => {
      await start(() => fresh, { rules: { query: { names, isSorted } } });
      await text(path);
      expect(origin.lastAsked?.url).toBe(sent);
      expect(await text(same)).toBe('answer 1');
    },
  );

  it('is found below the name of a bucket and its prefix, and by the host', async () => {
    await start(() => fresh, { name: 'web', domain: 'cdn.test', rules: { pathPrefix: '/docs' } });
    await text('/web/a?b');
    expect(origin.lastAsked?.url).toBe('/docs/a?b');
    expect(await text('/a?b', { host: 'web.cdn.test' })).toBe('answer 1');
    await text('/web');
    expect(origin.lastAsked?.url).toBe('/docs/');
    expect((await gateway.get('/b/key')).headers['content-type']).toBe('application/xml');
  });

  it('leaves no prefix through dots', async () => {
    await start(() => fresh, { name: 'web', rules: { pathPrefix: '/docs' } });
    for (const path of ['/web/../x', '/web/a/%2e%2E/x', '/web/..%2fx', '/web/.', '/web/..;/x', '/web/..%5Cx'])
      expect((await gateway.get(path)).status, path).toBe(400);
    expect(origin.asked).toEqual([]);
  });

  it('varies by the fields that Vary names, and knows each', async () => {
    await start(asked => ({
      ...fresh,
      vary: 'Accept-Language, Foo',
      'x-said': String(asked.headers.foo),
    }));
    await text('/', { 'accept-language': 'de', foo: '1' });
    await text('/', { 'accept-language': 'de', foo: '2' });
    await text('/', { foo: '1' });
    expect(await text('/', { 'accept-language': 'de', foo: '1', other: 'x' })).toBe('answer 1');
    expect(await text('/', { 'accept-language': 'de', foo: '2' })).toBe('answer 2');
    expect(await text('/', { foo: '1' })).toBe('answer 3');
    expect(await text('/', {})).toBe('answer 4');
  });

  it.each([
    ['no-store', { 'cache-control': 'no-store' }],
    ['private', { 'cache-control': 'private, max-age=3600' }],
    ['Vary: *', { ...fresh, vary: '*' }],
    ['a cookie', { ...fresh, 'set-cookie': 'id=1' }],
    ['nothing', {}],
  ] as [string, Head][])('is nothing of an answer that has %s', async (_, head) => {
    await start(() => head);
    expect(await text('/')).toBe('answer 1');
    const second = await gateway.get('/');
    expect(second.body.toString()).toBe('answer 2');
    expect(second.headers['set-cookie']?.join()).toBe(head['set-cookie']);
  });

  it('has its cookie where that is configured', async () => {
    await start(() => ({ ...fresh, 'set-cookie': 'id=1' }), { rules: { storesCookies: true } });
    await text('/');
    expect((await gateway.get('/')).headers).toMatchObject({ 'set-cookie': ['id=1'], 'x-cache': 'HIT' });
  });

  it('is no answer to Authorization, unless the answer says that it may be', async () => {
    await start(asked => ({ 'cache-control': asked.url === '/s' ? 's-maxage=60' : 'max-age=60' }));
    await text('/m', { authorization: 'Basic x' });
    expect(origin.lastAsked?.headers.authorization).toBe('Basic x');
    expect(await text('/m')).toBe('answer 2');
    await text('/s', { authorization: 'Basic x' });
    expect(await text('/s')).toBe('answer 3');
  });

  it('is no answer to a request with a cookie that only a guess would keep', async () => {
    const modified = new Date(Date.now() - 86_400_000).toUTCString();
    await start(() => ({ 'last-modified': modified }), { policy: { heuristicShare: 0.1 } });
    await text('/', { cookie: 'a=b' });
    expect(await text('/')).toBe('answer 2');
    expect(await text('/', { cookie: 'a=b' })).toBe('answer 2');
  });

  it.each([301, 404, 410, 500, 299])('may have status %i', async status => {
    await start(() => ({ status, head: { ...fresh, location: '/there' } }));
    await gateway.get('/');
    const again = await gateway.get('/');
    expect(again.status).toBe(status);
    expect(again.headers).toMatchObject({ location: '/there', 'x-cache': 'HIT' });
    expect(again.body.toString()).toBe('answer 1');
  });

  it.each([400, 401, 403, 406, 413, 415, 421, 422, 429, 431])(
    'is no %i, which is about one request however it is dated',
    async status => {
      await start(asked => (asked.headers['x-long'] === undefined ? fresh : { status, head: fresh }));
      expect((await gateway.get('/', { 'x-long': 'x'.repeat(100) })).status).toBe(status);
      expect((await gateway.get('/')).status).toBe(200);
    },
  );

  describe.each([400, 403, 406, 422])('is a %i where ttlByStatus names it:', status => {
    const named = { namedTtls: [{ status, ttlMs: 2_000 }] };

    it.each([
      ['for that ttl', {}, 2_000],
      ['for as long as it says', { 'cache-control': 'max-age=3' }, 3_000],
      ['for negativeTtl at most', { 'cache-control': 'max-age=60' }, 5_000],
    ])('%s', async (_, head: Head, freshMs) => {
      const clock = new ManualClock(Date.now());
      await start(() => ({ status, head }), { clock, policy: named });
      await gateway.get('/');
      clock.advance(freshMs - 1_000);
      const held = await gateway.get('/');
      expect([held.status, held.headers['x-cache'], held.body.toString()]).toEqual([
        status,
        'HIT',
        'answer 1',
      ]);
      clock.advance(1_000);
      expect(await text('/')).toBe('answer 2');
    });

    it.each<[string, Head, Partial<CachePolicy>, Record<string, string>]>([
      ['while it is revalidated', {}, { staleWhileRevalidateMs: 600_000 }, {}],
      ['because it says so', { 'cache-control': 'max-age=60, stale-while-revalidate=600' }, {}, {}],
      ['to a client with max-stale', {}, {}, { 'cache-control': 'max-stale' }],
    ])('never stale, %s', async (_, head, of, asking) => {
      const clock = new ManualClock(Date.now());
      const policy = { ...named, ...of, maxStaleMs: 600_000, clientDirectives: 'honour' as const };
      await start(() => ({ status, head }), { clock, policy });
      await gateway.get('/');
      clock.advance(5_001);
      expect((await gateway.get('/', asking)).body.toString()).toBe('answer 2');
    });

    it('never stale where the origin fails', async () => {
      const clock = new ManualClock(Date.now());
      const head = { 'cache-control': 'max-age=60, stale-if-error=600' };
      let isDown = false;
      await start(() => ({ status: isDown ? 503 : status, head }), {
        clock,
        policy: { ...named, staleIfErrorMs: 600_000 },
      });
      await gateway.get('/');
      isDown = true;
      clock.advance(5_001);
      expect((await gateway.get('/')).status).toBe(503);
    });

    it('never in the place of what is held', async () => {
      const clock = new ManualClock(Date.now());
      const short = { 'cache-control': 'max-age=1', etag: '"1"' };
      await start(asked => (asked.headers['x-long'] ? { status, head: fresh } : short), {
        clock,
        policy: named,
      });
      await text('/');
      clock.advance(2_000);
      expect((await gateway.get('/', { 'x-long': 'x' })).status).toBe(status);
      expect((await gateway.get('/')).status).toBe(200);
    });

    it('not where it is its sender’s, or was asked for otherwise', async () => {
      await start(() => ({ status, head: {} }), { policy: named });
      for (const fields of [{ cookie: 'a=b' }, { authorization: 'Basic x' }, { rsc: '1' }])
        await gateway.get('/', fields);
      expect(await text('/')).toBe('answer 4');
    });
  });

  it('is not renewed by a 304 for who is authorized, unless the answer says that it may be', async () => {
    for (const [control, expected] of [
      ['max-age=60', [200, 401]],
      ['max-age=60, public', [200, 200]],
    ] as const) {
      const clock = new ManualClock(Date.now());
      let isOpen = true;
      await start(
        asked => {
          const date = new Date(clock.nowMs()).toUTCString();
          const head = { date, etag: '"1"', 'cache-control': control };
          if (!isOpen && asked.headers.authorization === undefined) return { status: 401, head: {} };
          return asked.headers['if-none-match'] === undefined ? head : { status: 304, head };
        },
        { clock },
      );
      await text('/');
      clock.advance(61_000);
      isOpen = false;
      const authorized = await gateway.get('/', { authorization: 'Basic x' });
      const stranger = await gateway.get('/');
      expect([authorized.status, stranger.status], control).toEqual(expected);
      expect(authorized.body.toString()).toBe('answer 1');
      if (control === 'max-age=60') {
        await gateway.close();
        await origin.close();
      }
    }
  });

  it('is confirmed by its validators, and gets the fields of the 304', async () => {
    const clock = new ManualClock(Date.now());
    await start(
      ({ headers }) =>
        headers['if-none-match'] === 'W/"1"'
          ? { status: 304, head: { ...fresh, etag: 'W/"1"', 'x-new': 'yes' } }
          : { etag: 'W/"1"', 'cache-control': 'max-age=1', 'x-old': 'yes' },
      { clock },
    );
    await text('/');
    clock.advance(2_000);
    const confirmed = await gateway.get('/', { 'if-none-match': '"other"' });
    expect(confirmed.body.toString()).toBe('answer 1');
    expect(confirmed.headers).toMatchObject({ 'x-new': 'yes', 'x-old': 'yes', 'x-cache': 'REVALIDATED' });
    expect((await gateway.get('/', { 'if-none-match': 'W/"1"' })).status).toBe(304);
    expect(origin.asked).toHaveLength(2);
  });

  it('answers in the turn in which the request was read', async () => {
    await start(() => fresh);
    await text('/a');
    const begun: boolean[] = [];
    const server = createServer((asked, response) => {
      gateway.gateways[0]?.handle(asked, response);
      begun.push(response.headersSent);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}/a`)).text()).toBe('answer 1');
    server.closeAllConnections();
    await new Promise<void>(resolve => server.close(() => resolve()));
    expect(begun).toEqual([true]);
  });

  it.each([
    ['its key', { kind: 'key', bucket: '/', key: '/a?b' }],
    ['a prefix', { kind: 'prefix', bucket: '/', prefix: '/a' }],
    ['its bucket', { kind: 'bucket', bucket: '/' }],
    ['a tag', { kind: 'tag', tag: 'news' }],
  ] as const)('is purged by %s', async (_, order) => {
    await start(() => ({ ...fresh, 'cache-tag': 'news' }));
    await text('/a?b');
    gateway.gateways[0]?.purge(order);
    expect(await text('/a?b')).toBe('answer 2');
    expect(await text('/a?b')).toBe('answer 2');
  });

  it('is of a strong tag put together from the parts that were asked for, and completed with If-Match', async () => {
    const content = Buffer.from(
      Array.from({ length: 40_000 }, (_, index) => (index * 7 + (index >> 8)) & 255),
    );
    await start(
      ({ headers }) => {
        const [, first = 0, last = content.length - 1] =
          /=(\d+)-(\d+)?/.exec(headers.range ?? '')?.map(Number) ?? [];
        const to = Number.isNaN(last) ? content.length - 1 : last;
        const head = { ...fresh, etag: '"1"', 'content-range': `bytes ${first}-${to}/${content.length}` };
        return { status: 206, head, body: content.subarray(first, to + 1) };
      },
      { policy: { blockSizeBytes: 16_384 } },
    );
    const part = (range: string) => gateway.get('/', { range });
    expect((await part('bytes=100-199')).body).toEqual(content.subarray(100, 200));
    expect((await part('bytes=120-150')).body).toEqual(content.subarray(120, 151));
    expect(origin.asked.map(({ headers }) => headers.range)).toEqual(['bytes=100-199']);
    const whole = await gateway.get('/');
    expect(whole.status).toBe(200);
    expect(whole.body).toEqual(content);
    for (const { headers } of origin.asked.slice(1)) expect(headers['if-match']).toBe('"1"');
    const asked = origin.asked.length;
    expect((await part('bytes=-5')).body).toEqual(content.subarray(-5));
    expect(origin.asked).toHaveLength(asked);
  });

  it('has the Content-Range of no answer but its own', async () => {
    const whole = Buffer.from('0123456789');
    await start(asked => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(asked.headers.range ?? '') ?? [];
      const head = { ...fresh, etag: '"1"' };
      if (first === undefined) return { status: 200, head, body: whole };
      const range = `bytes ${first}-${last}/10`;
      const body = whole.subarray(Number(first), Number(last) + 1);
      return { status: 206, head: { ...head, 'content-range': range }, body };
    });
    expect((await gateway.get('/', { range: 'bytes=2-3' })).headers['content-range']).toBe('bytes 2-3/10');
    expect((await gateway.get('/', { range: 'bytes=5-6' })).headers['content-range']).toBe('bytes 5-6/10');
    const all = await gateway.get('/');
    expect([all.status, all.headers['content-range'], all.body.toString()]).toEqual([
      200,
      undefined,
      '0123456789',
    ]);
  });

  it.each(['bytes 0-9/10', 'odd'])(
    'has a Content-Range that came with a whole answer, where it means nothing, but not in parts of it: %s',
    async range => {
      await start(() => ({ status: 200, head: { ...fresh, 'content-range': range }, body: '0123456789' }));
      for (const _ of ['a miss', 'a hit'])
        expect((await gateway.get('/')).headers['content-range']).toBe(range);
      const part = await gateway.get('/', { range: 'bytes=2-3' });
      expect([part.status, part.headers['content-range']]).toEqual([206, 'bytes 2-3/10']);
      expect(origin.asked).toHaveLength(1);
    },
  );

  it('has no Content-Range that is not of all: whoever sends one may have sent less', async () => {
    await start(() => ({ status: 200, head: { ...fresh, 'content-range': 'bytes 0-' }, body: '0123456789' }));
    for (const questions of [1, 2]) {
      expect((await gateway.get('/')).headers['content-range']).toBe('bytes 0-');
      expect(origin.asked).toHaveLength(questions);
    }
  });

  it('may have a coding that is not known, where that does not depend on what clients accept', async () => {
    await start(({ url }) => ({
      ...fresh,
      'content-encoding': 'odd',
      ...(url === '/varies' && { vary: 'accept-encoding' }),
    }));
    for (const path of ['/a', '/varies']) await text(path);
    expect([await text('/a'), await text('/varies')]).toEqual(['answer 1', 'answer 3']);
  });

  it('has any length, and ranges of it are served', async () => {
    origin = await ScriptedOrigin.start((_asked, response) => {
      response.writeHead(200, { 'cache-control': 'max-age=60' });
      response.write('01234');
      response.end('56789');
    });
    gateway = await TestGateway.start({
      storeUrl: origin.url,
      buckets: {},
      web: { url: origin.url, name: '/' },
    });
    expect(await text('/')).toBe('0123456789');
    const range = await gateway.get('/', { range: 'bytes=2-4' });
    expect([range.status, range.headers['content-range'], range.body.toString()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    expect(origin.asked).toHaveLength(1);
    expect((await gateway.get('/', { range: 'bytes=20-' })).status).toBe(416);
  });
});

describe('what is passed on to a web origin', () => {
  it('is the request as the client sent it, with no range added', async () => {
    await start(() => ({}));
    await gateway.get('/', { 'if-none-match': '"x"', 'accept-encoding': 'br', 'x-amz-any': '1' });
    const headers = origin.lastAsked?.headers;
    expect(headers).toMatchObject({ 'if-none-match': '"x"', 'accept-encoding': 'br', 'x-amz-any': '1' });
    expect(headers?.range).toBeUndefined();
  });

  it('has any method and body', async () => {
    await start(asked => ({ status: 201, head: {}, body: asked.body }));
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'M-SEARCH'])
      expect(await sendBody(method, '/x', 'some body'), method).toEqual([201, 'some body']);
    expect(await sendBody('POST', '/x', 'some body', 'chunked')).toEqual([201, 'some body']);
    expect(origin.lastAsked?.body.toString()).toBe('some body');
    expect(origin.asked.map(({ method }) => method)).toEqual([
      'POST',
      'PUT',
      'DELETE',
      'PATCH',
      'M-SEARCH',
      'POST',
    ]);
  });

  it('ends what is stored of its target, and of what its answer names, unless it fails', async () => {
    await start(({ method, url }) => {
      if (method === 'GET') return fresh;
      const named = { location: '/named', 'content-location': `${origin.url}/also` };
      return { status: url === '/failing' ? 500 : 200, head: named };
    });
    const paths = ['/target', '/named', '/also', '/failing', '/other'];
    for (const path of paths) await text(path);
    await sendBody('POST', '/target', 'x');
    await sendBody('POST', '/failing', 'x');
    const asked = origin.asked.length;
    for (const path of paths) await text(path);
    expect(origin.asked.slice(asked).map(({ url }) => url)).toEqual(['/target', '/named', '/also']);
  });

  it('ends what its answer names by any name of the origin, and by no other', async () => {
    await start(
      ({ method, url }) =>
        method === 'GET' ? fresh : { location: `${decodeURIComponent(url.split('?')[1] ?? '')}/named` },
      { rules: { host: { kind: 'fixed', name: 'WWW.example.test' } } },
    );
    const endsBy = async (name: string) => {
      await text('/named');
      await sendBody('POST', `/target?${encodeURIComponent(name)}`, 'x');
      return (await gateway.get('/named')).headers['x-cache'] !== 'HIT';
    };
    const names = ['', origin.url, gateway.url(), 'http://www.example.test', 'https://www.example.test:443'];
    for (const name of names.map(name => name.replace(/\/$/, '')))
      expect(await endsBy(name), name).toBe(true);
    for (const name of ['http://example.test', 'http://www.example.test:8080', 'ftp://www.example.test'])
      expect(await endsBy(name), name).toBe(false);
  });

  it('says whom the client asked, where that is configured, and answers are told apart by it', async () => {
    await start(() => fresh, { rules: { host: { kind: 'client' }, forwarded: true } });
    await text('/', { host: 'one.test', 'x-forwarded-for': '6.6.6.6' });
    expect(origin.lastAsked?.headers).toMatchObject({
      host: 'one.test',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'one.test',
      'x-forwarded-proto': 'http',
    });
    expect(await text('/', { host: 'two.test' })).toBe('answer 2');
    expect(await text('/', { host: 'one.test' })).toBe('answer 1');
  });

  it.each([
    'forwarded',
    'x-forwarded-host',
    'x_forwarded_host',
    'x-scheme',
    'accept_language',
    'x.forwarded.host',
    'proxy',
    'x-forwarded-proto',
    'x-forwarded-scheme',
    'x-original-url',
    'x-rewrite-url',
    'x-host',
    'x-http-method-override',
    'x-middleware-prefetch',
    'cf-visitor',
    'x_ssl_client_cert',
    'x-remote-user',
    'translate',
  ])('has no %s of a client, which would change what others get', async name => {
    await start(({ headers }) => ({ ...fresh, 'x-seen': String(headers[name]) }));
    await gateway.get('/', { [name]: 'evil' });
    expect((await gateway.get('/')).headers['x-seen']).toBe('undefined');
  });

  it('has all of the query where the answer is not looked for in the cache, and the body of any method', async () => {
    await start(() => ({}), { rules: { query: { names: new Set(['a']), isSorted: true } } });
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      await sendBody(method, '/k?b=2&a=1', 'body');
      expect([origin.lastAsked?.url, origin.lastAsked?.body.toString()], method).toEqual([
        '/k?b=2&a=1',
        'body',
      ]);
    }
    await text('/k?b=2&a=1');
    expect(origin.lastAsked?.url).toBe('/k?a=1');
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'REPORT'])('by %s is told as no look-up', async method => {
    await start(() => fresh);
    await text('/k');
    expect((await gateway.send(method, '/k')).headers).toMatchObject({
      'cache-status': 'tidegate; fwd=method',
      'x-cache': 'BYPASS',
    });
    await origin.close();
    expect((await gateway.send(method, '/k')).headers['x-cache']).toBe('BYPASS');
  });

  it('has neither the body of a GET nor the fields that Connection names', async () => {
    await start(() => fresh);
    await sendBody('GET', '/', 'body', undefined, { connection: 'close, x-hop', 'x-hop': '1' });
    expect(origin.lastAsked?.body).toHaveLength(0);
    expect(origin.lastAsked?.headers['x-hop']).toBeUndefined();
    expect(origin.lastAsked?.headers['content-length']).toBeUndefined();
  });

  it('has no fields about a body in a GET, which might have it refused', async () => {
    await start(() => fresh);
    await gateway.get('/', { 'content-type': 'x/y', 'content-encoding': 'odd' });
    expect(origin.lastAsked?.headers).not.toMatchObject({ 'content-type': 'x/y' });
    expect(origin.lastAsked?.headers['content-encoding']).toBeUndefined();
  });

  it('and the client get the bytes of fields as they came, on a miss, a hit and a pass', async () => {
    const name = Buffer.from('attachment; filename="bücher für 5 €"').toString('latin1');
    await start(() => fresh);
    origin.answer = ({ url, method }, { socket }) => {
      const control = url === '/kept' ? 'max-age=60' : 'no-store';
      const head = `Content-Length: 7\r\nCache-Control: ${control}\r\nContent-Disposition: ${name}`;
      socket?.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${method === 'HEAD' ? '' : '5 pages'}`, 'latin1');
      socket?.end();
    };
    for (const path of ['/kept', '/kept', '/passed'])
      expect((await gateway.get(path)).headers['content-disposition'], path).toBe(name);
    expect((await gateway.head('/passed')).headers['content-disposition']).toBe(name);
  });

  it.each(['u@y:80', 'a,b', `${'a'.repeat(300)}`, 'a%0d%0ab'])(
    'is asked for no host that is none: %s',
    async host => {
      await start(() => fresh);
      const { status } = await rawRequest(gateway.url(), {
        path: `http://${host}/k`,
        headers: { host: 'a' },
      });
      expect([status, origin.asked.length]).toEqual(host === 'a%0d%0ab' ? [200, 1] : [400, 0]);
    },
  );

  it('is told of hints before the answer', async () => {
    origin = await ScriptedOrigin.start((_asked, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.end('later');
    });
    gateway = await TestGateway.start({
      storeUrl: origin.url,
      buckets: {},
      web: { url: origin.url, name: '/' },
    });
    const hints: unknown[] = [];
    await new Promise<void>(resolve => {
      const asked = request(gateway.url(), answer => answer.resume().on('end', resolve));
      asked.on('information', ({ statusCode, headers }) => hints.push([statusCode, headers.link]));
      asked.end();
    });
    expect(hints).toEqual([[103, '</a.css>; rel=preload']]);
  });
});

describe('requests at the same time', () => {
  it('wait for one answer although something else is purged, and not for one from before their own purge', async () => {
    await start(() => fresh);
    const waiting: (() => void)[] = [];
    origin.answer = (_asked, response) => {
      const body = `answer ${origin.asked.length}`;
      waiting.push(() => response.writeHead(200, fresh).end(body));
    };
    const purge = (prefix: string) => gateway.gateways[0]?.purge({ kind: 'prefix', bucket: '/', prefix });
    const first = text('/k');
    await turnsUntil('the first is asked', () => waiting.length === 1);
    purge('elsewhere/');
    const second = text('/k');
    await turnsUntil('the second waits', () => gateway.gateways[0]?.waiting.requests === 2);
    waiting[0]?.();
    expect(await Promise.all([first, second])).toEqual(['answer 1', 'answer 1']);
    const third = text('/other');
    await turnsUntil('the third is asked', () => waiting.length === 2);
    purge('');
    const fourth = text('/other');
    await turnsUntil('the fourth is asked', () => waiting.length === 3);
    for (const answer of waiting.slice(1)) answer();
    expect(await Promise.all([third, fourth])).toEqual(['answer 2', 'answer 3']);
  });

  it('end with the last who waits, where what may be kept comes slowly', async () => {
    await start(() => fresh);
    let isCutOff = false;
    origin.answer = (_asked, response) => {
      response.writeHead(200, fresh);
      response.write('the beginning');
      response.on('close', () => {
        isCutOff = true;
      });
    };
    const ask = () => {
      const sent = request(`${gateway.url()}/k`, answer => answer.resume()).on('error', () => undefined);
      sent.end();
      return sent;
    };
    const first = ask();
    await turnsUntil('it is asked', () => origin.asked.length === 1);
    const second = ask();
    await turnsUntil('the second waits', () => gateway.gateways[0]?.waiting.requests === 2);
    first.destroy();
    await turnsUntil('the first has left', () => gateway.gateways[0]?.waiting.requests === 1);
    expect(isCutOff).toBe(false);
    second.destroy();
    await turnsUntil('the origin is told', () => isCutOff);
    expect(origin.asked).toHaveLength(1);
  });

  it('wait for one answer that may be stored, and ask for themselves where it may not', async () => {
    const held: (() => void)[] = [];
    origin = await ScriptedOrigin.start(({ url }, response) => {
      held.push(() => {
        response.setHeader('cache-control', url === '/kept' ? 'max-age=60' : 'no-store');
        response.end(`answer ${origin.asked.length}`);
      });
      if (held.length === wanted) for (const answer of held.splice(0)) answer();
    });
    let wanted = 1;
    gateway = await TestGateway.start({
      storeUrl: origin.url,
      buckets: {},
      web: { url: origin.url, name: '/' },
    });
    wanted = Number.POSITIVE_INFINITY;
    const kept = Array.from({ length: 5 }, () => text('/kept'));
    await expect.poll(() => gateway.gateways[0]?.waiting.requests).toBe(5);
    expect(origin.asked).toHaveLength(1);
    held.splice(0)[0]?.();
    expect(new Set(await Promise.all(kept))).toEqual(new Set(['answer 1']));
    const families = await gateway.metrics[0]?.snapshot();
    const coalesced = families?.find(({ name }) => name === 'tidegate_coalesced_requests_total');
    expect(coalesced?.values.map(({ value }) => value)).toEqual([4]);
    const passed = Array.from({ length: 3 }, () => text('/passed'));
    await expect.poll(() => gateway.gateways[0]?.waiting.requests).toBe(3);
    expect(origin.asked).toHaveLength(2);
    wanted = 2;
    held.splice(0)[0]?.();
    await Promise.all(passed);
    expect(origin.asked).toHaveLength(4);
  });
});

describe('what is stale', () => {
  it.each([
    ['no-store', { 'cache-control': 'no-store' }],
    ['Authorization', { authorization: 'Basic x' }],
    ['what the origin refuses', { 'x-long': 'x' }],
  ])('is kept when one request with %s is answered otherwise', async (_, headers: Record<string, string>) => {
    const clock = new ManualClock(Date.now());
    let isDown = false;
    await start(
      asked => {
        const date = new Date(clock.nowMs()).toUTCString();
        if (isDown) return { status: 503, head: {} };
        if (asked.headers['x-long'] !== undefined) return { status: 431, head: {} };
        return { date, 'cache-control': 'max-age=1, stale-if-error=600' };
      },
      { clock, policy: { maxStaleMs: 600_000, clientDirectives: 'honour' } },
    );
    expect(await text('/')).toBe('answer 1');
    clock.advance(5_000);
    await gateway.get('/', headers);
    isDown = true;
    expect((await gateway.get('/')).body.toString()).toBe('answer 1');
  });
});

describe('errors of a web origin', () => {
  it('that one request may have caused are no answer to who waits', async () => {
    await start(() => fresh);
    const broken: (() => void)[] = [];
    origin.answer = (asked, response) => {
      if (asked.headers['x-odd'] === undefined) response.writeHead(200, fresh).end('fine');
      else broken.push(() => response.destroy());
    };
    const odd = gateway.get('/k', { 'x-odd': '1' });
    await turnsUntil('it is asked', () => broken.length === 1);
    const waiting = gateway.get('/k');
    await turnsUntil('the other waits', () => gateway.gateways[0]?.waiting.requests === 2);
    const breaking = setInterval(() => {
      for (const cut of broken.splice(0)) cut();
    }, 1);
    expect((await odd).status).toBe(503);
    clearInterval(breaking);
    expect((await waiting).body.toString()).toBe('fine');
  });

  it('are the same for all who have waited for its answer', async () => {
    const held: (() => void)[] = [];
    origin = await ScriptedOrigin.start((_asked, response) => {
      held.push(() => void response.socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: odd\r\n\r\n'));
    });
    gateway = await TestGateway.start({
      storeUrl: origin.url,
      buckets: {},
      web: { url: origin.url, name: '/' },
    });
    const answers = Array.from({ length: 4 }, () => gateway.get('/'));
    await expect.poll(() => gateway.gateways[0]?.waiting.requests).toBe(4);
    for (const answer of held) answer();
    for (const { status, body } of await Promise.all(answers))
      expect([status, body.toString()]).toEqual([502, '502 Bad Gateway\n']);
    expect(origin.asked).toHaveLength(1);
  });

  it('are plain text where there is no answer, and a stale answer where that is allowed', async () => {
    await start(() => ({ 'cache-control': 'max-age=1', age: '5' }), { policy: { staleIfErrorMs: 60_000 } });
    await text('/held');
    await origin.close();
    const stale = await gateway.get('/held');
    expect([stale.status, stale.body.toString(), stale.headers['x-cache']]).toEqual([
      200,
      'answer 1',
      'STALE',
    ]);
    const none = await gateway.get('/none');
    expect([none.status, none.headers['content-type'], none.body.toString()]).toEqual([
      503,
      'text/plain; charset=utf-8',
      '503 Service Unavailable\n',
    ]);
  });
});

function sendBody(
  method: string,
  path: string,
  body: string,
  coding?: 'chunked',
  headers: Record<string, string> = {},
): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const length = coding ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
    const sent = request(gateway.url() + path, { method, headers: { ...length, ...headers } }, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', chunk => chunks.push(chunk));
      answer.on('end', () => resolve([answer.statusCode ?? 0, Buffer.concat(chunks).toString()]));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
