import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { WebsiteRules } from '../../../src/gateway/request/bucket.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { OriginRequest, ScriptedOrigin } from '../../support/scripted-origin.ts';
import { talk } from '../../support/talk.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import {
  type Head,
  startWebGateway,
  type WebAnswer,
  type WebGatewayOptions,
} from '../../support/web-gateway.ts';
import { defaultPolicy } from '../../support/worker-gateway.ts';

const rules: WebsiteRules = { index: 'index.html', error: '404.html', errorFor: [404], redirects: true };
const html = { 'content-type': 'text/html' };
const fresh = { ...html, 'cache-control': 'max-age=3600' };

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

type Pages = Record<string, WebAnswer | ((asked: OriginRequest) => WebAnswer)>;

function page(body: string, head: Head = fresh): WebAnswer {
  return { status: 200, head: { ...head, 'content-length': String(Buffer.byteLength(body)) }, body };
}

function missing(head: Head = {}): WebAnswer {
  return { status: 404, head, body: 'the origin has none' };
}

const pages: Pages = {
  '/index.html': page('home'),
  '/docs/index.html': page('docs', { ...fresh, etag: '"d"' }),
  '/page.html': page('a page'),
  '/404.html': page('not here', { ...fresh, etag: '"e"', 'last-modified': new Date(0).toUTCString() }),
};

async function start(told: Partial<WebsiteRules> = {}, own: Pages = {}, options: WebGatewayOptions = {}) {
  const all = { ...pages, ...own };
  const answers = (asked: OriginRequest) => {
    const said = all[asked.url] ?? missing();
    return typeof said === 'function' ? said(asked) : said;
  };
  const website = { ...rules, ...told };
  ({ origin, gateway } = await startWebGateway(answers, { website, ...options }));
}

/** Status, and target or body of what a browser gets. */
async function browse(path: string, headers: Record<string, string> = {}, method = 'GET', worker = 0) {
  const { status, body, headers: said } = await gateway.send(method, path, headers, worker);
  return [status, said.location ?? body.toString()];
}

async function inFlight(): Promise<number> {
  const families = (await Promise.all(gateway.metrics.map(each => each.snapshot()))).flat();
  const values = families
    .filter(({ name }) => name === 'tidegate_requests_in_flight')
    .flatMap(each => each.values);
  return values.reduce((sum, { value }) => sum + value, 0);
}

const asked = () => origin.asked.map(({ method, url }) => `${method} ${url}`);

describe('a web origin as a website', () => {
  it('a path that ends in a slash is the document of that folder, whatever it is called by', async () => {
    await start();
    expect(await browse('/')).toEqual([200, 'home']);
    expect(await browse('/docs/')).toEqual([200, 'docs']);
    expect(await browse('/docs/index.html')).toEqual([200, 'docs']);
    expect((await gateway.head('/docs/')).headers).toMatchObject({ etag: '"d"', 'x-cache': 'HIT' });
    expect(await browse('/page.html')).toEqual([200, 'a page']);
    expect(asked()).toEqual(['GET /index.html', 'GET /docs/index.html', 'GET /page.html']);
  });

  it('its conditions and ranges are those of the document', async () => {
    await start();
    for (const _ of ['cold', 'held']) {
      expect(await browse('/docs/', { range: 'bytes=1-2' })).toEqual([206, 'oc']);
      expect((await gateway.get('/docs/', { 'if-none-match': '"d"' })).status).toBe(304);
    }
  });

  it('a change of a folder ends what is held of its document', async () => {
    await start({}, { '/docs/': { status: 204, head: {} } });
    await browse('/docs/');
    expect((await gateway.send('POST', '/docs/')).status).toBe(204);
    await browse('/docs/');
    expect(asked()).toEqual(['GET /docs/index.html', 'POST /docs/', 'GET /docs/index.html']);
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs?a=1', '/docs/?a=1'],
    ['//docs', '/.//docs/'],
  ])('%s is sent on to its folder', async (path, location) => {
    const index = page('docs');
    await start({}, { '/docs/index.html?a=1': index, '//docs/index.html': index });
    expect(await browse(path)).toEqual([302, location]);
    const again = await gateway.get(path);
    expect([again.status, again.headers.location]).toEqual([302, location]);
    expect(again.headers['cache-control']).toBeUndefined();
    expect(await browse(path, {}, 'HEAD')).toEqual([302, location]);
  });

  it('the bucket without its slash is sent on, and one at another host is not', async () => {
    await start({}, {}, { name: 'web', domain: 'cdn.test' });
    expect(await browse('/web')).toEqual([302, '/web/']);
    expect(await browse('/web/docs')).toEqual([302, '/web/docs/']);
    expect(await browse('/', { host: 'web.cdn.test' })).toEqual([200, 'home']);
    expect(await browse('/docs', { host: 'web.cdn.test' })).toEqual([302, '/docs/']);
  });

  it('what is missing has the document for errors, and everything else of the error', async () => {
    const date = new Date(Date.now() - 9_000).toUTCString();
    const gone = {
      'cache-control': 'max-age=30',
      date,
      age: '4',
      'x-own': 'error',
      vary: 'Foo',
      etag: '"x"',
    };
    await start({}, { '/none': missing(gone), '/404.html': page('not here', { ...fresh, vary: 'Bar' }) });
    const asked = { range: 'bytes=0-1', 'if-none-match': '*' };
    for (const expected of ['MISS', 'HIT']) {
      const { status, headers, body } = await gateway.get('/none', asked);
      expect([status, body.toString()]).toEqual([404, 'not here']);
      expect(headers).toMatchObject({
        ...{ 'cache-control': 'max-age=30', date, 'x-own': 'error', vary: 'Foo, Bar' },
        ...{ 'content-type': 'text/html', 'content-length': '8', 'x-cache': expected },
      });
      expect(Number(headers.age)).toBeGreaterThanOrEqual(4);
      for (const name of ['etag', 'last-modified', 'accept-ranges'])
        expect(headers[name], name).toBeUndefined();
    }
    const others = origin.asked.filter(({ url }) => url !== '/none');
    expect(others.map(({ url }) => url)).toContain('/404.html');
    for (const { headers } of others)
      expect([headers.range, headers['if-none-match']]).toEqual([undefined, undefined]);
    const head = await gateway.head('/none');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([404, '8', 0]);
  });

  it('a document with a strong tag, and one that is never held, serve errors too', async () => {
    await start({ error: '/e/404.html' }, { '/e/404.html': page('not here', { ...fresh, etag: '"e"' }) });
    for (const _ of ['cold', 'held']) {
      const { status, headers, body } = await gateway.get('/none');
      expect([status, body.toString(), headers.etag]).toEqual([404, 'not here', undefined]);
    }
    expect(await browse('/e/404.html')).toEqual([200, 'not here']);
    expect(asked().filter(line => line === 'GET /e/404.html')).toHaveLength(1);
  });

  it('a document that is not for all makes an error that nobody keeps', async () => {
    const own = { ...html, 'cache-control': 'private, max-age=60', 'set-cookie': 'a=b' };
    const error = missing({ 'cache-control': 'public, max-age=60', 'cdn-cache-control': 'max-age=60' });
    await start({}, { '/none': error, '/404.html': page('yours', own) });
    for (const _ of ['cold', 'held']) {
      const { headers, body } = await gateway.get('/none');
      expect(body.toString()).toBe('yours');
      expect([headers['cache-control'], headers['set-cookie']]).toEqual(['no-store', undefined]);
      expect(headers['cdn-cache-control']).toBeUndefined();
    }
  });

  it('errors are those of the origin where there is no document for them', async () => {
    const held = missing({ 'cache-control': 'max-age=60', 'x-own': 'error' });
    await start({ error: 'gone.html' }, { '/held': held });
    for (const path of ['/none', '/held', '/held'])
      expect(await browse(path)).toEqual([404, 'the origin has none']);
    expect((await gateway.get('/held')).headers).toMatchObject({ 'x-own': 'error', 'x-cache': 'HIT' });
    expect(asked().slice(0, 3)).toEqual(['GET /none', 'GET /none/index.html', 'GET /gone.html']);
  });

  it('an error too long to be held back is asked for once more', async () => {
    // more than connections hold besides, so that the answer is over only once it was given up
    const body = 'x'.repeat(32 * 2 ** 20);
    await start({ error: undefined }, { '/none': { status: 404, head: html, body } });
    const { answer } = origin;
    const over = Promise.withResolvers<void>();
    origin.answer = (request, response) => {
      if (request.url === '/none') response.on('close', () => over.resolve());
      if (request.url === '/none') answer(request, response);
      else void over.promise.then(() => answer(request, response));
    };
    const { status, body: got } = await gateway.get('/none');
    expect([status, got.length, got.toString() === body]).toEqual([404, body.length, true]);
    expect(asked()).toEqual(['GET /none', 'GET /none/index.html', 'GET /none']);
  });

  it('other statuses have documents where that is configured', async () => {
    await start({ errorFor: [403, 404] }, { '/no': { status: 403, head: {}, body: 'no' } });
    expect(await browse('/no')).toEqual([403, 'not here']);
    await gateway.close();
    await origin.close();
    await start({}, { '/no': { status: 403, head: {}, body: 'no' } });
    expect(await browse('/no')).toEqual([403, 'no']);
  });

  it('folders stay as they are where no redirects are wanted', async () => {
    await start({ redirects: false });
    expect(await browse('/docs')).toEqual([404, 'not here']);
  });

  it('a preflight for a folder is answered by the rules of its document', async () => {
    const cors = {
      ...{ allowOrigins: ['https://a.test'], allowMethods: ['GET'], allowHeaders: ['x-own'] },
      ...{ exposeHeaders: [], allowCredentials: false, maxAgeS: undefined },
    };
    await start({}, {}, { keyRules: [{ keys: ['/docs/index.html'], cors }] });
    const preflight = { origin: 'https://a.test', 'access-control-request-method': 'GET' };
    for (const [method, headers] of [
      ['OPTIONS', preflight],
      ['GET', { origin: 'https://a.test' }],
    ] as const) {
      const answer = await gateway.send(method, '/docs/', headers);
      expect(answer.headers['access-control-allow-origin']).toBe('https://a.test');
    }
    expect(asked()).toEqual(['GET /docs/index.html']);
  });

  it('methods that change something are passed on as they are', async () => {
    await start();
    expect(await browse('/none', {}, 'DELETE')).toEqual([404, 'the origin has none']);
    expect(asked()).toEqual(['DELETE /none']);
  });

  it('who wants only what is held gets nothing else', async () => {
    await start({}, { '/none': missing(fresh) }, { policy: { clientDirectives: 'honour' } });
    await browse('/none');
    const before = asked().length;
    expect(await browse('/none', { 'cache-control': 'only-if-cached' })).toEqual([404, 'not here']);
    expect(asked()).toHaveLength(before);
    expect((await gateway.get('/other', { 'cache-control': 'only-if-cached' })).status).toBe(504);
  });

  it('what one client may have decides of no other', async () => {
    const own =
      (yes: WebAnswer) =>
      ({ headers }: OriginRequest): WebAnswer =>
        headers.authorization ? yes : { status: 401, head: { 'www-authenticate': 'Basic' }, body: 'who?' };
    await start(
      {},
      { '/own': missing(fresh), '/own/index.html': own(page('own')), '/404.html': own(page('yours')) },
    );
    const credentials = { authorization: 'Basic x' };
    expect(await browse('/own', credentials)).toEqual([302, '/own/']);
    expect(await browse('/own')).toEqual([404, 'the origin has none']);
    expect(await browse('/none', credentials)).toEqual([404, 'yours']);
    expect(await browse('/none')).toEqual([404, 'the origin has none']);
    expect(await browse('/own', credentials)).toEqual([302, '/own/']);
  });

  it('the same from any worker, each asking for what is held once', async () => {
    await start({}, { '/none': missing(fresh), '/none/index.html': missing(fresh) }, { workers: 3 });
    for (const _ of ['cold', 'held'])
      for (const worker of [0, 1, 2]) {
        expect(await browse('/none', {}, 'GET', worker)).toEqual([404, 'not here']);
        expect(await browse('/docs', {}, 'GET', worker)).toEqual([302, '/docs/']);
        expect(await browse('/docs/', {}, 'GET', worker)).toEqual([200, 'docs']);
        expect(await browse('/else', {}, 'GET', worker)).toEqual([404, 'not here']);
      }
    expect(asked().filter(line => line === 'GET /404.html')).toHaveLength(1);
    expect(asked().filter(line => line === 'GET /docs/index.html')).toHaveLength(1);
  });

  it('a client that leaves while its document is looked for ends the question', async () => {
    await start();
    const { answer } = origin;
    const closed = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    origin.answer = (request, response) => {
      if (request.url !== '/none/index.html') return answer(request, response);
      response.on('close', () => closed.resolve());
      reached.resolve();
    };
    const { port } = new URL(gateway.url());
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /none HTTP/1.1\r\nhost: a\r\n\r\n');
    await reached.promise;
    socket.destroy();
    await closed.promise;
    expect(asked()).toEqual(['GET /none', 'GET /none/index.html']);
    expect(await browse('/page.html')).toEqual([200, 'a page']);
  });

  it('an origin that gives no answer is no refusal of the gateway', async () => {
    await start();
    origin.answer = (_, response) => response.destroy();
    const { status, headers } = await gateway.get('/page.html');
    expect([status, headers['x-cache']]).toEqual([503, 'MISS']);
    expect(headers['cache-status']).toMatch(/^tidegate; fwd=miss; detail=/);
  });

  it.each([
    ['503', { status: 503, head: { 'retry-after': '7' }, body: 'later' }, 503],
    ['429', { status: 429, head: {}, body: 'slower' }, 429],
    ['nothing', undefined, 503],
    ['403', { status: 403, head: {}, body: 'not you' }, 404],
  ])(
    'of a folder that the origin answers with %s for, only what says so is not there',
    async (_, said, expected) => {
      await start(said && { index: 'index.html' }, said && { '/none/index.html': said });
      const { answer } = origin;
      if (!said)
        origin.answer = (request, response) =>
          request.url === '/none/index.html' ? response.destroy() : answer(request, response);
      for (const _time of ['first', 'again']) {
        const { status, headers, body } = await gateway.get('/none');
        expect(status).toBe(expected);
        expect(headers['retry-after']).toBe(said?.status === 503 ? '7' : said ? undefined : '1');
        if (said) expect(body.toString()).toBe(expected === 404 ? 'not here' : said.body);
      }
      origin.answer = answer;
      expect(await browse('/docs')).toEqual([302, '/docs/']);
    },
  );

  it('the document for an error is told to be fresh as long as the error is, whose head it has', async () => {
    await start({}, { '/nothing': missing({ 'cache-control': 'max-age=40' }) });
    for (const _time of ['first', 'second']) await gateway.get('/nothing');
    const { status, headers, body } = await gateway.get('/nothing');
    expect([status, body.toString(), headers['x-cache']]).toEqual([404, 'not here', 'HIT']);
    expect(headers['cache-status']).toMatch(/^tidegate; hit; ttl=(?:[0-9]|[1-3][0-9]|40)$/);
  });

  it('a stale error whose document had to be asked for is no hit', async () => {
    const stale = missing({ 'cache-control': 'max-age=0, stale-while-revalidate=60' });
    const unkept = page('not here', { 'cache-control': 'no-store' });
    const policy = { maxStaleMs: 60_000 };
    await start({}, { '/nothing': stale, '/404.html': unkept }, { policy });
    await gateway.get('/nothing');
    const { status, headers, body } = await gateway.get('/nothing');
    expect([status, body.toString(), headers['x-cache']]).toEqual([404, 'not here', 'MISS']);
    expect(headers['cache-status']).toMatch(/^tidegate; fwd=/);
  });

  it('an error is as old as it is when its document has come, which is told of under its own key', async () => {
    const clock = new ManualClock(Date.now());
    const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
    const { promise: mayGo, resolve: go } = Promise.withResolvers<void>();
    await start(
      { error: 'slow.html' },
      { '/nothing': missing({ 'cache-control': 'max-age=60' }) },
      { clock, policy: { showKey: true } },
    );
    const { answer } = origin;
    origin.answer = (request, response) => {
      if (request.url !== '/slow.html') return answer(request, response);
      wasAsked();
      void mayGo.then(() => response.writeHead(200, { 'cache-control': 'no-store' }).end('not here'));
    };
    const first = gateway.get('/nothing');
    await asked;
    clock.advance(2_000);
    const second = gateway.get('/nothing');
    await vi.waitFor(async () => expect(await inFlight()).toBe(2));
    clock.advance(3_000);
    go();
    await first;
    const { headers, body } = await second;
    expect([body.toString(), headers.age]).toEqual(['not here', '5']);
    expect(headers['cache-status']).toMatch(/; key="[^"]*\/slow\.html"$/);
  });

  it('tells one age where bytes of its document come from the origin', async () => {
    const clock = new ManualClock(Date.now());
    const head = { ...fresh, etag: '"e"' };
    const document = ({ headers }: OriginRequest): WebAnswer => {
      const [, first = '0', last = '7'] = /^bytes=(\d)-(\d?)/.exec(headers.range ?? '') ?? [];
      const body = 'not here'.slice(Number(first), Number(last || 7) + 1);
      const part = { ...head, 'content-range': `bytes ${first}-${last || 7}/8` };
      return headers.range === undefined ? page(body, head) : { status: 206, head: part, body };
    };
    const gone = missing({ 'cache-control': 'max-age=60' });
    await start({}, { '/gone': gone, '/404.html': document }, { clock });
    await gateway.get('/gone');
    gateway.gateways[0]?.purge({ kind: 'key', bucket: '/', key: '/404.html' });
    await gateway.get('/404.html', { range: 'bytes=0-2' });
    clock.advance(7_000);
    const [heard] = await talk(gateway.url(), 'GET /gone HTTP/1.1\r\nhost: h\r\n\r\n', 1);
    expect(heard?.head).toMatch(/^HTTP\/1.1 404 /);
    expect(heard?.head.match(/^age: .*$/gim)).toEqual(['age: 7']);
  });

  it('an error with a document is shown as rules have it for what was asked for', async () => {
    const gone = missing({ 'cache-control': 'max-age=40', 'cdn-cache-control': 'max-age=20' });
    const shown = { ...defaultPolicy, targetedCacheControl: 'pass', showKey: true } as const;
    const hidden = { ...shown, targetedCacheControl: 'strip', showKey: false } as const;
    const keyRules = [
      { keys: ['/gone'], cache: hidden },
      { keys: ['/404.html'], cache: shown },
    ];
    await start({}, { '/gone': gone }, { keyRules });
    for (const how of ['MISS', 'HIT', 'HIT']) {
      const { status, headers } = await gateway.get('/gone');
      expect([status, headers['x-cache'], headers['cdn-cache-control']]).toEqual([404, how, undefined]);
      expect(headers['cache-status']).not.toContain('key=');
    }
  });

  it('what is held and does not fit (416) is told as what it is, a hit', async () => {
    await start();
    await gateway.get('/docs/');
    const refused = await gateway.get('/docs/', { range: 'bytes=9000-' });
    expect(refused.status).toBe(416);
    expect([refused.headers['x-cache'], refused.headers['cache-status']]).toEqual([
      'HIT',
      expect.stringMatching(/^tidegate; hit; ttl=\d+$/),
    ]);
  });

  it('an origin that fails at the document for errors leaves the error as it was', async () => {
    await start();
    const { answer } = origin;
    origin.answer = (request, response) =>
      request.url === '/404.html' ? response.destroy() : answer(request, response);
    expect(await browse('/none')).toEqual([404, 'the origin has none']);
  });
});
