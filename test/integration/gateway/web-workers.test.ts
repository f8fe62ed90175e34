import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownerOf } from '../../../src/cache/object-key.ts';
import { OwnerLostError } from '../../../src/gateway/fill/fill-error.ts';
import { PeerLink } from '../../../src/gateway/workers/peer-link.ts';
import { ManualClock, whileTimePasses } from '../../support/manual-clock.ts';
import { testKey } from '../../support/object-keys.ts';
import { type OriginRequest, ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const workers = 3;
const everyWorker = Array.from({ length: workers }, (_, worker) => worker);
const fresh = { 'cache-control': 'max-age=3600' };

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

async function start(
  answer: (asked: OriginRequest, response: ServerResponse) => void,
  options: Partial<TestGatewayOptions> = {},
) {
  origin = await ScriptedOrigin.start(answer);
  gateway = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    buckets: {},
    web: { url: origin.url, name: '/' },
    workers,
    ...options,
    policy: { ttlMs: 0, ...options.policy },
  });
}

/** Answers that tell their number. */
function numbered(head: (asked: OriginRequest) => Record<string, string | string[]>) {
  return (asked: OriginRequest, response: ServerResponse) =>
    void response.writeHead(200, head(asked)).end(`answer ${origin.asked.length}`);
}

async function text(path: string, worker: number, headers: Record<string, string> = {}): Promise<string> {
  return (await gateway.get(path, headers, worker)).body.toString();
}

/** What each worker answers, one after the other; the owner last, so that the others answer from what they were told. */
async function texts(path: string, headers: Record<string, string> = {}): Promise<string[]> {
  const all: string[] = [];
  for (const worker of ownerLast(path)) all.push(await text(path, worker, headers));
  return all;
}

/** Answers without a body, so that nothing but what is known of them tells whether they may be given. */
function countedHeads(head: Record<string, string>) {
  return (_asked: OriginRequest, response: ServerResponse) =>
    void response
      .writeHead(200, { ...fresh, ...head, 'content-length': 0, 'x-answer': origin.asked.length })
      .end();
}

/** Which answer each worker gives; the owner last. */
async function answersOf(path: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const worker of ownerLast(path)) all.push((await gateway.get(path, {}, worker)).headers['x-answer']);
  return all;
}

function waitingAtAll(): number {
  return gateway.gateways.reduce((sum, { waiting }) => sum + waiting.requests, 0);
}

/** The worker that owns `/path` and one that does not. */
function ownerAndOther(path: string): [number, number] {
  const owner = ownerOf(testKey('web', '/', path).hash, workers);
  return [owner, (owner + 1) % workers];
}

function ownerLast(path: string): number[] {
  const [owner, other] = ownerAndOther(path);
  return [other, (other + 1) % workers, owner];
}

const same = (body: string) => everyWorker.map(() => body);

describe('law 4 at web origins: readers at every worker', () => {
  it.each([
    ['with a strong tag', { ...fresh, etag: '"1"' }, 3 * 2 ** 20],
    ['without one', fresh, 3 * 2 ** 20],
    ['of a few bytes', fresh, 10],
    ['without a body', fresh, 0],
  ])('cost one question, and get all of an answer %s', async (_, head, sizeBytes) => {
    const body = Buffer.from(Array.from({ length: sizeBytes }, (_unused, index) => (index * 7) & 255));
    const held: (() => void)[] = [];
    await start((_asked, response) => {
      held.push(() => void response.writeHead(200, { ...head, 'content-length': sizeBytes }).end(body));
    });
    const readers = Array.from({ length: 12 }, (_unused, index) => gateway.get('/k', {}, index % workers));
    await turnsUntil('all wait', () => waitingAtAll() === 12 && held.length > 0);
    for (const answer of held.splice(0)) answer();
    for (const answer of await Promise.all(readers)) expect(answer.body.equals(body)).toBe(true);
    for (const worker of everyWorker) {
      const again = await gateway.get('/k', {}, worker);
      expect(again.body.equals(body)).toBe(true);
      expect(again.headers['x-cache']).toBe('HIT');
    }
    const part = await gateway.get('/k', { range: 'bytes=2-3' }, ownerAndOther('/k')[1]);
    if (sizeBytes > 0) expect(part.body).toEqual(body.subarray(2, 4));
    expect(origin.asked).toHaveLength(1);
  });

  it.each([
    ['with a strong tag', { etag: '"1"' }, 3 * 2 ** 20],
    ['without one', {}, 3 * 2 ** 20],
    ['of a few bytes', {}, 10],
  ])('are told of a hit from the first read on, %s', async (_, head, sizeBytes) => {
    await start(
      (_asked, response) => void response.writeHead(200, { ...fresh, ...head }).end(Buffer.alloc(sizeBytes)),
    );
    const [owner] = ownerAndOther('/k');
    await gateway.get('/k', {}, owner);
    for (const worker of everyWorker) {
      const { headers } = await gateway.get('/k', {}, worker);
      expect(headers['cache-status']).toMatch(/^tidegate; hit; ttl=\d+$/);
      expect([headers['x-cache'], headers.age]).toEqual(['HIT', expect.stringMatching(/^\d+$/)]);
    }
    expect(origin.asked).toHaveLength(1);
  });

  it('are told the same of what is under way as readers at the owner', async () => {
    const half = Buffer.alloc(2 * 2 ** 20);
    const begun: ServerResponse[] = [];
    await start((_asked, response) => {
      response.writeHead(200, { ...fresh, etag: '"1"', 'content-length': 2 * half.length }).write(half);
      begun.push(response);
    });
    const [owner, other] = ownerAndOther('/k');
    const heads: IncomingMessage[] = [];
    const bodies: Promise<Buffer>[] = [];
    for (const worker of [owner, owner, other]) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request(`${gateway.url(worker)}/k`, { agent: false }, resolve)
          .on('error', reject)
          .end();
      });
      heads.push(answer);
      bodies.push(buffer(answer));
    }
    for (const response of begun) response.end(half);
    for (const body of await Promise.all(bodies)) expect(body).toHaveLength(2 * half.length);
    const [, atOwner, atOther] = heads.map(({ headers }) => [headers['x-cache'], headers['cache-status']]);
    expect(atOther).toEqual(atOwner);
    expect(atOther?.[0]).not.toBe('HIT');
    expect(origin.asked).toHaveLength(1);
  });

  it('are told by Age, and of the first by the origin itself', async () => {
    await start(numbered(() => ({ ...fresh, age: '7' })));
    const [owner, other] = ownerAndOther('/k');
    const first = await gateway.get('/k', {}, other);
    expect([first.headers['x-cache'], first.headers.age]).toEqual(['MISS', '7']);
    const second = await gateway.get('/k', {}, owner);
    expect([second.headers['x-cache'], Number(second.headers.age) >= 7]).toEqual(['HIT', true]);
  });

  it('are answered in the turn of their request once the worker knows the answer', async () => {
    await start(numbered(() => fresh));
    const [, other] = ownerAndOther('/k');
    for (let time = 0; time < 2; time++) await text('/k', other);
    const begun: boolean[] = [];
    const server = createServer((asked, response) => {
      gateway.gateways[other]?.handle(asked, response);
      begun.push(response.headersSent);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}/k`)).text()).toBe('answer 1');
    server.closeAllConnections();
    await new Promise<void>(resolve => server.close(() => resolve()));
    expect(begun).toEqual([true]);
  });

  it.each([
    ['no-store', { 'cache-control': 'no-store' }],
    ['private', { 'cache-control': 'private, max-age=60' }],
    ['a cookie', { ...fresh, 'set-cookie': ['id=1'] }],
  ])('each have their own answer where it has %s', async (_, head) => {
    const held: (() => void)[] = [];
    await start(({ headers }, response) => {
      held.push(() => void response.writeHead(200, head).end(`for ${headers['x-who']}`));
    });
    const readers = Array.from({ length: 6 }, (_unused, index) =>
      gateway.get('/k', { 'x-who': String(index) }, index % workers),
    );
    await turnsUntil('all wait', () => waitingAtAll() === 6 && held.length > 0);
    origin.answer = ({ headers }, response) =>
      void response.writeHead(200, head).end(`for ${headers['x-who']}`);
    for (const answer of held.splice(0)) answer();
    const answers = await Promise.all(readers);
    expect(answers.map(({ body }) => body.toString())).toEqual(
      readers.map((_unused, index) => `for ${index}`),
    );
    expect(origin.asked).toHaveLength(6);
  });

  it('are told apart by Vary', async () => {
    await start(numbered(() => ({ ...fresh, vary: 'foo' })));
    expect(await texts('/k', { foo: '1' })).toEqual(same('answer 1'));
    expect(await texts('/k', { foo: '2' })).toEqual(same('answer 2'));
    expect(await texts('/k', { foo: '1' })).toEqual(same('answer 1'));
    expect(await texts('/k')).toEqual(same('answer 3'));
  });

  it('get what the origin sends as it sends it, hints before it and its end where it breaks off', async () => {
    let sent: ServerResponse | undefined;
    await start((_asked, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.writeHead(200, { 'cache-control': 'no-store' });
      response.write('first');
      sent = response;
    });
    const hints: unknown[] = [];
    let body = '';
    let isCutOff = false;
    const asked = request(`${gateway.url(ownerAndOther('/k')[1])}/k`, answer => {
      answer.on('data', chunk => {
        body += chunk;
      });
      answer.on('error', () => {
        isCutOff = true;
      });
    });
    asked.on('information', ({ statusCode }) => hints.push(statusCode));
    asked.end();
    await turnsUntil('the first bytes have come', () => body === 'first');
    expect(hints).toEqual([103]);
    sent?.write(' second');
    await turnsUntil('the next have', () => body === 'first second');
    sent?.destroy();
    await turnsUntil('it is cut off', () => isCutOff);
  });

  it('alone get what is said of their request', async () => {
    const control = 'max-age=60, no-cache="x-own"';
    const head = { 'cache-control': control, 'x-own': 'yes', etag: '"1"', 'content-length': '8' };
    await start(numbered(() => head));
    const [, other] = ownerAndOther('/k');
    expect((await gateway.get('/k', {}, other)).headers['x-own']).toBe('yes');
    for (const worker of everyWorker)
      expect((await gateway.get('/k', {}, worker)).headers['x-own']).toBeUndefined();
    expect(origin.asked).toHaveLength(1);
  });

  it('get nothing that was confirmed for who is authorized', async () => {
    const clock = new ManualClock(Date.now());
    let isOpen = true;
    await start(
      ({ headers }, response) => {
        const date = new Date(clock.nowMs()).toUTCString();
        const head = { date, etag: '"1"', 'cache-control': 'max-age=60' };
        const isKnown = headers['if-none-match'] !== undefined;
        const status = isKnown ? 304 : isOpen ? 200 : 401;
        response.writeHead(headers.authorization === undefined && !isOpen ? 401 : status, head).end();
      },
      { clock },
    );
    const [, other] = ownerAndOther('/k');
    await text('/k', other);
    clock.advance(61_000);
    isOpen = false;
    expect((await gateway.get('/k', { authorization: 'Basic x' }, other)).status).toBe(200);
    expect((await gateway.get('/k', {}, other)).status).toBe(401);
  });

  it('are told of an origin that fails by the one that asks it', async () => {
    await start((_asked, response) => void response.destroy());
    const answers = await Promise.all(everyWorker.map(worker => gateway.get('/k', {}, worker)));
    for (const { status, headers } of answers)
      expect([status, headers['cache-status']]).toEqual([503, 'tidegate; fwd=miss; detail=broken']);
  });

  it('get no more of what is passed on than they take', async () => {
    const chunk = Buffer.alloc(2 ** 20, 'x');
    const chunks = 96;
    let [sent, quietTurns, isAll] = [0, 0, false];
    await start((_asked, response) => {
      response.writeHead(200, { 'cache-control': 'no-store' });
      const goOn = () => {
        while (sent < chunks) {
          quietTurns = 0;
          sent++;
          if (!response.write(chunk)) {
            response.once('drain', goOn);
            return;
          }
        }
        isAll = true;
        response.end();
      };
      goOn();
    });
    let take = () => Promise.resolve(0);
    const asked = request(`${gateway.url(ownerAndOther('/k')[1])}/k`, answer => {
      take = () =>
        new Promise(resolve => {
          let sizeBytes = 0;
          answer.on('data', bytes => {
            sizeBytes += bytes.length;
          });
          answer.on('end', () => resolve(sizeBytes));
        });
    });
    asked.end();
    await turnsUntil('the origin is held up', () => isAll || (sent > 0 && ++quietTurns > 2_000));
    expect(isAll).toBe(false);
    expect(await take()).toBe(chunks * chunk.length);
  });

  it('that ask by HEAD learn of what is held, and renew it', async () => {
    const clock = new ManualClock(Date.now());
    await start(
      (_asked, response) => {
        const date = new Date(clock.nowMs()).toUTCString();
        const head = { date, 'cache-control': 'max-age=60', etag: '"1"', 'content-length': 4 };
        response.writeHead(200, head).end('body');
      },
      { clock },
    );
    await text('/k', 0);
    for (const worker of everyWorker)
      expect((await gateway.head('/k', {}, worker)).headers['x-cache']).toBe('HIT');
    clock.advance(61_000);
    await gateway.head('/k', {}, ownerAndOther('/k')[1]);
    expect(await texts('/k')).toEqual(same('body'));
    expect(origin.asked.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
  });

  it('that take only what is held are told by the owner', async () => {
    await start(
      numbered(() => fresh),
      { policy: { clientDirectives: 'honour' } },
    );
    const only = { 'cache-control': 'only-if-cached' };
    for (const worker of everyWorker) expect((await gateway.get('/k', only, worker)).status).toBe(504);
    await text('/k', ownerAndOther('/k')[0]);
    expect(await texts('/k', only)).toEqual(same('answer 1'));
    expect(origin.asked).toHaveLength(1);
  });
});

describe('what other workers were told of', () => {
  it.each([
    ['its key', { kind: 'key', bucket: '/', key: '/a?b' }],
    ['a prefix', { kind: 'prefix', bucket: '/', prefix: '/a' }],
    ['its bucket', { kind: 'bucket', bucket: '/' }],
    ['a tag', { kind: 'tag', tag: 'news' }],
  ] as const)('law 5: is purged by %s', async (_, order) => {
    await start(countedHeads({ 'cache-tag': 'news' }));
    for (let time = 0; time < 2; time++) expect(await answersOf('/a?b')).toEqual(same('1'));
    for (const one of gateway.gateways) one.purge(order);
    expect(await answersOf('/a?b')).toEqual(same('2'));
  });

  it('ends with a change through any of them', async () => {
    await start(countedHeads({}));
    for (const worker of everyWorker) {
      const path = `/k${worker}`;
      const before = [...(await answersOf(path)), ...(await answersOf(path))];
      await gateway.send('POST', path, {}, worker);
      const after = await answersOf(path);
      expect([new Set(before).size, new Set(after).size]).toEqual([1, 1]);
      expect(after).not.toEqual(before);
    }
  });

  it('ends where one of them has it asked for anew', async () => {
    await start(
      numbered(() => fresh),
      { policy: { clientDirectives: 'honour' } },
    );
    for (let time = 0; time < 2; time++) expect(await texts('/k')).toEqual(same('answer 1'));
    const [owner, other] = ownerAndOther('/k');
    expect(await text('/k', other, { 'cache-control': 'no-cache' })).toBe('answer 2');
    expect(await texts('/k')).toEqual(same('answer 2'));
    expect(await text('/k', owner, { 'cache-control': 'no-cache' })).toBe('answer 3');
    expect(await texts('/k')).toEqual(same('answer 3'));
  });

  it('ends where its fields have changed, although its content has not', async () => {
    await start(
      (_asked, response) =>
        void response.writeHead(200, { ...fresh, etag: '"1"', 'x-answer': origin.asked.length }).end('body'),
      { policy: { clientDirectives: 'honour' } },
    );
    const [owner, other] = ownerAndOther('/k');
    for (let time = 0; time < 2; time++) await texts('/k');
    await text('/k', owner, { 'cache-control': 'no-cache' });
    expect((await gateway.get('/k', {}, other)).headers['x-answer']).toBe('2');
  });

  describe.each([
    ['packed', 250, 1],
    ['lost', 800, 0],
  ])('while its owner has %s it', (_, others, held) => {
    it.each(['GET', 'HEAD'])('ends where the owner learns of another one by %s', async method => {
      const clock = new ManualClock(Date.now());
      let version = 1;
      await start(
        (_asked, response) => {
          const head = { ...fresh, etag: `"${version}"`, 'content-length': 0, 'x-answer': version };
          response.writeHead(200, { ...head, 'x-long': 'x'.repeat(3_000) }).end();
        },
        { policy: { clientDirectives: 'honour' }, recordBytes: 2 ** 18, arenaBytes: 24 * 2 ** 20, clock },
      );
      const [owner, other] = ownerAndOther('/k');
      await gateway.get('/k', {}, other);
      // until then its owner keeps it at hand for who has just been told of it
      clock.advance(1_000);
      const paths = Array.from({ length: workers * others }, (_unused, index) => `/other${index}`);
      const owned = paths.filter(path => ownerAndOther(path)[0] === owner);
      for (const path of owned) await gateway.get(path, {}, owner);
      expect((await gateway.head('/k', {}, other)).headers['x-cache'], 'told').toBe('HIT');
      expect(gateway.gateways[owner]?.describe('/', '/k')?.records ?? []).toHaveLength(held);
      version = 2;
      await gateway.send(method, '/k', { 'cache-control': 'no-cache' }, owner);
      expect((await gateway.head('/k', {}, other)).headers['x-answer']).toBe('2');
    });
  });

  it('is read anew where it has changed before its first byte', async () => {
    let content = Buffer.alloc(3 * 2 ** 20, 'a');
    let tag = '"a"';
    await start(({ headers }, response) => {
      const head = { ...fresh, etag: tag };
      const [, first, last] = /=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
      if (headers['if-match'] !== undefined && headers['if-match'] !== tag)
        response.writeHead(412, head).end();
      else if (first === undefined) response.writeHead(200, head).end(content);
      else {
        const range = `bytes ${first}-${last}/${content.length}`;
        response.writeHead(206, { ...head, 'content-range': range });
        response.end(content.subarray(Number(first), Number(last) + 1));
      }
    });
    const [, other] = ownerAndOther('/k');
    await gateway.get('/k', { range: 'bytes=0-9' }, other);
    content = Buffer.alloc(2 * 2 ** 20, 'b');
    tag = '"b"';
    const answer = await gateway.get('/k', { range: 'bytes=1500000-1500003' }, other);
    expect([answer.status, answer.body.toString()]).toEqual([206, 'bbbb']);
  });

  it('is there still when they read it, though other answers have come since', async () => {
    const held: (() => void)[] = [];
    const bodies = Array.from({ length: 12 }, (_unused, number) => Buffer.alloc(100_000, `${number} `));
    await start((_asked, response) => {
      const [number, body] = [held.length, bodies[held.length]];
      const head = { ...fresh, etag: `"${number}"`, 'content-length': 100_000 };
      held.push(() => void response.writeHead(200, head).end(body));
    });
    const [, other] = ownerAndOther('/k');
    // each asks for itself
    const reads = bodies.map((_body, user) =>
      gateway.get('/k', { cookie: `user=${user}`, 'if-match': '*' }, other),
    );
    await turnsUntil('all are asked for', () => held.length === bodies.length);
    for (const answer of held) answer();
    const answers = await Promise.all(reads);
    expect(answers.every(({ body }) => bodies.some(known => known.equals(body)))).toBe(true);
    expect(origin.asked).toHaveLength(bodies.length);
  });

  it.each(['the owner', 'another'])(
    'is passed on where it changes before each first byte (%s)',
    async who => {
      const body = Buffer.alloc(2 ** 20, 'x');
      let changes = 0;
      await start(({ headers }, response) => {
        if (headers['if-match'] !== undefined) response.writeHead(412).end();
        else if (changes === 3) response.writeHead(200, fresh).end(body);
        else {
          changes++;
          response.writeHead(200, { ...fresh, etag: `"${changes}"`, 'content-length': body.length });
          response.flushHeaders();
          setImmediate(() => response.destroy());
        }
      });
      const [owner, other] = ownerAndOther('/k');
      const answer = await gateway.get('/k', {}, who === 'the owner' ? owner : other);
      expect([answer.status, answer.body.equals(body)]).toEqual([200, true]);
      expect(answer.headers['cache-status']).toBe('tidegate; fwd=uri-miss; fwd-status=200');
    },
  );

  it('is served stale while one question renews it for all', async () => {
    const clock = new ManualClock(Date.now());
    const head = () => ({
      date: new Date(clock.nowMs()).toUTCString(),
      'cache-control': 'max-age=1, stale-while-revalidate=60',
    });
    await start(numbered(head), { clock, policy: { maxStaleMs: 60_000 } });
    expect(await texts('/k')).toEqual(same('answer 1'));
    const held: (() => void)[] = [];
    origin.answer = (_asked, response) =>
      void held.push(() => response.writeHead(200, head()).end('renewed'));
    clock.advance(5_000);
    for (const worker of everyWorker) {
      const answer = await gateway.get('/k', {}, worker);
      expect([answer.body.toString(), answer.headers['x-cache']]).toEqual(['answer 1', 'STALE']);
    }
    await turnsUntil('the origin is asked', () => held.length > 0);
    for (const answer of held) answer();
    for (const worker of everyWorker) await expect.poll(() => text('/k', worker)).toBe('renewed');
    expect(origin.asked).toHaveLength(2);
  });

  describe('where the rest of what is held could lately not be had', () => {
    const body = Buffer.alloc(3 * 2 ** 20, 'x');
    const anew = { 'cache-control': 'no-cache' };
    /** Called before a confirmation is answered. */
    let confirming: () => Promise<void>;

    beforeEach(async () => {
      confirming = async () => {};
      await start(
        ({ headers: { range = '', ...headers } }, response) => {
          const known = { ...fresh, etag: '"1"' };
          const [, first, last] = (/(\d+)-(\d+)/.exec(range) ?? []).map(Number);
          if (headers['if-match'] !== undefined) response.writeHead(503).end();
          else if (headers['if-none-match'] !== undefined)
            void confirming().then(() => response.writeHead(304, known).end());
          else if (first === undefined || last === undefined)
            response.writeHead(200, { ...known, 'content-length': body.length }).end(body);
          else
            response
              .writeHead(206, { ...known, 'content-range': `bytes ${first}-${last}/${body.length}` })
              .end(body.subarray(first, last + 1));
        },
        { policy: { clientDirectives: 'honour' } },
      );
    });

    async function holdPart(): Promise<number> {
      const [owner] = ownerAndOther('/k');
      const part = { range: 'bytes=0-9' };
      expect((await gateway.get('/k', part, owner)).status).toBe(206);
      // its rest is asked for with If-Match
      await gateway.get('/k', { range: 'bytes=2500000-2500009' }, owner).catch(() => undefined);
      return owner;
    }

    it('all of it is asked for instead of a confirmation', async () => {
      const owner = await holdPart();
      for (const agent of ['a', 'b'])
        expect(await text('/k', owner, { ...anew, 'user-agent': agent })).toHaveLength(body.length);
      const many = ['c', 'd', 'e'].map(agent => text('/k', owner, { ...anew, 'user-agent': agent }));
      for (const whole of await Promise.all(many)) expect(whole).toHaveLength(body.length);
    });

    it('who waits for what is confirmed for others gets all of it', async () => {
      const owner = await holdPart();
      const { promise: isAsked, resolve: asks } = Promise.withResolvers<void>();
      const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
      confirming = () => {
        asks();
        return isWaiting;
      };
      const first = gateway.get('/k', { ...anew, range: 'bytes=0-9' }, owner);
      await isAsked;
      const whole = text('/k', owner, { ...anew, 'user-agent': 'b' });
      const coalesced = async () => {
        const families = await gateway.metrics[owner]?.snapshot();
        return families?.find(({ name }) => name === 'tidegate_coalesced_requests_total')?.values[0]?.value;
      };
      await expect.poll(coalesced).toBe(1);
      waits();
      expect((await first).status).toBe(206);
      expect(await whole).toHaveLength(body.length);
    });
  });

  describe.each([503, 500, 429, 425, 408, 'a cut'] as const)('where the origin fails (%s)', failure => {
    const body = Buffer.alloc(3 * 2 ** 20, 'x');
    const head = { ...fresh, etag: '"1"' };
    const status = failure === 'a cut' ? 503 : failure;
    let clock: ManualClock;
    let isFailing: boolean;

    beforeEach(async () => {
      clock = new ManualClock();
      isFailing = false;
      await start(
        ({ headers }, response) => {
          if (isFailing && failure === 'a cut') response.destroy();
          else if (isFailing) response.writeHead(status).end('failing');
          else answerRange(response, headers.range);
        },
        { clock },
      );
    });

    function answerRange(response: ServerResponse, range = ''): void {
      const [, first, last] = (/(\d+)-(\d+)/.exec(range) ?? []).map(Number);
      if (first === undefined || last === undefined) {
        response.writeHead(200, { ...head, 'content-length': body.length }).end(body);
        return;
      }
      const fields = { ...head, 'content-range': `bytes ${first}-${last}/${body.length}` };
      response.writeHead(206, fields).end(body.subarray(first, last + 1));
    }

    async function part(first: number, worker: number) {
      const range = `bytes=${first}-${first + 9}`;
      const answered = gateway.get('/k', { range }, worker);
      // who fails is asked again after a while
      const { headers, ...answer } = await (isFailing ? whileTimePasses(clock, answered) : answered);
      return [answer.status, headers['x-cache']];
    }

    it('to give the rest, what is held is a hit still, and who wants more is told that', async () => {
      const [owner, other] = ownerAndOther('/k');
      for (const worker of [owner, owner, other]) await part(0, worker);
      isFailing = true;
      for (const worker of [other, owner]) {
        expect(await part(2_500_000, worker)).toEqual([status, 'MISS']);
        for (const reader of everyWorker) expect(await part(0, reader)).toEqual([206, 'HIT']);
      }
    });

    it('to give the rest, conditions are still judged by what is held', async () => {
      const [owner, other] = ownerAndOther('/k');
      for (const worker of [owner, owner, other]) await part(0, worker);
      isFailing = true;
      await part(2_500_000, other);
      const asked = origin.asked.length;
      for (const worker of everyWorker) {
        const known = await gateway.get('/k', { 'if-none-match': '"1"' }, worker);
        const range = await gateway.get('/k', { range: 'bytes=0-9', 'if-range': '"1"' }, worker);
        expect([known.status, range.status]).toEqual([304, 206]);
      }
      expect(origin.asked).toHaveLength(asked);
    });

    it('to give the rest, whoever is to get all by a condition is passed on', async () => {
      const [owner] = ownerAndOther('/k');
      for (let time = 0; time < 2; time++) await part(0, owner);
      isFailing = true;
      await part(2_500_000, owner);
      isFailing = false;
      const before = origin.asked.length;
      const whole = await gateway.get('/k', { 'if-none-match': '"0"' }, owner);
      expect([whole.status, whole.body.length]).toEqual([200, body.length]);
      const agents = origin.asked.slice(before).map(({ headers }) => headers['user-agent']);
      expect(agents, 'in the name of the client').toEqual([undefined]);
    });

    it('to give the rest alone, the whole is passed on as it comes', async () => {
      const [owner, other] = ownerAndOther('/k');
      for (const worker of [owner, owner, other]) await part(0, worker);
      isFailing = true;
      await part(2_500_000, other);
      isFailing = false;
      // many firewalls refuse those whom they do not know
      const { answer } = origin;
      origin.answer = (asked, response) => {
        if (asked.headers['if-match'] === undefined) answer(asked, response);
        else response.writeHead(503).end();
      };
      for (const worker of everyWorker) expect(await text('/k', worker)).toHaveLength(body.length);
    });

    it('to give the rest of what has begun, one answer is cut, and the next readers get all of it', async () => {
      const [owner, other] = ownerAndOther('/k');
      for (const worker of [owner, owner, other]) await part(0, worker);
      const { answer } = origin;
      origin.answer = (asked, response) => {
        isFailing = asked.headers['if-match'] !== undefined;
        answer(asked, response);
      };
      await expect(whileTimePasses(clock, gateway.get('/k', {}, other))).rejects.toThrow();
      for (const worker of everyWorker) expect(await text('/k', worker)).toHaveLength(body.length);
    });

    it('to give the rest, what is stale is renewed by an answer with the whole of it', async () => {
      const [owner] = ownerAndOther('/k');
      await part(0, owner);
      clock.advance(3_600_000);
      isFailing = true;
      await part(2_500_000, owner);
      isFailing = false;
      expect(await text('/k', owner)).toHaveLength(body.length);
      expect(await part(0, owner)).toEqual([206, 'HIT']);
    });

    it('to give the rest, an error that may be kept takes the place of nothing that is held', async () => {
      const [owner, other] = ownerAndOther('/k');
      for (const worker of [owner, owner, other]) await part(0, worker);
      isFailing = true;
      await part(2_500_000, other);
      origin.answer = (_asked, response) => void response.writeHead(503, fresh).end('failing');
      for (const worker of [other, owner]) expect(await part(2_500_000, worker)).toEqual([503, 'MISS']);
      for (const worker of everyWorker) expect(await part(0, worker)).toEqual([206, 'HIT']);
    });

    it('to give the rest alone, those who wait for who is passed on get the whole as well', async () => {
      const [owner] = ownerAndOther('/k');
      await part(0, owner);
      const { answer } = origin;
      isFailing = true;
      await part(2_500_000, owner);
      isFailing = false;
      origin.answer = (asked, response) => {
        if (asked.headers['if-match'] === undefined) answer(asked, response);
        else response.writeHead(503).end();
      };
      const whole = ['a', 'b', 'c', 'd'].map(agent => text('/k', owner, { 'user-agent': agent }));
      expect((await Promise.all(whole)).map(({ length }) => length)).toEqual(Array(4).fill(body.length));
    });

    it('to give the rest, that is fetched for nobody for five seconds', async () => {
      const [owner, other] = ownerAndOther('/k');
      for (const worker of [owner, owner, other]) await part(0, worker);
      isFailing = true;
      expect(await part(2_500_000, other)).toEqual([status, 'MISS']);
      isFailing = false;
      for (const worker of [other, owner]) {
        const before = origin.asked.length;
        expect(await part(2_500_000, worker)).toEqual([206, 'MISS']);
        expect(origin.asked.slice(before).map(({ headers }) => headers['user-agent'])).toEqual([undefined]);
      }
      clock.advance(5_000);
      expect(await part(2_500_000, other)).toEqual([206, 'MISS']);
      for (const reader of everyWorker) expect(await part(2_500_000, reader)).toEqual([206, 'HIT']);
    });
  });

  it('is the same that a client has already, as every worker knows without asking its owner', async () => {
    const tagged = { ...fresh, etag: '"1"' };
    const part = { ...tagged, 'content-range': `bytes 0-9/${3 * 2 ** 20}` };
    await start((_asked, response) => void response.writeHead(206, part).end('0123456789'));
    const [owner, other] = ownerAndOther('/k');
    for (const worker of [owner, other]) await gateway.get('/k', { range: 'bytes=0-9' }, worker);
    const calls = vi.spyOn(PeerLink.prototype, 'call');
    onTestFinished(() => calls.mockRestore());
    const known = await gateway.get('/k', { 'if-none-match': '"1"' }, other);
    expect([known.status, known.headers['x-cache'], calls.mock.calls.length]).toEqual([...[304, 'HIT', 0]]);
  });

  it('is asked for anew where its bytes have been given up', async () => {
    const body = Buffer.alloc(2 * 2 ** 20, 'x');
    const displacingBody = Buffer.alloc(2 * 2 ** 20, 'y');
    await start(
      ({ url }, response) => void response.writeHead(200, fresh).end(url === '/k' ? body : displacingBody),
      {
        arenaBytes: 24 * 2 ** 20,
      },
    );
    const [owner, other] = ownerAndOther('/k');
    await text('/k', other);
    const displacing = Array.from({ length: 60 }, (_unused, index) => `/other-${index}`);
    for (const path of displacing) if (ownerAndOther(path)[0] === owner) await text(path, owner);
    const answer = await gateway.get('/k', {}, other);
    expect(answer.body.equals(body)).toBe(true);
  });
});

/** The owners of names that are read are blocked. */
async function whileNobodyAnswersPeers(read: () => Promise<void>): Promise<void> {
  const calls = vi.spyOn(PeerLink.prototype, 'call');
  calls.mockImplementation(() => Promise.reject(new OwnerLostError('does not answer')));
  await read().finally(() => calls.mockRestore());
}

describe('a worker', () => {
  it('whose peers have gone asks the origin itself', async () => {
    await start(numbered(() => fresh));
    expect(await texts('/k')).toEqual(same('answer 1'));
    await gateway.cutChannels();
    for (const worker of everyWorker) expect(await text('/k', worker)).toMatch(/^answer \d$/);
    expect(origin.asked.length).toBeLessThanOrEqual(1 + workers);
  });

  it('that has answered in place of a blocked peer has that ask anew', async () => {
    await start(numbered(() => fresh));
    const [owner, other] = ownerAndOther('/k');
    expect(await text('/k', owner)).toBe('answer 1');
    await whileNobodyAnswersPeers(async () => {
      expect(await text('/k', other)).toBe('answer 2');
      // that has outdated what the owner holds, and so itself; the next is kept as long as the owner is blocked
      expect([await text('/k', other), await text('/k', other)]).toEqual(['answer 3', 'answer 3']);
    });
    expect(await text('/k', owner)).toBe('answer 4');
    expect(await texts('/k')).toEqual(same('answer 4'));
  });

  it('that was told in place of a blocked peer that the origin fails leaves what that holds', async () => {
    let isWell = true;
    await start((asked, response) =>
      isWell ? numbered(() => fresh)(asked, response) : void response.writeHead(503).end(),
    );
    const [owner, other] = ownerAndOther('/k');
    expect(await text('/k', owner)).toBe('answer 1');
    isWell = false;
    await whileNobodyAnswersPeers(async () => {
      expect((await gateway.get('/k', {}, other)).status).toBe(503);
    });
    expect(await texts('/k')).toEqual(same('answer 1'));
  });

  it('that is answered when a blocked peer goes on has that ask anew, too', async () => {
    const held: ServerResponse[] = [];
    await start((asked, response) => {
      if (asked.headers['x-held'] === undefined) numbered(() => fresh)(asked, response);
      else held.push(response);
    });
    const [owner, other] = ownerAndOther('/k');
    expect(await text('/k', owner)).toBe('answer 1');
    let late: Promise<string> | undefined;
    await whileNobodyAnswersPeers(async () => {
      late = text('/k', other, { 'x-held': '1' });
      await turnsUntil('the origin is asked', () => held.length === 1);
    });
    expect(await text('/k', other)).toBe('answer 1');
    held[0]?.writeHead(200, fresh).end('late');
    expect(await late).toBe('late');
    expect(await texts('/k')).toEqual(same('answer 3'));
  });

  it('keeps nothing that it has learned in place of a blocked peer for the next time', async () => {
    await start(numbered(() => fresh));
    const [, other] = ownerAndOther('/k');
    await whileNobodyAnswersPeers(async () => {
      for (const answer of ['answer 1', 'answer 2', 'answer 2']) expect(await text('/k', other)).toBe(answer);
    });
    expect(await texts('/k')).toEqual(same('answer 3'));
    await gateway.cutChannels();
    expect(await text('/k', other)).toBe('answer 4');
  });

  it('that waits for a peer which goes asks itself, and cuts off what it has begun', async () => {
    const held: ServerResponse[] = [];
    await start((_asked, response) => void held.push(response));
    const [, other] = ownerAndOther('/k');
    const waiting = gateway.get('/k', {}, other);
    await turnsUntil('the origin is asked', () => held.length === 1);
    let body = '';
    let isCutOff = false;
    const begun = request(`${gateway.url(ownerAndOther('/begun')[1])}/begun`, answer => {
      answer.on('data', chunk => {
        body += chunk;
      });
      answer.on('error', () => {
        isCutOff = true;
      });
    });
    begun.end();
    await turnsUntil('it is asked twice', () => held.length === 2);
    held[1]?.writeHead(200, { 'cache-control': 'no-store' }).write('first');
    await turnsUntil('the second has begun', () => body === 'first');
    await gateway.cutChannels();
    await turnsUntil('the origin is asked again', () => held.length === 3);
    held[2]?.writeHead(200, fresh).end('own');
    expect((await waiting).body.toString()).toBe('own');
    await turnsUntil('the second is cut off', () => isCutOff);
  });

  it('whose client leaves ends what nobody else waits for', async () => {
    let isCutOff = false;
    await start((_asked, response) => {
      response.writeHead(200, fresh);
      response.write('the beginning');
      response.on('close', () => {
        isCutOff = true;
      });
    });
    const [owner, other] = ownerAndOther('/k');
    const ask = (worker: number) => {
      const sent = request(`${gateway.url(worker)}/k`, answer => answer.resume()).on(
        'error',
        () => undefined,
      );
      sent.end();
      return sent;
    };
    const first = ask(other);
    await turnsUntil('it is asked', () => origin.asked.length === 1);
    const second = ask(owner);
    await turnsUntil('the second waits', () => waitingAtAll() === 2);
    first.destroy();
    await turnsUntil('the first has left', () => waitingAtAll() === 1);
    expect(isCutOff).toBe(false);
    second.destroy();
    await turnsUntil('the origin is told', () => isCutOff);
    expect(origin.asked).toHaveLength(1);
  });
});

it('an older answer for all hides no newer one that varies, at any worker', async () => {
  const clock = new ManualClock(Date.now());
  let vary: Record<string, string> = {};
  await start(
    numbered(() => ({ ...fresh, date: new Date(clock.nowMs()).toUTCString(), ...vary })),
    { clock, policy: { clientDirectives: 'honour' } },
  );
  const english = { 'accept-language': 'en' };
  const french = { 'accept-language': 'fr' };
  expect(await texts('/k', french)).toEqual(same('answer 1'));
  vary = { vary: 'accept-language' };
  clock.advance(2_000);
  await text('/k', ownerAndOther('/k')[0], { ...english, 'cache-control': 'no-cache' });
  for (let time = 0; time < 2; time++) {
    expect(await texts('/k', french)).toEqual(same('answer 1'));
    expect(await texts('/k', english)).toEqual(same('answer 2'));
  }
});
