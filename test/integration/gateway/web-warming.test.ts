import { EventEmitter, once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { warmRoute } from '../../../src/admin/warm-route.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { runProgram } from '../../../src/cli/program.ts';
import type { WebRules } from '../../../src/gateway/request/bucket.ts';
import { startAdminServer } from '../../support/admin-server.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { type OriginRequest, ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';
import { linesOf, warmThrough } from '../../support/warm-run.ts';

const fresh = { 'cache-control': 'max-age=3600' };
const tagged = { ...fresh, etag: '"1"' };
const yaml =
  'backends: { o: { type: http, endpoint: "http://127.0.0.1:1" } }\nbuckets: { web: { backend: o, access: public } }';

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway?.close();
  await origin?.close();
});

type Options = Partial<TestGatewayOptions> & { readonly rules?: Partial<WebRules> };

async function start(
  answer: (asked: OriginRequest, response: ServerResponse) => void,
  { rules, ...options }: Options = {},
) {
  origin = await ScriptedOrigin.start(answer);
  gateway = await TestGateway.start({
    ...{ storeUrl: 'http://127.0.0.1:1', buckets: {}, workers: 2, ...options },
    web: { url: origin.url, ...(rules && { rules }) },
    policy: { ttlMs: 0, ...options.policy },
  });
}

/** Answers with `body` below `head`, whatever is asked. */
function always(head: Record<string, string | string[]>, body: string | Buffer = 'page', status = 200) {
  return (_asked: OriginRequest, response: ServerResponse) => void response.writeHead(status, head).end(body);
}

const warmer = () => warmThrough(gateway.gateways, yaml);

function warm(keys: string[], signal?: AbortSignal) {
  return linesOf(warmer(), { bucket: 'web', what: { keys } }, signal);
}

/** What one key has come to: its own line, if it has one, and what it is counted as. */
async function warmOne(key: string) {
  const lines = await warm([key]);
  const counted = lines.at(-1) as Record<string, number>;
  const kind = ['warmed', 'held', 'uncached', 'failed'].find(name => counted[name] === 1);
  return [kind, ...lines.slice(0, -1)];
}

/** Whether a client of every worker gets a page without a question to the origin. */
async function isHeld(path: string, headers: Record<string, string> = {}): Promise<boolean> {
  const before = origin.asked.length;
  for (const worker of gateway.gateways.keys())
    expect((await gateway.get(`/web${path}`, headers, worker)).status).toBe(200);
  return origin.asked.length === before;
}

const asked = () => origin.asked.map(({ url }) => url);

describe.each([1, 2])('with %i workers', workers => {
  const everyWorker = Array.from({ length: workers }, (_, worker) => worker);
  const keys = Array.from({ length: 8 }, (_, index) => `/p?id=${index}&x=%C3%A9`);

  it('what was fetched by its path and query is held for every worker, and not asked for again', async () => {
    await start((question, response) => void response.writeHead(200, fresh).end(question.url), { workers });
    const bytes = keys.join('').length;
    expect(await warm(keys)).toEqual([
      {
        ...{ keys: 8, warmed: 8, held: 0, uncached: 0, failed: 0 },
        ...{ bytes, last: keys.at(-1), complete: true },
      },
    ]);
    for (const worker of everyWorker)
      for (const key of keys) {
        const { body } = await gateway.get(`/web${key}`, {}, worker);
        expect(body.toString()).toBe(key);
      }
    expect((await warm(keys)).at(-1)).toMatchObject({ warmed: 0, held: 8, bytes });
    expect(asked().sort()).toEqual(keys);
  });

  it('is asked in nobody’s name, by a whole GET', async () => {
    await start(always(fresh), { workers });
    await warm(['/a']);
    const { method, headers } = origin.asked[0] as OriginRequest;
    const { host, connection, ...said } = headers;
    expect([method, said]).toEqual(['GET', { via: '1.1 tidegate', 'user-agent': 'tidegate', accept: '*/*' }]);
  });

  it('a body under a strong tag is held whole', async () => {
    const body = Buffer.alloc(3 * 2 ** 20 + 7, 'self');
    await start(always({ ...tagged, 'content-length': String(body.length) }, body), { workers });
    for (const key of keys) expect(await warmOne(key)).toEqual(['warmed']);
    for (const key of keys) expect(await isHeld(key)).toBe(true);
  });

  it('who asks meanwhile waits for the same question, and a run for that of a client', async () => {
    const held: (() => void)[] = [];
    await start(
      (_question, response) => void held.push(() => void response.writeHead(200, fresh).end('page')),
      {
        workers,
      },
    );
    const run = warm(keys);
    await turnsUntil('two are asked', () => held.length === 2);
    const readers = everyWorker.map(worker => gateway.get(`/web${keys[0]}`, {}, worker));
    const other = gateway.get(`/web${keys[7]}`, { 'user-agent': 'other' });
    await turnsUntil('three are asked', () => held.length === 3);
    while (held.length > 0 || origin.asked.length < 8) {
      for (const answer of held.splice(0)) answer();
      await new Promise(setImmediate);
    }
    for (const { status, body } of await Promise.all([...readers, other]))
      expect([status, body.toString()]).toEqual([200, 'page']);
    expect((await run).at(-1)).toMatchObject({ keys: 8, failed: 0, uncached: 0, complete: true });
    expect(asked().sort()).toEqual(keys);
  });

  it('a body that hangs is given up when who asked has left', async () => {
    const closed: Promise<unknown>[] = [];
    await start(
      (_question, response) => {
        closed.push(once(response, 'close'));
        response.writeHead(200, fresh);
        response.write('beginning');
      },
      // nothing but who leaves ends it
      { workers, clock: new ManualClock() },
    );
    const leaving = new AbortController();
    const run = warm(keys, leaving.signal);
    await turnsUntil('two are asked', () => closed.length === 2);
    leaving.abort();
    await run;
    await Promise.all(closed);
    expect(closed).toHaveLength(2);
  });

  it('a run ends when who asked has left, though a body under a strong tag hangs', async () => {
    await start(
      (_question, response) => {
        response.writeHead(200, { ...tagged, 'content-length': 100 });
        response.write('beginning');
      },
      { workers, clock: new ManualClock() },
    );
    const leaving = new AbortController();
    const run = warm(keys, leaving.signal);
    await turnsUntil('two are asked', () => origin.asked.length === 2);
    await new Promise(setImmediate);
    leaving.abort();
    expect((await run).at(-1)).not.toHaveProperty('complete');
  });

  it.each([
    ['without a tag', fresh],
    ['under a strong tag', { ...tagged, 'content-length': '4' }],
  ])('a purge while it runs is final: %s', async (_, head) => {
    const held: (() => void)[] = [];
    await start(
      (_question, response) => {
        response.writeHead(200, head);
        response.write('pa');
        held.push(() => void response.end('ge'));
      },
      { workers },
    );
    const run = warm(['/a']);
    await turnsUntil('it is asked', () => held.length === 1);
    await new Promise(setImmediate);
    gateway.gateways[0]?.purge({ kind: 'key', bucket: 'web', key: '/a' });
    for (const answer of held) answer();
    expect((await run)[0]).toEqual({ key: '/a', notKept: 'changed-meanwhile' });
    const reader = gateway.get('/web/a');
    await turnsUntil('it is asked again', () => held.length === 2);
    held[1]?.();
    expect((await reader).headers['x-cache']).toBe('MISS');
  });
});

const big = 9 * 2 ** 20;

it.each<[string, Record<string, string | string[]>, (string | Buffer)?]>([
  ['no-store', { 'cache-control': 'no-store' }],
  ['private', { 'cache-control': 'private, max-age=60' }],
  ['set-cookie', { ...fresh, 'set-cookie': 'a=1' }],
  ['vary', { ...fresh, vary: '*' }],
  ['never-fresh', {}],
  ['one-request', { ...fresh, vary: 'accept-encoding', 'content-encoding': 'unheard-of' }],
  ['event-stream', { ...fresh, 'content-type': 'text/event-stream' }],
  ['too-large', { ...fresh, 'content-length': String(big) }, Buffer.alloc(big)],
  ['too-large', fresh, Buffer.alloc(big)],
])('what is not kept is told with the reason: %s', async (reason, head, body = 'page') => {
  await start(always(head, body));
  expect(await warmOne('/a')).toEqual(['uncached', { key: '/a', notKept: reason }]);
  expect(origin.asked).toHaveLength(1);
});

it.each([
  ['is kept', fresh],
  ['is not', { 'cache-control': 'no-store' }],
])(
  'what is no success is told by its status, though it %s, and redirects are not followed',
  async (_, head) => {
    await start((question, response) => {
      const status = Number(question.url.slice(1));
      response.writeHead(status, { ...head, ...(status < 400 && { location: '/200' }) }).end('page');
    });
    for (const status of [301, 302, 404, 410, 403, 500, 503])
      expect(await warmOne(`/${status}`)).toEqual(['failed', { key: `/${status}`, status }]);
    expect(asked()).not.toContain('/200');
  },
);

it('what is not read through the cache is not asked for', async () => {
  await start(always(fresh), { policy: { mode: 'bypass' } });
  expect(await warmOne('/a')).toEqual(['uncached', { key: '/a', notKept: 'bypass' }]);
  expect(origin.asked).toEqual([]);
});

it('what is stale is confirmed, or fetched anew', async () => {
  const clock = new ManualClock();
  let tag = '"1"';
  await start(
    (question, response) => {
      const isSame = question.headers['if-none-match'] === tag;
      response.writeHead(isSame ? 304 : 200, { 'cache-control': 'max-age=60', etag: tag });
      response.end(isSame ? undefined : 'page');
    },
    { clock },
  );
  expect(await warmOne('/a')).toEqual(['warmed']);
  clock.advance(61_000);
  expect(await warmOne('/a')).toEqual(['held']);
  expect(origin.asked).toHaveLength(2);
  expect(await isHeld('/a')).toBe(true);
  clock.advance(61_000);
  tag = '"2"';
  expect(await warmOne('/a')).toEqual(['warmed']);
  expect(origin.asked).toHaveLength(3);
});

it.each([500, 503])(
  'an origin that fails (%i) is told, though what is held is served stale',
  async status => {
    const clock = new ManualClock();
    await start(always({ 'cache-control': 'max-age=60' }), { clock, policy: { staleIfErrorMs: 3_600_000 } });
    await warm(['/a']);
    clock.advance(61_000);
    origin.answer = always({}, 'sorry', status);
    expect(await warmOne('/a')).toEqual(['failed', { key: '/a', status }]);
    expect((await gateway.get('/web/a')).headers['x-cache']).toBe('STALE');
  },
);

it('an origin that breaks off is told, with and without something held', async () => {
  const clock = new ManualClock();
  await start(always({ 'cache-control': 'max-age=60' }), { clock, policy: { staleIfErrorMs: 3_600_000 } });
  await warm(['/a']);
  clock.advance(61_000);
  origin.answer = (_question, response) => void response.destroy();
  for (const key of ['/a', '/b']) {
    let isOver = false;
    const run = warmOne(key).finally(() => {
      isOver = true;
    });
    // it is asked again a little later
    await turnsUntil('it is told', () => {
      clock.advance(10);
      return isOver;
    });
    expect(await run).toEqual(['failed', { key, error: 'BROKEN' }]);
  }
});

it('what is held in part is completed', async () => {
  const body = Buffer.from(Array.from({ length: 3 * 2 ** 20 }, (_, index) => (index * 7) & 255));
  await start((question, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(question.headers.range ?? '') ?? [];
    const part = from === undefined ? body : body.subarray(Number(from), Number(to) + 1);
    const range = from === undefined ? {} : { 'content-range': `bytes ${from}-${to}/${body.length}` };
    response.writeHead(from === undefined ? 200 : 206, {
      ...tagged,
      ...range,
      'content-length': part.length,
    });
    response.end(part);
  });
  await gateway.get('/web/a', { range: 'bytes=0-1048575' });
  expect(await warmOne('/a')).toEqual(['warmed']);
  const ranges = origin.asked
    .slice(1)
    .map(({ headers }) => [headers.range?.split('-')[0], headers['if-match']]);
  expect(ranges[0]).toEqual(['bytes=1048576', '"1"']);
  const before = origin.asked.length;
  expect((await gateway.get('/web/a')).body.equals(body)).toBe(true);
  expect(origin.asked).toHaveLength(before);
});

it('of what varies, the variant of who says nothing is held', async () => {
  await start(always({ ...fresh, vary: 'accept-encoding' }));
  expect(await warmOne('/a')).toEqual(['warmed']);
  expect(await isHeld('/a')).toBe(true);
  expect(await isHeld('/a', { 'accept-encoding': 'gzip' })).toBe(false);
});

it('a key is the page that clients get by it, with the part of the query that counts', async () => {
  const query = { names: new Set(['id']), isSorted: false };
  await start(always(fresh), { rules: { query } });
  expect(await warmOne('/a?utm=1&id=2')).toEqual(['warmed']);
  expect(asked()).toEqual(['/a?id=2']);
  expect(await isHeld('/a?id=2&utm=3')).toBe(true);
});

it('where the origin learns the host, a key names it', async () => {
  await start(always(fresh), { rules: { host: { kind: 'client' }, forwarded: true } });
  expect(await warmOne('/a')).toEqual(['failed', { key: '/a', error: 'NO_HOST' }]);
  expect(origin.asked).toEqual([]);
  expect(await warmOne('http://WWW.example.test/a')).toEqual(['warmed']);
  expect(origin.asked[0]?.headers).toMatchObject({
    ...{ host: 'www.example.test', 'x-forwarded-host': 'www.example.test', 'x-forwarded-proto': 'http' },
  });
  expect(await isHeld('/a', { host: 'www.example.test' })).toBe(true);
});

it('what no client can ask for is told so', async () => {
  await start(always(fresh));
  for (const key of ['/a b', '/a#b', '/é'])
    expect(await warmOne(key)).toEqual(['failed', { key, error: 'INVALID_URI' }]);
  expect(origin.asked).toEqual([]);
});

it.each([
  ['a prefix', { prefix: '/' }, 'WEB_ORIGIN', /where nothing can be listed: name what to fetch by keys/],
  [
    'what is no path',
    { keys: ['/a', 'b'] },
    'NO_PATH',
    /^keys\.1: the bucket is at a web origin, whose keys are paths/,
  ],
  [
    'what is too long',
    { keys: ['/'.padEnd(200_000, 'a')] },
    'KEY_TOO_LONG',
    /^keys\.0: the keys of the bucket/,
  ],
])('%s is refused before anything is asked, with the reason', async (_, what, code, message) => {
  await start(always(fresh));
  const refused = { status: 400, code, message: expect.stringMatching(message) };
  await expect(linesOf(warmer(), { bucket: 'web', what })).rejects.toMatchObject(refused);
  expect(origin.asked).toEqual([]);
});

it('a run that goes on from what is none of its keys is refused', async () => {
  await start(always(fresh));
  const request = { bucket: 'web', what: { keys: ['/a', '/b'] } };
  const refused = { status: 400, code: 'UNKNOWN_START', message: 'from is none of the keys' };
  await expect(linesOf(warmer(), { ...request, from: '/c' })).rejects.toMatchObject(refused);
  expect(origin.asked).toEqual([]);
  const lines = await linesOf(warmer(), { ...request, from: '/a' });
  expect(lines.at(-1)).toMatchObject({ keys: 1, warmed: 1, last: '/b', complete: true });
});

describe('tidegate warm at a web origin', () => {
  async function run(...args: readonly string[]) {
    const server = await startAdminServer({
      ...{ host: '127.0.0.1', port: 0, names: [], token: undefined, logger: silentLogger() },
      routes: [warmRoute(warmer())],
    });
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const end = await runProgram(['warm', 'web', ...args, '--admin', `127.0.0.1:${server.port}`], {
      ...{ version: '1.2.3', environment: {}, print: say, printError: say },
      ...{ serve: async () => undefined, serveStore: async () => undefined, build: async () => undefined },
      connect: async () => ({ backends: new Map(), queue: [] }),
      ...{ clock: new ManualClock(), signals: new EventEmitter() },
    });
    await server.close();
    return { end, said };
  }

  it('takes a list and a manifest, and tells why something is not kept', async () => {
    await start((question, response) => {
      const head = question.url === '/own' ? { 'cache-control': 'private' } : fresh;
      response.writeHead(question.url === '/none' ? 404 : 200, head).end('page');
    });
    expect((await run('/a', `/${'long'.repeat(300)}`)).said).toEqual([
      '2 objects, 8 bytes: 2 fetched, 0 held already, 0 not kept, 0 failed',
    ]);
    const file = join(mkdtempSync(join(tmpdir(), 'tidegate-warm-')), 'pages');
    writeFileSync(file, '/a\n/b?c=d\n/own\n/none\n');
    const { end, said } = await run('--manifest', file);
    expect(said).toEqual([
      '/own: not kept: private',
      '/none: answered 404',
      '4 objects, 8 bytes: 1 fetched, 1 held already, 1 not kept, 1 failed',
    ]);
    expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  });

  it('refuses a prefix, and says why', async () => {
    await start(always(fresh));
    const { end, said } = await run('--prefix', '/');
    expect(said.join()).toContain('nothing can be listed');
    expect(end).not.toMatchObject({ exitCode: 0 });
  });
});
