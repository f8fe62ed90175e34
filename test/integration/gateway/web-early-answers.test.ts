import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { talk } from '../../support/talk.ts';
import { TestGateway } from '../../support/test-gateway.ts';

let origin: Server;
let gateway: TestGateway;
let asked: string[];
/** How much later it is than the timers know. */
let shiftMs: number;

beforeEach(async () => {
  asked = [];
  shiftMs = 0;
  origin = createServer((request, response) => {
    const { method, url = '' } = request;
    asked.push(`${method} ${url}`);
    if (url === '/echo') {
      response.flushHeaders();
      request.pipe(response);
      return;
    }
    // no body is read
    const status = Number(url.slice(1));
    response.writeHead(status, { 'cache-control': 'max-age=600', etag: '"1"' });
    response.end(status === 204 ? undefined : 'taken');
  });
  gateway = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    listener: 'worker',
    buckets: {},
    web: { url: await listenLocally(origin), name: '/' },
    clock: {
      nowMs: () => systemClock.nowMs() + shiftMs,
      monotonicMs: () => systemClock.monotonicMs() + shiftMs,
      after: (delayMs, due) => systemClock.after(delayMs, due),
    },
  });
});

afterEach(async () => {
  await gateway.close();
  origin.closeAllConnections();
  origin.close();
});

/** Of most of its body nothing comes. */
const begun = (status: number) =>
  `POST /${status} HTTP/1.1\r\nHost: gateway\r\nContent-Length: 4000000\r\n\r\n${'a'.repeat(1_000)}`;

it.each([200, 204, 401])(
  'an answer %i that comes before the body of its request has ended is passed on (RFC 9110 §7.5)',
  async status => {
    const [answer] = await talk(gateway.url(), begun(status), 1);
    expect(answer?.head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    // the rest of the body stays unread
    expect(answer?.head.toLowerCase()).toContain('connection: close');
    expect(asked).toEqual([`POST /${status}`]);
  },
);

it('so it is for a large body that is on its way, and the origin is asked by others afterwards', async () => {
  for (const status of [200, 204, 200]) {
    const body = Buffer.alloc(4_000_000, 'a');
    expect((await rawRequest(gateway.url(), { method: 'POST', path: `/${status}`, body })).status).toBe(
      status,
    );
    expect((await gateway.get('/200')).body.toString()).toBe('taken');
  }
});

it('an origin that answers while it reads gets the whole body', async () => {
  const { port, hostname } = new URL(gateway.url());
  const post = request({ host: hostname, port, path: '/echo', method: 'POST', agent: false });
  post.write('one ');
  const [answer] = (await once(post, 'response')) as [IncomingMessage];
  const ended = once(answer, 'end');
  let heard = '';
  answer.setEncoding('latin1').on('data', text => {
    heard += text;
    if (heard === 'one ') post.write('two ');
    if (heard === 'one two ') post.end('three');
  });
  await ended;
  expect(heard).toBe('one two three');
});

it('what is held of a target that an origin may still be changing is asked for each time', async () => {
  const status = async () => (await gateway.get('/200')).headers['x-cache'];
  expect([await status(), await status()]).toEqual(['MISS', 'HIT']);
  await rawRequest(gateway.url(), { method: 'POST', path: '/200', body: 'whole' });
  expect([await status(), await status()]).toEqual(['MISS', 'HIT']);
  await talk(gateway.url(), begun(200), 1);
  expect([await status(), await status()]).not.toContain('HIT');
});

it.each(['is whole', 'breaks off'])(
  'what is confirmed while the body of a change still comes is asked for again once it %s',
  async how => {
    const page = async () => {
      const { body, headers } = await gateway.get('/page');
      return `${body.toString()} ${headers['x-cache']}`;
    };
    let version = 1;
    const changed = Promise.withResolvers<void>();
    origin.removeAllListeners('request').on('request', (request, response) => {
      if (request.method === 'GET')
        response
          .writeHead(200, { 'cache-control': 'max-age=600', etag: `"${version}"` })
          .end(`version ${version}`);
      else {
        response.flushHeaders();
        request.resume().on('close', () => {
          version = 2;
          response.end();
          changed.resolve();
        });
      }
    });
    const { port, hostname } = new URL(gateway.url());
    const post = request({ host: hostname, port, path: '/page', method: 'POST', agent: false });
    post.on('error', () => undefined);
    post.write('one ');
    const [answer] = (await once(post, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined).resume();
    // a minute later
    shiftMs = 61_000;
    expect([await page(), await page()]).toEqual(['version 1 MISS', 'version 1 HIT']);
    if (how === 'is whole') post.end('two');
    else post.destroy();
    await changed.promise;
    if (how === 'is whole') await once(answer, 'end');
    expect(await page()).toMatch(/^version 2/);
  },
);
