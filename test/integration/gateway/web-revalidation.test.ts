import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, whileTimePasses } from '../../support/manual-clock.ts';
import type { OriginRequest, ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';
import {
  isWhole,
  startWebGateway,
  type WebAnswers,
  type WebGatewayOptions,
} from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock(Date.now());
});

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

/** An origin whose answers tell their number, and the time of the clock. */
async function start(answers: WebAnswers, options: WebGatewayOptions = {}): Promise<void> {
  const dated: WebAnswers = asked => {
    const said = answers(asked);
    const date = new Date(clock.nowMs()).toUTCString();
    return isWhole(said) ? { ...said, head: { date, ...said.head } } : { date, ...said };
  };
  ({ origin, gateway } = await startWebGateway(dated, { clock, ...options }));
}

async function text(headers: Record<string, string> = {}): Promise<string> {
  return (await gateway.get('/', headers)).body.toString();
}

const waiting = () => gateway.gateways[0]?.waiting.requests;
const isConditional = ({ headers }: OriginRequest) =>
  ['if-none-match', 'if-modified-since', 'if-match'].some(name => headers[name] !== undefined);

describe('a 304', () => {
  it.each([
    ['"2"', { 'if-none-match': '"2"' }],
    ['*', { 'if-none-match': '*' }],
    ['a date', { 'if-modified-since': new Date().toUTCString() }],
  ])("to a client's own condition (%s) confirms nothing that has no validator", async (_, own) => {
    await start(asked =>
      isConditional(asked)
        ? { status: 304, head: { etag: '"2"', 'cache-control': 'max-age=600' } }
        : { 'cache-control': 'max-age=1' },
    );
    await text();
    clock.advance(2_000);
    expect((await gateway.get('/', own)).status).toBe(304);
    expect(await text()).toBe('answer 3');
  });

  it.each(['"2"', 'W/"2"'])(
    'that names another tag (%s) confirms nothing, and the whole is asked for',
    async etag => {
      await start(asked =>
        isConditional(asked)
          ? { status: 304, head: { etag, 'cache-control': 'max-age=600' } }
          : { 'cache-control': 'max-age=1', etag: `"${origin.asked.length}"` },
      );
      await text();
      clock.advance(2_000);
      expect(await text()).toBe('answer 3');
      expect(origin.asked.map(isConditional)).toEqual([false, true, false]);
    },
  );

  it.each([301, 404, 418, 500, 503])(
    'is not asked for where what is held is no content but a %i',
    async status => {
      let isOver = false;
      const head = {
        etag: '"1"',
        'last-modified': new Date(0).toUTCString(),
        'cache-control': 'max-age=600',
      };
      await start(asked => ({ status: isConditional(asked) ? 304 : isOver ? 200 : status, head }), {
        policy: { negativeTtlMs: 5_000 },
      });
      const answered = async () => (await fetch(gateway.url(), { redirect: 'manual' })).status;
      expect([await answered(), await answered(), origin.asked.length]).toEqual([status, status, 1]);
      clock.advance(600_001);
      expect(await answered()).toBe(status);
      isOver = true;
      clock.advance(600_001);
      expect(await answered()).toBe(200);
      expect(origin.asked.map(isConditional)).toEqual([false, false, false]);
    },
  );

  it('may say that the answer varies from now on', async () => {
    await start(asked => {
      const of = asked.headers['accept-language'];
      if (isConditional(asked) && of === 'en')
        return { status: 304, head: { vary: 'accept-language', 'cache-control': 'max-age=600' } };
      return {
        etag: '"1"',
        'cache-control': 'max-age=1',
        ...(of === 'fr' && { vary: 'accept-language', 'x-language': 'fr' }),
      };
    });
    await text();
    clock.advance(2_000);
    expect(await text({ 'accept-language': 'en' })).toBe('answer 1');
    expect((await gateway.get('/', { 'accept-language': 'fr' })).headers['x-language']).toBe('fr');
    expect(await text({ 'accept-language': 'en' })).toBe('answer 1');
    expect(origin.asked).toHaveLength(3);
  });

  it.each([
    ['private="x-token"', 'x-token'],
    ['no-cache="x-token, other"', 'x-token'],
    ['no-cache="set-cookie"', 'set-cookie'],
  ])(
    'gives a field that the stored answer keeps to each client (%s) to who asks alone',
    async (directive, name) => {
      await start(
        ({ headers }) => ({
          status: isConditional({ headers } as OriginRequest) ? 304 : 200,
          head: {
            etag: '"1"',
            [name]: `of ${headers['x-client']}`,
            ...(!headers['if-none-match'] && { 'cache-control': `max-age=1, ${directive}` }),
          },
        }),
        { rules: { storesCookies: true }, policy: { ttlMs: 60_000 } },
      );
      const told = async (client: string) =>
        String((await gateway.get('/', { 'x-client': client })).headers[name] ?? 'nothing');
      expect([await told('alice'), await told('bob')]).toEqual(['of alice', 'nothing']);
      clock.advance(2_000);
      expect([await told('carol'), await told('dora')]).toEqual(['of carol', 'nothing']);
      expect(origin.asked).toHaveLength(2);
    },
  );

  it('that may leave them out gives no field of one client to another, though all of it has to be confirmed', async () => {
    await start(asked => ({
      status: isConditional(asked) ? 304 : 200,
      head: isConditional(asked)
        ? {}
        : { etag: '"1"', 'x-token': 'of alice', 'cache-control': 'no-cache, no-cache="x-token"' },
    }));
    await text();
    const { headers } = await gateway.get('/');
    expect([headers['x-cache'], headers['x-token']]).toEqual(['REVALIDATED', undefined]);
  });

  it.each(['content-digest', 'content-md5'])('says nothing of the stored bytes by its own %s', async name => {
    await start(asked => ({
      status: isConditional(asked) ? 304 : 200,
      head: {
        ...{ etag: '"1"', 'cache-control': 'max-age=1' },
        [name]: isConditional(asked) ? 'of nothing' : 'of all',
      },
    }));
    await text();
    clock.advance(2_000);
    await text();
    expect((await gateway.get('/')).headers[name]).toBe('of all');
    expect(origin.asked.map(isConditional)).toEqual([false, true]);
  });

  it.each([
    ['without a strong tag', { 'last-modified': new Date(0).toUTCString() }],
    ['with a strong tag', { etag: '"1"' }],
  ])('to what has gone meanwhile confirms nothing, and the whole is asked for: %s', async (_, validator) => {
    await start(() => ({ ...validator, 'cache-control': 'max-age=1' }));
    await text();
    clock.advance(2_000);
    const { answer } = origin;
    origin.answer = (asked, response) => {
      if (!isConditional(asked)) {
        answer(asked, response);
        return;
      }
      gateway.gateways[0]?.purge({ kind: 'prefix', bucket: '/', prefix: '' });
      response.writeHead(304).end();
    };
    const { headers, body } = await gateway.get('/');
    expect(`${body} ${headers['cache-status']}`).toMatch(/^answer 3 tidegate; fwd=stale; fwd-status=200/);
    expect(origin.asked.map(isConditional)).toEqual([false, true, false]);
  });

  it('without a date is as old as its arrival', async () => {
    await start(asked =>
      isConditional(asked)
        ? { status: 304, head: { 'cache-control': 'max-age=2' } }
        : { etag: '"1"', 'cache-control': 'max-age=2' },
    );
    const answer = origin.answer;
    origin.answer = (asked, response) => {
      response.sendDate = false;
      const { writeHead } = response;
      response.writeHead = ((status: number, { date: _date, ...head }: Record<string, string>) =>
        writeHead.call(response, status, head)) as typeof response.writeHead;
      answer(asked, response);
    };
    await text();
    clock.advance(3_000);
    await text();
    clock.advance(1_000);
    await text();
    expect(origin.asked).toHaveLength(2);
  });

  it('tells who has asked how old the answer is already, as it does all others', async () => {
    await start(asked =>
      isConditional(asked)
        ? { status: 304, head: { age: '50', 'cache-control': 'max-age=60' } }
        : { etag: '"1"', 'cache-control': 'max-age=1' },
    );
    await text();
    clock.advance(2_000);
    for (const cache of ['REVALIDATED', 'HIT'])
      expect((await gateway.get('/')).headers).toMatchObject({ age: '50', 'x-cache': cache });
  });

  it('leaves the connection to the next request', async () => {
    const ports = new Set<number | undefined>();
    await start(asked =>
      isConditional(asked)
        ? { status: 304, head: { 'cache-control': 'max-age=0' } }
        : { etag: '"1"', 'cache-control': 'max-age=0' },
    );
    const answer = origin.answer;
    origin.answer = (asked, response) => {
      ports.add(response.socket?.remotePort);
      answer(asked, response);
    };
    for (let time = 0; time < 5; time++) expect(await text()).toBe('answer 1');
    expect(ports.size).toBe(1);
  });
});

it.each([
  ['If-Match', { 'if-match': '"1"' }],
  ['If-Unmodified-Since', { 'if-unmodified-since': new Date(0).toUTCString() }],
])(
  'a demand of the client (%s) is for the origin to judge where what is held is stale',
  async (_, demand) => {
    await start(asked =>
      isConditional(asked) || asked.headers['if-unmodified-since'] !== undefined
        ? { status: 412, head: {} }
        : { etag: 'W/"1"', 'cache-control': 'max-age=1' },
    );
    await text();
    clock.advance(2_000);
    expect((await gateway.get('/', demand)).status).toBe(412);
    expect(origin.lastAsked?.headers).toMatchObject(demand);
  },
);

it.each([
  ['without validators', {}, 'answer 3'],
  ['with the same tag', { etag: '"1"' }, 'answer 1'],
])('HEAD renews nothing %s but what it confirms', async (_, head, expected) => {
  await start(() => ({ 'cache-control': 'max-age=20', ...head }), { policy: { clientDirectives: 'honour' } });
  await text();
  clock.advance(15_000);
  await new Promise<void>((resolve, reject) => {
    const options = { method: 'HEAD', headers: { 'cache-control': 'no-cache' } };
    const sent = request(gateway.url(), options, answer => answer.resume().on('end', resolve));
    sent.on('error', reject).end();
  });
  clock.advance(15_000);
  expect(await text()).toBe(expected);
});

describe('where the origin fails', () => {
  const failing = async (options: WebGatewayOptions = {}) => {
    let isDown = false;
    await start(
      asked =>
        isDown ? { status: 503, head: {} } : { etag: '"1"', 'cache-control': 'max-age=1', ...partOf(asked) },
      { ...options, policy: { staleIfErrorMs: 600_000, clientDirectives: 'honour', ...options.policy } },
    );
    return () => {
      isDown = true;
      clock.advance(5_000);
    };
  };
  const partOf = (_: OriginRequest) => ({});

  it.each([
    { 'cache-control': 'no-cache' },
    { 'cache-control': 'max-age=0' },
    { 'cache-control': 'max-age=1' },
    { 'cache-control': 'min-fresh=1' },
    { pragma: 'no-cache' },
  ])('who asks for what is confirmed gets nothing stale: %o', async headers => {
    const fail = await failing();
    await text();
    fail();
    expect((await gateway.get('/', headers)).status).toBe(503);
    expect(await text()).toBe('answer 1');
  });

  it('what is held in part answers those alone who ask for that part, and is kept', async () => {
    let isDown = false;
    const body = Buffer.alloc(200_000, 7);
    await start(
      ({ headers }) => {
        if (isDown) return { status: 503, head: {} };
        const head = { etag: '"1"', 'cache-control': 'max-age=1' };
        if (headers.range !== 'bytes=0-99') return { status: 200, head, body };
        return {
          status: 206,
          head: { ...head, 'content-range': `bytes 0-99/${body.length}` },
          body: body.subarray(0, 100),
        };
      },
      { policy: { staleIfErrorMs: 600_000 } },
    );
    const part = { range: 'bytes=0-99' };
    expect((await gateway.get('/', part)).status).toBe(206);
    isDown = true;
    clock.advance(5_000);
    for (const headers of [{}, { range: 'bytes=1000-1999' }])
      expect((await gateway.get('/', headers)).status).toBe(503);
    const held = await gateway.get('/', part);
    expect([held.status, held.body.length]).toEqual([206, 100]);
  });

  it('all who wait for one question get the stale answer of it', async () => {
    const fail = await failing();
    await text();
    fail();
    const held: (() => void)[] = [];
    const { answer } = origin;
    origin.answer = (asked, response) => held.push(() => answer(asked, response));
    const readers = Array.from({ length: 5 }, () => text());
    await turnsUntil('all wait', () => waiting() === 5 && held.length === 1);
    held[0]?.();
    expect(new Set(await Promise.all(readers))).toEqual(new Set(['answer 1']));
    expect(held).toHaveLength(1);
  });

  it.each([500, 503, 505, 418, 499, 520])(
    '%i is kept for negativeTtl, and takes the place of nothing',
    async status => {
      let isDown = false;
      await start(
        ({ url }) =>
          isDown || url === '/failing'
            ? { status, head: { 'cache-control': 'max-age=600' } }
            : { 'cache-control': 'max-age=1', etag: '"1"' },
        { policy: { negativeTtlMs: 5_000 } },
      );
      const failingAt = async () => (await gateway.get('/failing')).headers['x-cache'];
      expect([await failingAt(), await failingAt()]).toEqual(['MISS', 'HIT']);
      clock.advance(5_001);
      expect(await failingAt()).not.toBe('HIT');
      await text();
      isDown = true;
      clock.advance(2_000);
      expect((await gateway.get('/')).status).toBe(status);
      isDown = false;
      expect((await gateway.get('/')).status).toBe(200);
    },
  );
});

it('what nobody waits for is asked for whole, and sixteen such questions at a time', async () => {
  await start(() => ({ 'cache-control': 'max-age=1, stale-while-revalidate=600' }), {
    policy: { maxStaleMs: 600_000 },
  });
  for (let page = 0; page < 20; page++) await gateway.get(`/${page}`);
  clock.advance(2_000);
  const held: (() => void)[] = [];
  const { answer } = origin;
  origin.answer = (asked, response) => held.push(() => answer(asked, response));
  for (let page = 0; page < 20; page++)
    expect((await gateway.get(`/${page}`, { range: 'bytes=0-1', 'if-none-match': '"x"' })).status).toBe(206);
  await turnsUntil('the origin is asked', () => held.length === 16);
  expect(origin.lastAsked?.headers.range).toBeUndefined();
  expect(origin.lastAsked?.headers['if-none-match']).toBeUndefined();
  for (const go of held.splice(0)) go();
  await turnsUntil('there is room', async () => {
    await gateway.get('/19');
    return held.length > 0;
  });
});

it('what nobody waits for is confirmed, whatever who has begun it demands', async () => {
  const head = { etag: '"1"', 'cache-control': 'max-age=1, stale-while-revalidate=600' };
  await start(({ headers }) => (headers['if-none-match'] === '"1"' ? { status: 304, head } : head), {
    policy: { maxStaleMs: 600_000 },
  });
  await gateway.get('/');
  clock.advance(2_000);
  const { status, headers } = await gateway.get('/', { 'if-match': '"1"' });
  expect([status, headers['x-cache']]).toEqual([200, 'STALE']);
  await turnsUntil('the origin is asked', () => origin.asked.length === 2);
  expect(origin.lastAsked?.headers).toMatchObject({ 'if-none-match': '"1"' });
  expect(origin.lastAsked?.headers['if-match']).toBeUndefined();
});

describe('who is first', () => {
  it.each([
    ['no-store', { 'cache-control': 'no-store' }],
    ['Authorization', { authorization: 'Basic x' }],
  ])('with %s undoes the sharing of the others no more than once', async (_, headers) => {
    await start(() => ({ 'cache-control': 'max-age=60' }), { policy: { clientDirectives: 'honour' } });
    const held: (() => void)[] = [];
    const { answer } = origin;
    origin.answer = (asked, response) => held.push(() => answer(asked, response));
    const first = text(headers);
    await turnsUntil('it is asked', () => held.length === 1);
    const others = Array.from({ length: 6 }, () => text());
    await turnsUntil('the others wait', () => waiting() === 7);
    held[0]?.();
    await first;
    await turnsUntil('the next is asked', () => held.length >= 2);
    for (const go of held.slice(1)) go();
    expect(new Set(await Promise.all(others))).toEqual(new Set(['answer 2']));
    expect(held).toHaveLength(2);
  });
});

it('a part in units of the origin is no answer to others, though it comes as a 200', async () => {
  await start(({ headers }) => ({
    'cache-control': 'max-age=60',
    ...(headers.range !== undefined && { 'content-range': 'items 0-0/100' }),
  }));
  await text({ range: 'items=0-0' });
  expect(await text()).toBe('answer 2');
});

it.each([
  ['Host', {}],
  ['Range', {}],
  ['X-Forwarded-Proto, X-Forwarded-Host', { forwarded: true }],
])('what varies by %s is completed, with each field once', async (vary, rules) => {
  const body = Buffer.from('0123456789'.repeat(20_000));
  await start(
    ({ headers }) => {
      const head = { etag: '"1"', 'cache-control': 'max-age=60', vary };
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
      if (from === undefined) return { status: 200, head, body };
      const end = Math.min(body.length, Number(to || body.length) + 1);
      const range = `bytes ${from}-${end - 1}/${body.length}`;
      return {
        status: 206,
        head: { ...head, 'content-range': range },
        body: body.subarray(Number(from), end),
      };
    },
    { rules: { host: { kind: 'client' }, ...rules } },
  );
  expect((await gateway.get('/', { range: 'bytes=0-9' })).status).toBe(206);
  expect((await gateway.get('/', vary === 'Range' ? { range: 'bytes=0-9' } : {})).status).toBe(
    vary === 'Range' ? 206 : 200,
  );
  const whole = await gateway.get('/', { range: 'bytes=0-150000' });
  expect(whole.body.equals(body.subarray(0, 150_001))).toBe(true);
  for (const { headers } of origin.asked)
    for (const name of ['host', 'x-forwarded-proto', 'range'])
      expect(headers[name] ?? '', name).not.toContain(',');
});

it('a made-up coding selects no variant of its own', async () => {
  await start(({ headers }) => ({
    'cache-control': 'max-age=60',
    vary: 'Accept-Encoding',
    ...(headers['accept-encoding'] === 'gzip' && { 'x-of': 'gzip' }),
  }));
  await text({ 'accept-encoding': 'gzip' });
  for (let number = 0; number < 70; number++) await text({ 'accept-encoding': `e${number}` });
  expect(origin.asked).toHaveLength(2);
  expect((await gateway.get('/', { 'accept-encoding': 'gzip' })).headers).toMatchObject({
    'x-of': 'gzip',
    'x-cache': 'HIT',
  });
});

it('changes at an origin that cannot be reached leave nothing unsettled', async () => {
  await start(() => ({ 'cache-control': 'max-age=60' }));
  await text();
  await origin.close();
  const posted = fetch(`${gateway.url()}/`, { method: 'POST', body: 'x' });
  const changed = await whileTimePasses(clock, posted);
  expect(changed.status).toBe(503);
  expect((await gateway.get('/')).headers['x-cache']).toBe('HIT');
});

it.each([
  'prefer',
  'a-im',
  'sec-purpose',
  'rsc',
  'x-nextjs-data',
  'hx-request',
  'turbo-frame',
  'x-pjax',
  'x-inertia',
])(
  'what is asked for otherwise under the same name (%s) is for others where the answer says that it varies',
  async name => {
    for (const vary of [false, true]) {
      await start(({ headers }) => ({
        'cache-control': 'max-age=60',
        ...(vary && { vary: name }),
        'x-odd': String(headers[name]),
      }));
      await text({ [name]: '1' });
      expect((await gateway.get('/')).headers['x-odd']).toBe('undefined');
      expect((await gateway.get('/', { [name]: '1' })).headers['x-cache']).toBe('HIT');
      if (!vary) {
        await gateway.close();
        await origin.close();
      }
    }
  },
);

it.each(['no-store', 'private'])('a 304 with %s ends what was stored', async control => {
  let isDown = false;
  await start(
    asked => {
      if (isDown) return { status: 503, head: {} };
      return isConditional(asked)
        ? { status: 304, head: { 'cache-control': control } }
        : { etag: '"1"', 'cache-control': 'max-age=1' };
    },
    { policy: { staleIfErrorMs: 600_000 } },
  );
  await text();
  clock.advance(2_000);
  expect(await text()).toBe('answer 1');
  isDown = true;
  expect((await gateway.get('/')).status).toBe(503);
});

describe('the answer to a POST that names its target', () => {
  it.each(['nothing', 'a purge', 'a change'])('is kept for GET where %s comes before its end', async what => {
    await start(() => ({ 'cache-control': 'max-age=600' }));
    const { answer } = origin;
    let end: (() => void) | undefined;
    origin.answer = (asked, response) => {
      if (asked.method !== 'POST') {
        answer(asked, response);
        return;
      }
      response.writeHead(200, { 'cache-control': 'max-age=600', 'content-location': '/' });
      response.write('posted');
      end = () => response.end();
    };
    const posted = await fetch(`${gateway.url()}/`, { method: 'POST', body: 'x' });
    if (what === 'a purge') gateway.gateways[0]?.purge({ kind: 'key', bucket: '/', key: '/' });
    if (what === 'a change') await fetch(`${gateway.url()}/`, { method: 'PUT', body: 'x' });
    end?.();
    expect(await posted.text()).toBe('posted');
    expect((await text()) === 'posted').toBe(what === 'nothing');
  });

  it('is kept for nobody where the origin was told more than the key says of the target', async () => {
    await start(
      ({ method, url }) => ({
        ...{ 'cache-control': 'max-age=600', 'x-method': method },
        ...(method === 'POST' && { 'content-location': url }),
      }),
      { rules: { query: { names: new Set(['a']), isSorted: false } } },
    );
    const methodOf = async (path: string) => (await gateway.get(path)).headers['x-method'];
    await fetch(`${gateway.url()}/p?a=1&evil=2`, { method: 'POST', body: 'x' });
    expect(await methodOf('/p?a=1')).toBe('GET');
    await fetch(`${gateway.url()}/q?a=1`, { method: 'POST', body: 'x' });
    expect(await methodOf('/q?a=1')).toBe('POST');
    await fetch(`${gateway.url()}/r?a=1`, {
      method: 'POST',
      body: 'x',
      headers: { prefer: 'return=minimal' },
    });
    expect(await methodOf('/r?a=1')).toBe('GET');
  });
});

it('HEAD gets what is stale where the origin fails, as GET does', async () => {
  let isDown = false;
  await start(() => (isDown ? { status: 503, head: {} } : { etag: '"1"', 'cache-control': 'max-age=1' }), {
    policy: { staleIfErrorMs: 600_000 },
  });
  await text();
  isDown = true;
  clock.advance(2_000);
  expect((await fetch(gateway.url(), { method: 'HEAD' })).status).toBe(200);
});

it('only-if-cached gets all that it asks for from the cache, or 504', async () => {
  const body = Buffer.alloc(200_000, 7);
  await start(
    ({ headers }) => ({
      status: headers.range === 'bytes=0-99' ? 206 : 200,
      head: {
        ...{ etag: '"1"', 'cache-control': 'max-age=600' },
        ...(headers.range === 'bytes=0-99' && { 'content-range': `bytes 0-99/${body.length}` }),
      },
      body: headers.range === 'bytes=0-99' ? body.subarray(0, 100) : body,
    }),
    { policy: { clientDirectives: 'honour' } },
  );
  const held = { 'cache-control': 'only-if-cached', range: 'bytes=0-99' };
  await gateway.get('/', { range: 'bytes=0-99' });
  expect((await gateway.get('/', held)).status).toBe(206);
  for (const headers of [{ range: 'bytes=5-150000' }, {}])
    expect(
      (await gateway.get('/', { ...held, ...headers, ...(headers.range ? {} : { range: '' }) })).status,
    ).toBe(504);
  expect(origin.asked).toHaveLength(1);
});

describe('one question is for all', () => {
  const holding = () => {
    const held: (() => void)[] = [];
    const { answer } = origin;
    origin.answer = (asked, response) => held.push(() => answer(asked, response));
    return held;
  };

  it('who ask for ranges of what is stale, or with conditions', async () => {
    await start(asked =>
      isConditional(asked)
        ? { status: 304, head: { 'cache-control': 'max-age=600' } }
        : { etag: '"1"', 'cache-control': 'max-age=1' },
    );
    await text();
    clock.advance(2_000);
    const held = holding();
    const readers = [{ range: 'bytes=0-1' }, { range: 'bytes=0-' }, { 'if-none-match': '"x"' }, {}];
    const answers = readers.map(headers => gateway.get('/', headers));
    await turnsUntil('all wait', () => waiting() === 4 && held.length > 0);
    for (const go of held) go();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([206, 206, 200, 200]);
    expect(held).toHaveLength(1);
  });

  it('who want another variant than the first', async () => {
    await start(({ headers }) => ({
      'cache-control': 'max-age=600',
      vary: 'accept-encoding',
      'x-of': String(headers['accept-encoding']),
    }));
    const held = holding();
    const first = gateway.get('/', { 'accept-encoding': 'gzip' });
    await turnsUntil('it is asked', () => held.length === 1);
    const others = Array.from({ length: 5 }, () => gateway.get('/', { 'accept-encoding': 'br' }));
    await turnsUntil('all wait', () => waiting() === 6);
    held[0]?.();
    await first;
    await turnsUntil('the next is asked', () => held.length > 1);
    for (const go of held.slice(1)) go();
    expect((await Promise.all(others)).map(({ headers }) => headers['x-of'])).toEqual(Array(5).fill('br'));
    expect(held).toHaveLength(2);
  });
});
