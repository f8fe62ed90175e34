import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import type { ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { type Head, startWebGateway } from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;
let clock: ManualClock;
/** What the origin says to HEAD; that it fails, where there is none. */
let told: { readonly status: number; readonly head: Head } | undefined;

const page = { etag: '"1"', 'cache-control': 'max-age=1' };

beforeEach(async () => {
  clock = new ManualClock(Date.now());
  told = undefined;
  ({ origin, gateway } = await startWebGateway(
    ({ method }) => {
      const date = new Date(clock.nowMs()).toUTCString();
      if (origin.asked.length === 1) return { date, ...page };
      if (method !== 'HEAD' || !told) return { status: 503, head: { date } };
      return { ...told, head: { date, ...told.head } };
    },
    { clock, policy: { staleIfErrorMs: 600_000, maxStaleMs: 600_000, clientDirectives: 'honour' } },
  ));
});

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

/** What GET gets where the origin fails, after HEAD was told `status` of a page that is stale. */
async function afterHead(
  status: number,
  head: Head = {},
  headers: Record<string, string> = {},
): Promise<number> {
  await gateway.get('/');
  clock.advance(2_000);
  told = { status, head };
  expect((await fetch(gateway.url(), { method: 'HEAD', headers })).status).toBe(status);
  clock.advance(2_000);
  return (await gateway.get('/')).status;
}

it.each([
  ['HEAD', {}, 200],
  ['GET', { 'if-none-match': '"1"' }, 304],
])(
  '%s %j is told how old an answer is whose body is still coming (RFC 9111 §4.2.3)',
  async (method, headers, status) => {
    const { promise: begun, resolve } = Promise.withResolvers<ServerResponse>();
    origin.answer = (_, response) => {
      const date = new Date(clock.nowMs()).toUTCString();
      response
        .writeHead(200, { date, etag: '"1"', 'cache-control': 'max-age=60', age: '50' })
        .write('half of ');
      resolve(response);
    };
    const first = await fetch(gateway.url());
    clock.advance(4_000);
    const answer = await gateway.send(method, '/', headers);
    expect([answer.status, answer.headers.age]).toEqual([status, '54']);
    (await begun).end('it');
    expect(await first.text()).toBe('half of it');
  },
);

it.each([401, 403, 404])('GET that is told %i ends what is stored', async status => {
  await gateway.get('/');
  clock.advance(2_000);
  const { answer } = origin;
  origin.answer = (_, response) => void response.writeHead(status).end();
  expect((await gateway.get('/')).status).toBe(status);
  origin.answer = answer;
  clock.advance(2_000);
  expect((await gateway.get('/')).status).not.toBe(200);
  expect((await gateway.get('/', { 'cache-control': 'max-stale=600' })).status).not.toBe(200);
});

describe.each(['GET', 'HEAD'])('what %s is told ends nothing that is fresh', method => {
  it.each([
    [401, {}],
    [403, {}],
    [404, { 'cache-control': 'no-store' }],
    [200, { 'cache-control': 'no-store' }],
    [200, { 'cache-control': 'private', etag: '"1"' }],
    [302, {}],
  ])('%i %o, but is the last word where it is stale', async (status, head) => {
    await gateway.get('/');
    const { answer } = origin;
    origin.answer = (_, response) => void response.writeHead(status, head).end();
    const asked = await fetch(gateway.url(), {
      method,
      redirect: 'manual',
      headers: { 'cache-control': 'no-cache' },
    });
    expect(asked.status).toBe(status);
    origin.answer = answer;
    expect((await gateway.get('/')).headers['x-cache']).toBe('HIT');
    clock.advance(2_000);
    expect((await gateway.get('/')).status).toBe(503);
  });
});

it('what was refused is served stale again once it was confirmed', async () => {
  await gateway.get('/');
  clock.advance(2_000);
  const { answer } = origin;
  origin.answer = (_, response) => void response.writeHead(403).end();
  expect((await gateway.get('/')).status).toBe(403);
  const date = new Date(clock.nowMs()).toUTCString();
  origin.answer = (asked, response) =>
    void response.writeHead(asked.headers['if-none-match'] === '"1"' ? 304 : 500, { date, ...page }).end();
  expect((await gateway.get('/')).status).toBe(200);
  origin.answer = answer;
  clock.advance(2_000);
  expect((await gateway.get('/')).headers['x-cache']).toBe('STALE');
});

describe('what HEAD is told ends what is stored, as if GET had been', () => {
  it.each([401, 403, 404, 410, 451, 302])('%i', async status => {
    expect(await afterHead(status)).toBe(503);
  });

  it('404 that says for how long it is so', async () => {
    expect(await afterHead(404, { 'cache-control': 'max-age=600' })).toBe(503);
  });

  it.each(['no-store', 'private'])('200 with %s', async control => {
    expect(await afterHead(200, { etag: '"1"', 'cache-control': control })).toBe(503);
  });

  it('200 with another tag that says nothing of its freshness', async () => {
    expect(await afterHead(200, { etag: '"2"' })).toBe(503);
  });
});

describe('HEAD that tells of something else leaves what is stored to be confirmed', () => {
  it.each<[string, Head]>([
    ['another tag', { etag: '"2"' }],
    ['another length', { etag: '"1"', 'content-length': '1000' }],
  ])('%s', async (_, head) => {
    await gateway.get('/');
    const { answer } = origin;
    origin.answer = (_, response) => void response.writeHead(200, { ...page, ...head }).end();
    const fresh = { 'cache-control': 'no-cache' };
    expect((await fetch(gateway.url(), { method: 'HEAD', headers: fresh })).status).toBe(200);
    origin.answer = answer;
    expect((await gateway.get('/')).status).toBe(503);
    expect(origin.asked.at(-1)?.headers['if-none-match']).toBe('"1"');
  });
});

it('a tag that HEAD leaves out is not said to be another one', async () => {
  await gateway.get('/');
  origin.answer = (_, response) => void response.writeHead(200, { 'cache-control': 'max-age=1' }).end();
  const fresh = { 'cache-control': 'no-cache' };
  expect((await fetch(gateway.url(), { method: 'HEAD', headers: fresh })).status).toBe(200);
  expect((await gateway.get('/')).headers['x-cache']).toBe('HIT');
});

describe('what HEAD is told leaves what is stored', () => {
  it.each([
    ['that is about the request', 400],
    ['that there are too many', 429],
    ['that it knows no HEAD', 405],
    ['that it knows no HEAD', 501],
    ['what no registry knows', 418],
    ['a part', 206],
  ])('where it is %s (%i)', async (_, status) => {
    expect(await afterHead(status)).toBe(200);
  });

  it('where it is the same', async () => {
    expect(await afterHead(200, page)).toBe(200);
  });

  it('where it was asked by one client for itself', async () => {
    expect(await afterHead(404, {}, { cookie: 'sid=1' })).toBe(200);
  });
});

describe('a new version that is too long to be kept ends what is stored', () => {
  const long = Buffer.alloc(9 * 2 ** 20, 'x');
  it.each<[string, Head, string?]>([
    ['by its length', { etag: 'W/"2"', 'content-length': String(long.length) }],
    ['as its bytes tell', { etag: 'W/"2"' }],
    ['as the bytes under a strong tag tell', { etag: '"2"' }],
    [
      'by its length, for who sends a cookie',
      { etag: 'W/"2"', 'content-length': String(long.length) },
      '_ga=1',
    ],
  ])('%s', async (_, head, cookie = '') => {
    await gateway.get('/');
    clock.advance(2_000);
    const { answer } = origin;
    origin.answer = (_, response) => void response.writeHead(200, { ...page, ...head }).end(long);
    expect((await gateway.get('/', { ...(cookie && { cookie }) })).body.equals(long)).toBe(true);
    origin.answer = answer;
    expect((await gateway.get('/')).status).toBe(503);
  });
});

it('a new version that is a stream of events, which does not end, ends what is served while that is asked for', async () => {
  const head = { 'cache-control': 'max-age=1, stale-while-revalidate=600' };
  origin.answer = (_, response) => void response.writeHead(200, head).end('page');
  await gateway.get('/');
  clock.advance(2_000);
  const left = Promise.withResolvers<void>();
  origin.answer = (_, response) => {
    response.on('close', () => left.resolve());
    response.writeHead(200, { ...head, 'content-type': 'text/event-stream; charset=utf-8' }).write('data: 1');
  };
  expect((await gateway.get('/')).headers['x-cache']).toBe('STALE');
  // nobody waits for it
  await left.promise;
  origin.answer = (_, response) => void response.writeHead(200, head).end('the end');
  expect((await gateway.get('/')).body.toString()).toBe('the end');
});

describe('what is asked for otherwise under the same name', () => {
  const otherwise = { 'hx-request': 'true', 'cache-control': 'no-cache' };

  it.each([200, 304])('and answered %i, leaves what is stored as it is', async status => {
    await gateway.get('/');
    clock.advance(2_000);
    const { answer } = origin;
    origin.answer = (_, response) =>
      void response
        .writeHead(status, { ...page, 'x-fragment': 'yes' })
        .end(status === 304 ? '' : 'a fragment');
    const fragment = await gateway.get('/', otherwise);
    expect(fragment.body.toString()).toBe(status === 304 ? 'answer 1' : 'a fragment');
    origin.answer = answer;
    const { status: got, headers, body } = await gateway.get('/');
    expect([got, body.toString(), headers['x-cache'], headers['x-fragment']]).toEqual([
      ...[200, 'answer 1', 'STALE', undefined],
    ]);
  });
});

it.each(['PROPFIND', 'REPORT', 'SEARCH', 'QUERY'])(
  '%s, which changes nothing, ends nothing',
  async method => {
    const { answer } = origin;
    await gateway.get('/');
    origin.answer = (_, response) => void response.writeHead(207).end('found');
    expect((await gateway.send(method, '/')).status).toBe(207);
    origin.answer = (_, response) => void response.destroy();
    expect((await gateway.send(method, '/')).status).not.toBe(207);
    origin.answer = answer;
    expect((await gateway.get('/')).headers['x-cache']).toBe('HIT');
  },
);

it('why the origin was asked is told (RFC 9211 §2.2)', async () => {
  origin.answer = (_, response) =>
    void response.writeHead(200, { etag: '"1"', vary: 'x-kind', 'cache-control': 'max-age=60' }).end('page');
  const why = async (method: string, headers: Record<string, string> = {}) =>
    /fwd=([a-z-]+)/.exec(String((await gateway.send(method, '/', headers)).headers['cache-status']))?.[1];
  expect(await why('GET')).toBe('uri-miss');
  expect(await why('GET')).toBeUndefined();
  expect(await why('GET', { 'cache-control': 'no-cache' })).toBe('request');
  expect(await why('GET', { 'x-kind': 'b' })).toBe('vary-miss');
  await gateway.send('POST', '/');
  expect(await why('GET')).toBe('stale');
  expect(await why('GET', { 'x-kind': 'c' })).toBe('vary-miss');
  clock.advance(61_000);
  expect(await why('GET')).toBe('stale');
});
