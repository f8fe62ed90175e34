import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type OriginRequest, ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const mebibyte = 2 ** 20;
const body = Buffer.from(Array.from({ length: 3 * mebibyte }, (_, index) => (index * 7 + index / 256) & 255));
const tagged = { etag: '"1"', 'cache-control': 'max-age=3600' };

let origin: ScriptedOrigin;
let gateway: TestGateway;
/** What answers the questions that the origin holds, in their order. */
let held: (() => void)[];
/** Refuses the last one. */
let refuse: (() => void) | undefined;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

type Head = (asked: OriginRequest) => Record<string, string>;

/** An origin that holds the first `count` questions. */
async function start(workers: number, count: number, head: Head = () => tagged): Promise<void> {
  held = [];
  origin = await ScriptedOrigin.start((asked, response) => {
    const answer = () => answerTo(asked, response, head(asked));
    refuse = () => response.writeHead(429, { 'content-length': 0 }).end();
    if (origin.asked.length <= count) held.push(answer);
    else answer();
  });
  gateway = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    buckets: {},
    web: { url: origin.url, name: '/' },
    workers,
    policy: { ttlMs: 0 },
  });
}

/** The bytes that are wanted. */
function rangeOf(range = ''): { readonly first?: number; readonly last?: number } {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (from === undefined || to === undefined) return {};
  const end = body.length - 1;
  return from === ''
    ? { first: body.length - Number(to), last: end }
    : { first: Number(from), last: to === '' ? end : Number(to) };
}

function answerTo({ headers }: OriginRequest, response: ServerResponse, head: Record<string, string>): void {
  const { first, last } = rangeOf(headers.range);
  if (first !== undefined && first >= body.length) {
    response.writeHead(416, { 'content-range': `bytes */${body.length}`, 'content-length': 0 }).end();
    return;
  }
  const part = first === undefined ? body : body.subarray(first, Number(last) + 1);
  const range = first === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${body.length}` };
  const status = first === undefined ? 200 : 206;
  response.writeHead(status, { ...head, ...range, 'content-length': part.length }).end(part);
}

function read(from: number, to: number, headers: Record<string, string> = {}, worker = 0) {
  return gateway.get('/k', { range: `bytes=${from}-${to - 1}`, ...headers }, worker);
}

async function allWait(readers: number, questions: number): Promise<void> {
  const waiting = () => gateway.gateways.reduce((sum, { waiting }) => sum + waiting.requests, 0);
  await turnsUntil('all wait', () => waiting() === readers && held.length === questions);
}

function release(): void {
  for (const answer of held.splice(0)) answer();
}

const rangesAsked = () => origin.asked.map(({ headers }) => headers.range);

describe.each([1, 3])('law 4 at web origins, with %d workers', workers => {
  it.each([
    ['bytes=0-', ['bytes=0-', 'bytes=1000-', 'bytes=-10', 'bytes=5-9']],
    ['bytes=1000-499999', ['bytes=1000-499999', 'bytes=2000-400000']],
    ['bytes=-1048576', ['bytes=-1048576', 'bytes=-1000']],
  ])('cold readers of no more than the first, who reads %s, cost no question', async (wanted, others) => {
    await start(workers, 1);
    const first = gateway.get('/k', { range: wanted });
    await allWait(1, 1);
    const readers = others.map((range, index) => gateway.get('/k', { range }, index % workers));
    await allWait(1 + others.length, 1);
    release();
    expect((await first).status).toBe(206);
    for (const [index, { status, body: part, headers }] of (await Promise.all(readers)).entries()) {
      const [, from = '', to = ''] = /(\d*)-(\d*)/.exec(others[index] ?? '') ?? [];
      const expected =
        from === '' ? body.subarray(-Number(to)) : body.subarray(Number(from), Number(to || Infinity) + 1);
      expect([status, part.equals(expected)]).toEqual([206, true]);
      expect(headers['cache-status']).toMatch(/; fwd-status=206;.* collapsed$/);
    }
    expect(origin.asked).toHaveLength(1);
  });
});

describe('a reader of a range does not wait for another', () => {
  it('with a cookie', async () => {
    await start(1, 2);
    const readers = [read(0, 10), read(0, 10, { cookie: 'id=1' })];
    await allWait(2, 2);
    release();
    expect((await Promise.all(readers)).map(({ status }) => status)).toEqual([206, 206]);
  });

  it('that does not bring all that it wants', async () => {
    await start(1, 3);
    const readers = [read(10, 20), read(15, 25), gateway.get('/k', { range: 'bytes=10-' })];
    await allWait(3, 3);
    release();
    expect((await Promise.all(readers)).map(({ status }) => status)).toEqual([206, 206, 206]);
  });

  it('nor does one of the whole', async () => {
    await start(1, 2);
    const readers = [read(0, 10), gateway.get('/k')];
    await allWait(2, 2);
    release();
    expect((await Promise.all(readers)).map(({ status }) => status)).toEqual([206, 200]);
  });

  it('once ranges of the target have turned out to be for one reader each', async () => {
    // nothing says for how long they are fresh, so that they are kept for nobody
    await start(1, 1, () => ({ etag: 'W/"1"' }));
    const readers = [read(0, 10), read(0, 10), read(5, 9)];
    await allWait(3, 1);
    release();
    for (const { status } of await Promise.all(readers)) expect(status).toBe(206);
    expect(rangesAsked().sort()).toEqual(['bytes=0-9', 'bytes=0-9', 'bytes=5-8']);
    origin.answer = (asked, response) => held.push(() => answerTo(asked, response, {}));
    const later = [read(0, 10), read(0, 10)];
    await allWait(2, 2);
    release();
    await Promise.all(later);
  });
});

describe('who has waited for the range of another', () => {
  it('that was redirected, or not there, waits again the next time: that says nothing of ranges', async () => {
    await start(1, 0);
    origin.answer = (_, response) => held.push(() => response.writeHead(302, { location: '/' }).end());
    const redirected = [read(0, 10), read(0, 10)];
    await allWait(2, 1);
    let isOver = false;
    const over = Promise.all(redirected).finally(() => (isOver = true));
    await turnsUntil('both are answered', () => {
      release();
      return isOver;
    });
    expect((await over).map(({ status }) => status)).toEqual([302, 302]);
    const { length } = origin.asked;
    origin.answer = (asked, response) => held.push(() => answerTo(asked, response, tagged));
    const readers = [read(0, 10), read(0, 10), read(5, 9)];
    await allWait(3, 1);
    release();
    for (const { status } of await Promise.all(readers)) expect(status).toBe(206);
    expect(origin.asked).toHaveLength(length + 1);
  });

  it('asks where that was another variant', async () => {
    await start(1, 1, ({ headers }) => ({
      ...tagged,
      vary: 'accept-language',
      'x-for': `${headers['accept-language']}`,
    }));
    const readers = [read(0, 10, { 'accept-language': 'de' }), read(0, 10, { 'accept-language': 'en' })];
    await allWait(2, 1);
    release();
    expect((await Promise.all(readers)).map(({ headers }) => headers['x-for'])).toEqual(['de', 'en']);
  });

  it('asks where that was refused, and the others share its answer', async () => {
    await start(1, 2);
    const first = gateway.get('/k', { range: 'bytes=0-' });
    await allWait(1, 1);
    const readers = [read(0, 10), read(0, 10), read(0, 10)];
    await allWait(4, 1);
    // as if the first had asked too often
    held = [];
    refuse?.();
    expect((await first).status).toBe(429);
    await allWait(3, 1);
    release();
    for (const { status } of await Promise.all(readers)) expect(status).toBe(206);
    expect(origin.asked).toHaveLength(2);
  });
});

it.each([
  ['in the second of its answer', 0, 200],
  ['a minute and more before', 61_000, 206],
])('If-Range by the date of what has changed %s: %d ms, %d', async (_, agoMs, status) => {
  const nowMs = Date.now();
  const modified = new Date(nowMs - agoMs).toUTCString();
  const head = {
    'last-modified': modified,
    date: new Date(nowMs).toUTCString(),
    'cache-control': 'max-age=60',
  };
  await start(1, 0, () => head);
  await gateway.get('/');
  const resumed = await gateway.get('/', { range: 'bytes=100-199', 'if-range': modified });
  expect([resumed.status, resumed.headers['x-cache']]).toEqual([status, 'HIT']);
  expect(resumed.body.length).toBe(status === 206 ? 100 : body.length);
});

it('a part that comes without the fields that who resumes has already is the beginning of nothing for others', async () => {
  const whole = { ...tagged, 'content-type': 'text/plain', 'content-language': 'en' };
  await start(1, 0, ({ headers }) => (headers['if-range'] === undefined ? whole : tagged));
  const resumed = await gateway.get('/', { range: 'bytes=100-199', 'if-range': '"1"' });
  expect([resumed.status, resumed.body.length]).toEqual([206, 100]);
  for (const cache of ['MISS', 'HIT']) {
    const { headers } = await gateway.get('/');
    expect(headers).toMatchObject({
      'x-cache': cache,
      'content-type': 'text/plain',
      'content-language': 'en',
    });
  }
});

describe('what is missing of an answer', () => {
  it('is asked for by who says so, since many firewalls refuse the others', async () => {
    await start(1, 0);
    await gateway.get('/', { range: 'bytes=0-0', 'user-agent': 'a client', accept: 'text/*' });
    expect((await gateway.get('/')).body).toEqual(body);
    expect(
      origin.asked.slice(1).map(({ headers }) => [headers['user-agent'], headers.accept]),
    ).toContainEqual(['tidegate', '*/*']);
  });

  it('is asked for as that which Vary names was', async () => {
    await start(1, 0, () => ({ ...tagged, vary: 'accept' }));
    const headers = { accept: 'text/html' };
    await gateway.get('/', { ...headers, range: 'bytes=0-0' });
    expect((await gateway.get('/', headers)).body).toEqual(body);
    expect(new Set(origin.asked.map(asked => asked.headers.accept))).toEqual(new Set(['text/html']));
  });

  it('where the origin refuses that, cuts one answer; then parts begin nothing for a minute, and the whole is kept', async () => {
    await start(1, 0);
    const { answer } = origin;
    origin.answer = (asked, response) => {
      if (asked.headers['if-match'] === undefined) answer(asked, response);
      else response.writeHead(403, { 'content-length': 0 }).end();
    };
    const part = { range: 'bytes=0-0' };
    expect((await gateway.get('/', part)).status).toBe(206);
    await expect(gateway.get('/')).rejects.toThrow();
    expect((await gateway.get('/', part)).status).toBe(206);
    for (const cache of ['MISS', 'HIT']) {
      const whole = await gateway.get('/');
      expect([whole.body.equals(body), whole.headers['x-cache']]).toEqual([true, cache]);
    }
  });
});
