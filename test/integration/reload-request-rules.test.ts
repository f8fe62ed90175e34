import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { type OriginRequest, ScriptedOrigin } from '../support/scripted-origin.ts';
import { describingContent } from '../support/self-describing.ts';
import { copyOf } from '../support/stand-in/content.ts';
import { turnsUntil } from '../support/turns-until.ts';

const running: { stop?(): Promise<unknown>; close?(): unknown }[] = [];

afterEach(async () => {
  for (const one of running.splice(0).toReversed()) await (one.stop?.() ?? one.close?.());
});

async function startOrigin(answer: (asked: OriginRequest, response: ServerResponse) => void) {
  const origin = await ScriptedOrigin.start(answer);
  running.push(origin);
  return origin;
}

async function startGateway(setup: GatewaySetup): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(setup);
  running.push(gateway);
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

it('what a visitor asks for after a reload by the rules from before it is for nobody else', async () => {
  const waiting: (() => void)[] = [];
  const origin = await startOrigin(({ url, headers }, response) => {
    if (url === '/error.html') response.end(`document for ${headers.cookie ?? 'everybody'}`);
    else waiting.push(() => void response.writeHead(404, { 'cache-control': 'no-store' }).end());
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
  for (const answer of waiting.splice(0)) answer();
  expect(new Set(await Promise.all(visits))).toEqual(new Set(['document for alice']));
  const others = await Promise.all(Array.from({ length: 16 }, () => text('/error.html')));
  expect(new Set(others)).toEqual(new Set(['document for everybody']));
});
