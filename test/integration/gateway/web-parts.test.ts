import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7) & 255));
const fresh = { 'cache-control': 'max-age=60' };

let origin: ScriptedOrigin;
let gateway: TestGateway;
let clock: ManualClock;
/** What the origin adds to its answers, or says in other ones. */
let fields: Record<string, string>;
let status: number | undefined;
/** The bytes that it sends of a range, and how it calls them. */
let sent:
  | ((first: number, last: number) => { range: string; bytes: Buffer; isChunked?: boolean })
  | undefined;
/** Holds answers back until it is called. */
let held: (() => void)[] | undefined;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

async function start(workers = 1, policy: TestGatewayOptions['policy'] = {}): Promise<void> {
  clock = new ManualClock();
  fields = fresh;
  [status, sent, held] = [undefined, undefined, undefined];
  origin = await ScriptedOrigin.start(({ headers: { range } }, response) => {
    const answer = () => {
      const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
      if (status !== undefined) response.writeHead(status).end();
      else if (from === '' && to === '') response.writeHead(200, fields).end(content);
      else {
        const first = from === '' ? content.length - Number(to) : Number(from);
        const last = from === '' || to === '' ? content.length - 1 : Math.min(Number(to), content.length - 1);
        const {
          range: named,
          bytes,
          isChunked,
        } = sent?.(first, last) ?? {
          range: `bytes ${first}-${last}/${content.length}`,
          bytes: content.subarray(first, last + 1),
        };
        const length = isChunked ? {} : { 'content-length': bytes.length };
        response.writeHead(206, { ...fields, 'content-range': named, ...length }).end(bytes);
      }
    };
    if (held) held.push(answer);
    else answer();
  });
  gateway = await TestGateway.start({
    ...{ storeUrl: 'http://127.0.0.1:1', buckets: {}, web: { url: origin.url, name: '/' } },
    ...{ workers, clock, policy: { ttlMs: 0, ...policy } },
  });
}

function read(range: string, headers: Record<string, string> = {}, worker = 0) {
  return gateway.get('/k', { range, ...headers }, worker);
}

/** How often the origin is asked for two reads, one after the other. */
async function questionsForTwo(range: string, headers: Record<string, string> = {}): Promise<number> {
  const before = origin.asked.length;
  for (const _time of [1, 2]) await read(range, headers);
  return origin.asked.length - before;
}

describe.each([1, 2])('a part without a strong tag, with %d workers', workers => {
  it.each([
    ['bytes=10-19', 'bytes 10-19/1000'],
    ['bytes=990-', 'bytes 990-999/1000'],
    ['bytes=-10', 'bytes 990-999/1000'],
    ['bytes=990-2000', 'bytes 990-999/1000'],
  ])('is given again to whoever asks for %s', async (range, named) => {
    await start(workers);
    fields = { ...fresh, etag: 'W/"1"', 'content-digest': 'sha-256=:x:', vary: 'accept' };
    for (let number = 0; number < 6; number++) {
      const { body, headers, status: got } = await read(range, {}, number % workers);
      const [, first, last] = /(\d+)-(\d+)/.exec(named) ?? [];
      expect([got, headers['content-range'], headers['content-length']]).toEqual([
        206,
        named,
        `${body.length}`,
      ]);
      expect(body.equals(content.subarray(Number(first), Number(last) + 1))).toBe(true);
      expect(headers).toMatchObject({ 'content-digest': 'sha-256=:x:', vary: 'accept', etag: 'W/"1"' });
      if (workers === 1) expect(headers['x-cache']).toBe(number === 0 ? 'MISS' : 'HIT');
      clock.advance(1_000);
      if (number > 0) expect(headers.age).toBe(`${number}`);
    }
    expect(origin.asked).toHaveLength(1);
  });

  it('is none to HEAD, to the whole, to another range, to If-Range, nor to another variant', async () => {
    await start(workers);
    fields = { ...fresh, etag: 'W/"1"', vary: 'accept' };
    const of = async (range: string, accept = 'a', others: Record<string, string> = {}) => {
      const answers = [];
      for (let worker = 0; worker < workers; worker++)
        answers.push(await read(range, { accept, ...others }, worker));
      return answers;
    };
    await of('bytes=10-19');
    await of('bytes=10-19');
    expect(origin.asked).toHaveLength(1);
    for (const [range, length] of [
      ['bytes=10-18', 9],
      ['bytes=11-19', 9],
      ['bytes=10-', 990],
    ] as const)
      for (const { body } of await of(range)) expect(body).toHaveLength(length);
    await of('bytes=10-19', 'b');
    expect(origin.asked).toHaveLength(5);
    await of('bytes=10-19', 'a', { 'if-range': 'W/"1"' });
    expect(origin.asked).toHaveLength(5 + workers);
    for (let worker = 0; worker < workers; worker++) {
      const head = await gateway.head('/k', { range: 'bytes=10-19', accept: 'a' }, worker);
      expect([head.headers['content-range'], head.headers['x-cache']]).not.toContain('HIT');
    }
    const whole = await gateway.get('/k', { accept: 'a' });
    expect([whole.status, whole.body.equals(content), whole.headers['cache-status']]).toEqual([
      ...[200, true, expect.stringContaining('uri-miss')],
    ]);
  });

  it('gives way to a whole answer that came later', async () => {
    await start(workers);
    await read('bytes=10-19');
    fields = { ...fresh, 'x-later': '1' };
    await gateway.get('/k');
    for (let worker = 0; worker < workers; worker++) {
      const { status: got, headers } = await read('bytes=10-19', {}, worker);
      expect([got, headers['x-later']]).toEqual([206, '1']);
    }
    expect(origin.asked).toHaveLength(2);
  });

  it('ends with a change of its target', async () => {
    await start(workers);
    for (let worker = 0; worker < workers; worker++) await read('bytes=10-19', {}, worker);
    await gateway.send('POST', '/k');
    for (let worker = 0; worker < workers; worker++) await read('bytes=10-19', {}, worker);
    expect(origin.asked.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  it('is asked for once by all who ask for the same, and none of them gets it who asks for less', async () => {
    await start(workers);
    for (const time of [1, 2]) {
      held = [];
      const before = origin.asked.length;
      const ranges = ['bytes=0-99', 'bytes=0-99', 'bytes=10-19', 'bytes=0-99', 'bytes=10-19'];
      const readers = ranges.map((range, index) => read(range, {}, index % workers));
      let isOver = false;
      const over = Promise.all(readers).finally(() => {
        isOver = true;
      });
      const waiting = () => gateway.gateways.reduce((sum, { waiting: { requests } }) => sum + requests, 0);
      // those who want less have waited in vain once
      await turnsUntil('all wait', () => waiting() === 5 && origin.asked.length - before === time);
      await turnsUntil('all are answered', () => {
        for (const answer of held?.splice(0) ?? []) answer();
        return isOver;
      });
      for (const [index, { body, headers }] of (await over).entries()) {
        const [, from, to] = /(\d+)-(\d+)/.exec(ranges[index] ?? '') ?? [];
        expect(headers['content-range']).toBe(`bytes ${from}-${to}/1000`);
        expect(body.equals(content.subarray(Number(from), Number(to) + 1))).toBe(true);
      }
      expect([time, origin.asked.length - before]).toEqual([time, 2]);
      held = undefined;
      await gateway.send('POST', '/k');
    }
  });
});

describe('a part is kept', () => {
  it.each([
    ['with nothing that says how long it is fresh', {}],
    ['that is no longer fresh', { 'cache-control': 'max-age=0', etag: 'W/"1"' }],
    ['for one client alone', { 'cache-control': 'private, max-age=60' }],
  ])('not %s', async (_, said) => {
    await start(1, { heuristicShare: 0.1 });
    fields = said;
    expect(await questionsForTwo('bytes=10-19')).toBe(2);
  });

  it('not with a guess alone, and not for as long as that where something is configured', async () => {
    await start(1, { heuristicShare: 0.1 });
    fields = { 'last-modified': new Date(clock.nowMs() - 3_600_000).toUTCString() };
    expect(await questionsForTwo('bytes=10-19')).toBe(2);
    expect((await read('bytes=10-19')).headers['cache-status']).not.toContain('stored');
    await gateway.close();
    await origin.close();
    await start(1, { heuristicShare: 0.1, ttlMs: 5_000 });
    fields = { 'last-modified': new Date(clock.nowMs() - 3_600_000).toUTCString() };
    expect(await questionsForTwo('bytes=10-19')).toBe(1);
    clock.advance(5_000);
    expect(await questionsForTwo('bytes=10-19')).toBe(1);
  });

  it('as long as is configured', async () => {
    await start(1, { namedTtls: [{ type: 'video/mp4', ttlMs: 5_000 }] });
    fields = { 'content-type': 'video/mp4' };
    expect(await questionsForTwo('bytes=10-19')).toBe(1);
    clock.advance(5_000);
    expect(await questionsForTwo('bytes=10-19')).toBe(1);
  });

  it('of as much of the range as there was, though nobody knows the length of the whole', async () => {
    await start();
    sent = first => ({ range: `bytes ${first}-${first + 4}/*`, bytes: content.subarray(first, first + 5) });
    expect(await questionsForTwo('bytes=10-19')).toBe(1);
    expect((await read('bytes=10-19')).headers['content-range']).toBe('bytes 10-14/*');
  });

  it.each([
    ['bytes=10-19', 'bytes 11-19/1000', 9],
    ['bytes=10-19', 'bytes 10-20/1000', 11],
    ['bytes=10-', 'bytes 11-999/1000', 989],
    ['bytes=-10', 'bytes 989-998/1000', 10],
    ['bytes=-10', 'bytes 991-999/1000', 9],
    ['bytes=-10', 'bytes 0-10/*', 11],
    ['bytes=10-19', 'bytes 10-19/19', 10],
    ['bytes=10-19', 'items 10-19/1000', 10],
    ['bytes=10-19', 'bytes 10-19/1000, bytes 10-19/1000', 10],
    ['bytes=10-19', 'bytes 10-19/1000', 9],
    ['bytes=10-19', 'bytes 10-19/1000', 11],
    ['bytes=0-1,5-6', 'bytes 0-1/1000', 2],
  ])('not for %s as %s with %d bytes', async (range, named, length) => {
    for (const isChunked of [false, true]) {
      await start();
      sent = () => ({ range: named, bytes: content.subarray(0, length), isChunked });
      if (range.includes(',')) origin.answer = (_, response) => respond(response, named, length);
      const told = (await read(range)).headers['cache-status'];
      // where the length is not told, the end tells it
      if (!isChunked) expect(told).not.toContain('stored');
      expect(await questionsForTwo(range)).toBe(2);
      if (isChunked) return;
      await gateway.close();
      await origin.close();
    }
  });

  it('nor where the whole is longer than what is kept', async () => {
    await start(1, { maxObjectSizeBytes: 999 });
    expect(await questionsForTwo('bytes=10-19')).toBe(2);
  });

  const respond = (response: import('node:http').ServerResponse, named: string, length: number) =>
    void response
      .writeHead(206, { ...fresh, 'content-range': named, 'content-length': length })
      .end(content.subarray(0, length));
});

describe('a part that is held', () => {
  it('says to whoever has it already that it is the same', async () => {
    await start();
    fields = { ...fresh, etag: 'W/"1"' };
    await read('bytes=10-19');
    const { status: same, headers } = await read('bytes=10-19', { 'if-none-match': 'W/"1"' });
    expect([same, headers['content-range']]).toEqual([304, undefined]);
    const { status: other, body } = await read('bytes=10-19', { 'if-none-match': 'W/"2"' });
    expect([other, body.length, origin.asked.length]).toEqual([206, 10, 1]);
  });

  it('is explained with the range that it is for', async () => {
    await start();
    await read('bytes=010-19');
    const { records = [] } = gateway.gateways[0]?.describe('/', '/k') ?? {};
    expect(records.map(({ status: got, sizeBytes, variant }) => [got, sizeBytes, variant])).toEqual([
      [206, 10, [{ name: 'range', value: 'bytes=10-19' }]],
    ]);
  });

  it('is asked for again when it is stale, as the client asks, and not confirmed', async () => {
    await start(1, { maxStaleMs: 600_000 });
    fields = { 'cache-control': 'max-age=60, stale-while-revalidate=60', etag: 'W/"1"' };
    await read('bytes=10-19');
    clock.advance(60_000);
    for (const cache of ['MISS', 'HIT']) expect((await read('bytes=10-19')).headers['x-cache']).toBe(cache);
    expect(origin.asked.map(({ headers }) => [headers.range, headers['if-none-match']])).toEqual([
      ...[
        ['bytes=10-19', undefined],
        ['bytes=10-19', undefined],
      ],
    ]);
  });

  it('is asked for once by all who want it at the time when it is stale', async () => {
    await start();
    await read('bytes=10-19');
    clock.advance(60_000);
    held = [];
    const readers = [1, 2, 3].map(() => read('bytes=10-19'));
    await turnsUntil('all wait', () => gateway.gateways[0]?.waiting.requests === 3 && held?.length === 1);
    for (const answer of held.splice(0)) answer();
    for (const { status: got } of await Promise.all(readers)) expect(got).toBe(206);
    expect(origin.asked).toHaveLength(2);
  });

  it('is given where the origin fails, until that has said something else', async () => {
    await start(1, { staleIfErrorMs: 600_000 });
    await read('bytes=10-19');
    clock.advance(60_000);
    status = 503;
    const stale = await read('bytes=10-19');
    expect([stale.status, stale.headers['x-cache'], stale.body.length]).toEqual([206, 'STALE', 10]);
    expect((await read('bytes=10-18')).status).toBe(503);
    status = undefined;
    fields = { 'last-modified': new Date(0).toUTCString() };
    await read('bytes=10-19');
    status = 503;
    expect((await read('bytes=10-19')).status).toBe(503);
  });

  it('outlives what comes of made-up ranges, which leave the whole of other variants alone as well', async () => {
    await start();
    fields = { ...fresh, vary: 'accept' };
    await gateway.get('/k', { accept: 'whole' });
    for (const _time of [1, 2]) await read('bytes=0-9');
    for (let first = 1; first < 80; first++) {
      await read(`bytes=${first}-`);
      clock.advance(1);
    }
    const before = origin.asked.length;
    expect((await read('bytes=0-9')).headers['x-cache']).toBe('HIT');
    expect((await gateway.get('/k', { accept: 'whole' })).headers['x-cache']).toBe('HIT');
    // the last one of them is still there, and the first ones are not
    await read('bytes=79-');
    expect(origin.asked).toHaveLength(before);
    await read('bytes=1-');
    expect(origin.asked).toHaveLength(before + 1);
  });
});
