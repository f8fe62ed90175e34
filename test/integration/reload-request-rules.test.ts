import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { type OriginRequest, ScriptedOrigin } from '../support/scripted-origin.ts';
import { describingContent } from '../support/self-describing.ts';
import { copyOf } from '../support/stand-in/content.ts';
import { turnsUntil } from '../support/turns-until.ts';

async function startOrigin(answer: (asked: OriginRequest, response: ServerResponse) => void) {
  const origin = await ScriptedOrigin.start(answer);
  onTestFinished(() => origin.close());
  return origin;
}

async function startGateway(setup: GatewaySetup): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(setup);
  onTestFinished(async () => void (await gateway.stop()));
  return gateway;
}

/** Answers like a store, or a web origin, that has `body` everywhere. */
function answerFrom(body: Buffer, { method, headers }: OriginRequest, response: ServerResponse): void {
  const [, first = '0', last = body.length - 1] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
  const part = body.subarray(Number(first), Number(last) + 1);
  response.writeHead(headers.range ? 206 : 200, {
    ...{ etag: '"1"', 'content-length': part.length },
    ...(headers.range && {
      'content-range': `bytes ${first}-${Number(first) + part.length - 1}/${body.length}`,
    }),
  });
  response.end(method === 'HEAD' ? undefined : part);
}

describe.each([1, 2])('a reload with %d workers that changes what requests to a store say', workers => {
  const sizeBytes = 5 * 2 ** 20;
  const body = Buffer.from(copyOf(describingContent({ object: 1, version: 1 }, sizeBytes)));
  const paths = Array.from({ length: 4 }, (_, index) => `/b/k${index}`);

  it.each([
    ['s3', { credentials: 'none', keys: 'exact' }, [{ actions: ['GetObject'], keys: ['**'] }]],
    ['http', {}, undefined],
  ])('is followed for the rest of what is held in part of type %s', async (type, options, anonymous) => {
    let expected = 'old';
    const origin = await startOrigin((asked, response) => {
      if (asked.headers['x-token'] === expected) answerFrom(body, asked, response);
      else response.writeHead(403).end();
    });
    const setup = (token: string): GatewaySetup => ({
      ...{ workers, memory: '64MiB' },
      backends: { main: { type, endpoint: origin.url, ...options } },
      buckets: {
        b: {
          ...{ backend: 'main', access: 'public', cache: { ttl: '1h' }, ...(anonymous && { anonymous }) },
          rules: [{ keys: ['**'], requestHeaders: { set: { 'x-token': token } } }],
        },
      },
    });
    const gateway = await startGateway(setup('old'));
    const read = async (path: string, headers: Record<string, string> = {}) => {
      const reply = await fetch(gateway.url + path, { headers });
      return [reply.status, Buffer.from(await reply.arrayBuffer())] as const;
    };
    const range = { range: 'bytes=0-99' };
    for (const path of paths) expect(await read(path, range)).toEqual([206, body.subarray(0, 100)]);
    expected = 'new';
    gateway.rewrite(setup('new'));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    const before = origin.asked.length;
    for (const path of paths) {
      const [status, bytes] = await read(path);
      expect([status, bytes.equals(body)]).toEqual([200, true]);
    }
    const tokens = new Set(origin.asked.slice(before).map(({ headers }) => headers['x-token']));
    expect(tokens).toEqual(new Set(['new']));
  });
});

it.each([
  ['s3', { credentials: 'none', keys: 'exact' }, [{ actions: ['GetObject'], keys: ['**'] }]],
  ['http', {}, undefined],
])(
  'after a reload that says bypass, no worker uses what is stored of type %s',
  async (type, options, anonymous) => {
    let version = '1';
    const origin = await startOrigin((_asked, response) => {
      const head = { 'cache-control': 'max-age=600', 'content-length': 1, etag: `"${version}"` };
      response.writeHead(200, head).end(version);
    });
    const setup = (mode: string): GatewaySetup => ({
      ...{ workers: 2, memory: '64MiB' },
      backends: { main: { type, endpoint: origin.url, ...options } },
      buckets: { b: { backend: 'main', access: 'public', cache: { mode }, ...(anonymous && { anonymous }) } },
    });
    const gateway = await startGateway(setup('cache'));
    const paths = Array.from({ length: 8 }, (_, index) => `/b/k${index}`);
    /** By connections of their own, which come to any worker. */
    const readAll = async (times: number) => {
      const texts = new Set<string>();
      for (let time = 0; time < times; time++)
        for (const path of paths) {
          const reply = await fetch(gateway.url + path, { headers: { connection: 'close' } });
          texts.add(`${reply.headers.get('x-cache')} ${await reply.text()}`);
        }
      return texts;
    };
    expect(await readAll(8)).toContain('HIT 1');
    version = '2';
    gateway.rewrite(setup('bypass'));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    expect(await readAll(8)).toEqual(new Set(['BYPASS 2']));
  },
);

it('a bucket tells the origin its languages, and a reload that changes them asks for all anew', async () => {
  const origin = await startOrigin(({ headers }, response) => {
    response.writeHead(200, { 'cache-control': 'max-age=3600', vary: 'accept-language' });
    response.end(headers['accept-language'] ?? 'none');
  });
  const setup = (languages: readonly string[]): GatewaySetup => ({
    memory: '64MiB',
    backends: { main: { type: 'http', endpoint: origin.url } },
    buckets: { b: { backend: 'main', access: 'public', languages } },
  });
  const gateway = await startGateway(setup(['de', 'en']));
  const read = async (accepted: string) => {
    const reply = await fetch(`${gateway.url}/b/k`, { headers: { 'accept-language': accepted } });
    return `${reply.headers.get('x-cache')} ${await reply.text()}`;
  };
  expect(await read('en, de')).toBe('MISS de, en;q=0.9');
  expect(await read('de, en')).toBe('HIT de, en;q=0.9');
  expect(await read('en')).toBe('MISS en');
  gateway.rewrite(setup(['en', 'de']));
  expect(await gateway.reload()).toMatchObject({ status: 200 });
  expect(await read('en')).toBe('MISS en');
  expect(await read('de, en')).toBe('MISS en, de;q=0.9');
});

/** A bucket in which everybody may read everything, with a token for the store. */
const readable = (token: string, place: object) => ({
  ...{ backend: 'main', access: 'public', cache: { ttl: '1h' }, ...place },
  anonymous: [{ actions: ['GetObject'], keys: ['**'] }],
  rules: [{ keys: ['**'], requestHeaders: { set: { 'x-token': token } } }],
});

it.each([
  [
    'has another prefix',
    { a: { bucket: 'data', keyPrefix: 'p/' } },
    '/a/k',
    { a: { bucket: 'data' } },
    '/a/p/k',
  ],
  ['has a prefix', { a: { bucket: 'data' } }, '/a/p/k', { a: { bucket: 'data', keyPrefix: 'p/' } }, '/a/k'],
  ['has another name', { a: { bucket: 'data' } }, '/a/p/k', { b: { bucket: 'data' } }, '/b/p/k'],
  ['has no name of its own', { a: { bucket: 'data' } }, '/a/p/k', { '*': {} }, '/data/p/k'],
  ['got one', { '*': {} }, '/data/p/k', { a: { bucket: 'data' } }, '/a/p/k'],
])(
  'what is held in part of a bucket that %s since is asked for by the rules in force',
  async (_, before, path, after, later) => {
    const body = Buffer.from(copyOf(describingContent({ object: 1, version: 1 }, 3 * 2 ** 20)));
    let expected = 'old';
    const origin = await startOrigin((asked, response) => {
      if (asked.headers['x-token'] === expected) answerFrom(body, asked, response);
      else response.writeHead(403).end();
    });
    const setup = (token: string, buckets: Readonly<Record<string, object>>): GatewaySetup => ({
      ...{ workers: 1, memory: '64MiB' },
      backends: { main: { type: 's3', endpoint: origin.url, credentials: 'none', keys: 'exact' } },
      buckets: Object.fromEntries(
        Object.entries(buckets).map(([name, place]) => [name, readable(token, place)]),
      ),
    });
    const gateway = await startGateway(setup('old', before));
    expect((await fetch(gateway.url + path, { headers: { range: 'bytes=0-99' } })).status).toBe(206);
    expected = 'new';
    gateway.rewrite(setup('new', after));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    const reply = await fetch(gateway.url + later);
    expect([reply.status, Buffer.from(await reply.arrayBuffer()).equals(body)]).toEqual([200, true]);
  },
);

it('bytes of a web origin are none of what its names lead to after a reload, under the same tag', async () => {
  const bodies = [1, 2].map(version =>
    Buffer.from(copyOf(describingContent({ object: 1, version }, 3 * 2 ** 20))),
  );
  const origin = await startOrigin((asked, response) =>
    answerFrom(bodies[asked.url.startsWith('/new') ? 1 : 0] ?? Buffer.alloc(0), asked, response),
  );
  const setup = (keyPrefix: string): GatewaySetup => ({
    ...{ workers: 1, memory: '64MiB' },
    backends: { main: { type: 'http', endpoint: origin.url } },
    buckets: { site: { backend: 'main', access: 'public', keyPrefix, cache: { ttl: '1h' } } },
  });
  const gateway = await startGateway(setup('/old'));
  const range = { range: 'bytes=0-99' };
  expect((await fetch(`${gateway.url}/site/k`, { headers: range })).status).toBe(206);
  gateway.rewrite(setup('/new'));
  expect(await gateway.reload()).toMatchObject({ status: 200 });
  for (const [first, last] of [
    [2_097_152, 2_097_251],
    [0, 99],
    [0, 3_145_727],
  ] as const) {
    const reply = await fetch(`${gateway.url}/site/k`, { headers: { range: `bytes=${first}-${last}` } });
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.equals(bodies[1]?.subarray(first, last + 1) ?? Buffer.of(0))).toBe(true);
  }
});

it('what a visitor asks for after a reload by the rules from before it is for nobody else', async () => {
  const waiting: (() => void)[] = [];
  let isReloaded = false;
  const origin = await startOrigin(({ url, headers }, response) => {
    const refuse = () => void response.writeHead(404, { 'cache-control': 'no-store' }).end();
    if (url === '/error.html') response.end(`document for ${headers.cookie ?? 'everybody'}`);
    else if (isReloaded) refuse();
    else waiting.push(refuse);
  });
  const setup = (rules: object[]): GatewaySetup => ({
    ...{ workers: 4, memory: '64MiB' },
    backends: { web: { type: 'http', endpoint: origin.url } },
    buckets: {
      site: {
        ...{ backend: 'web', access: 'public', cache: { ttl: '1h' }, rules },
        website: { index: 'index.html', error: 'error.html' },
      },
    },
  });
  const gateway = await startGateway(setup([]));
  const text = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${gateway.url}/site${path}`, { headers })).text();
  // connections enough for every worker
  const visits = Array.from({ length: 16 }, (_, index) => text(`/${index}`, { cookie: 'alice' }));
  await turnsUntil('all are asked', () => waiting.length === visits.length);
  gateway.rewrite(setup([{ keys: ['**'], requestHeaders: { remove: ['cookie'] } }]));
  expect(await gateway.reload()).toMatchObject({ status: 200 });
  isReloaded = true;
  for (const answer of waiting) answer();
  expect(new Set(await Promise.all(visits))).toEqual(new Set(['document for alice']));
  const others = await Promise.all(Array.from({ length: 16 }, () => text('/error.html')));
  expect(new Set(others)).toEqual(new Set(['document for everybody']));
});
