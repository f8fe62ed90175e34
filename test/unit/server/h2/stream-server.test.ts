import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import type { HttpListenerOptions } from '../../../../src/server/http-listener.ts';
import { letContinue } from '../../../../src/transport/request-bodies.ts';
import { StreamResponse } from '../../../../src/transport/stream-response.ts';
import { queuedBytes } from '../../../../src/transport/write-queue.ts';
import { defaultLimits } from '../../../support/client-limits.ts';
import { localIdentity } from '../../../support/local-identity.ts';
import { answerOf, listenSecurely, openSession } from '../../../support/secure-listener.ts';
import { describingBytes } from '../../../support/self-describing.ts';
import { turnsUntil } from '../../../support/turns-until.ts';

type Handle = HttpListenerOptions['handle'];

const start = (handle: Handle, options: Partial<HttpListenerOptions> = {}) =>
  listenSecurely(handle, {
    takesBody: ({ method }) => method === 'PUT',
    answerUnreadable: why => ({
      requestId: `id of ${why}`,
      text: `HTTP/1.1 405 Refused\r\nx-why: ${why}\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno`,
    }),
    ...options,
  });

/** More than the buffers of two sockets take. */
const WINDOW_BYTES = 32 * 1024 * 1024;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A preface, windows of `WINDOW_BYTES` and a GET (RFC 9113 §3.4, §6.5, §6.9, §6.2). */
function requestOfUnreadAnswer(): Buffer {
  const window = Buffer.alloc(6);
  window.writeUInt16BE(4, 0);
  window.writeUInt32BE(WINDOW_BYTES, 2);
  const more = Buffer.alloc(4);
  more.writeUInt32BE(WINDOW_BYTES);
  // :method GET, :scheme https, :path / of the static table, and :authority a (RFC 7541, Appendix A)
  const fields = Buffer.from([0x82, 0x87, 0x84, 0x41, 0x01, 0x61]);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(0x4, 0, 0, window),
    frame(0x8, 0, 0, more),
    frame(0x1, 0x5, 1, fields),
  ]);
}

const get = (session: ClientHttp2Session, path = '/', fields: object = {}) =>
  answerOf(session.request({ ':path': path, ...fields }));

const echo: Handle = ({ method, url, httpVersion, rawHeaders }, response) => {
  response.writeHead(200, ['X-Kept', 'a', 'x-kept', 'b', 'Connection', 'close']);
  response.end(JSON.stringify({ method, url, httpVersion, rawHeaders }));
};

it('a request comes with Host, and its cookies in one line; fields of connections are not sent', async () => {
  const session = await openSession(await start(echo));
  const { headers, body } = await get(session, '/a?b', {
    cookie: ['a=1', 'b=2'],
    'x-amz-meta-a': 'caf\u00e9',
  });
  const asked = JSON.parse(body.toString());
  expect(asked).toMatchObject({ method: 'GET', url: '/a?b', httpVersion: '2.0' });
  expect(asked.rawHeaders.slice(0, 2)).toEqual(['host', expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
  expect(asked.rawHeaders).toEqual(expect.arrayContaining(['cookie', 'a=1; b=2']));
  expect(headers).toMatchObject({ ':status': 200, 'x-kept': 'a, b' });
  expect(headers).not.toHaveProperty('connection');
});

it('a Host field that contradicts the authority stays beside it, and one that repeats it does not', async () => {
  const session = await openSession(await start(echo));
  const hostsOf = async (host: string) => {
    const { body } = await get(session, '/', { ':authority': 'one.test', host });
    const { rawHeaders } = JSON.parse(body.toString()) as { rawHeaders: string[] };
    return rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)] === 'host' && index % 2 === 1);
  };
  expect(await hostsOf('two.test')).toEqual(['one.test', 'two.test']);
  expect(await hostsOf('one.test')).toEqual(['one.test']);
});

it('long bodies go through one piece at a time, whole and in order, beside other streams', async () => {
  const body = describingBytes({ object: 1, version: 2 }, 0, 4 * 1024 * 1024);
  const responses: ServerResponse[] = [];
  const listener = await start((request, response) => {
    if (request.url === '/small') return void response.end('small');
    responses.push(response);
    response.writeHead(200, ['content-length', String(body.length)]);
    response.write(body, () => response.end());
  });
  const session = await openSession(listener);
  const stream = session.request({ ':path': '/long' });
  await once(stream, 'response');
  // the long one is not read: its window is soon full
  expect((await get(session, '/small')).body.toString()).toBe('small');
  const [response] = responses;
  if (!(response instanceof StreamResponse)) throw new Error('no stream');
  expect(queuedBytes(response.body)).toBeGreaterThan(body.length / 2);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(body)).toBe(true);
  await expect.poll(() => response.writableFinished).toBe(true);
});

it('a client that resets a stream ends its response and its body, and no other', async () => {
  const ended = Promise.withResolvers<{ finished: boolean; aborted: boolean }>();
  const listener = await start((request, response) => {
    if (request.url !== '/waits') return void response.end('other');
    request.on('error', () => undefined).resume();
    response.once('close', () =>
      ended.resolve({ finished: response.writableFinished, aborted: request.aborted }),
    );
  });
  const session = await openSession(listener);
  const stream = session.request({ ':method': 'PUT', ':path': '/waits' });
  stream.on('error', () => undefined).write('begin');
  expect((await get(session)).body.toString()).toBe('other');
  stream.destroy(new Error('leaves'));
  expect(await ended.promise).toEqual({ finished: false, aborted: true });
  expect((await get(session)).body.toString()).toBe('other');
});

it('a broken answer resets its stream: it does not look complete', async () => {
  const listener = await start((_request, response) => {
    response.writeHead(200, []);
    response.write('half', () => response.destroy());
  });
  const stream = (await openSession(listener)).request({ ':path': '/' });
  const [error] = await once(stream.resume(), 'error');
  expect(error).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
});

it('a body arrives whole, and its client is told to go on only when the handler says so', async () => {
  const body = describingBytes({ object: 1, version: 2 }, 0, 1024 * 1024);
  const told: string[] = [];
  const listener = await start(async (request: IncomingMessage, response: ServerResponse) => {
    told.push('asked');
    await new Promise(resolve => setImmediate(resolve));
    letContinue(request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end(String(Buffer.concat(chunks).equals(body)));
  });
  const session = await openSession(listener);
  const stream = session.request({ ':method': 'PUT', ':path': '/', expect: '100-continue' });
  stream.once('continue', () => {
    told.push('continue');
    stream.end(body);
  });
  expect((await answerOf(stream)).body.toString()).toBe('true');
  expect(told).toEqual(['asked', 'continue']);
});

it('HEAD, CONNECT and drained sessions end as they should', async () => {
  const listener = await start((_request, response) => {
    response.writeHead(200, ['content-length', '5']);
    response.end();
  });
  const session = await openSession(listener);
  const { headers, body } = await answerOf(session.request({ ':method': 'HEAD', ':path': '/' }));
  expect(headers).toMatchObject({ ':status': 200, 'content-length': '5' });
  expect(body).toHaveLength(0);
  const tunnel = await answerOf(session.request({ ':method': 'CONNECT', ':authority': 'elsewhere:1' }));
  expect(tunnel.headers).toMatchObject({ ':status': 405, 'x-why': 'tunnel' });
  const goaway = once(session, 'goaway');
  await listener.drain(10_000);
  expect(await goaway).toContain(constants.NGHTTP2_NO_ERROR);
});

it('streams resets in rapid succession end the session', async () => {
  let handled = 0;
  const listener = await start(() => void handled++);
  const session = await openSession(listener);
  const closed = new Promise(resolve => session.once('close', resolve));
  const flood = () => {
    for (let stream = 0; stream < 50 && !session.destroyed; stream++) {
      const asked = session.request({ ':path': '/' });
      asked.on('error', () => undefined).close(constants.NGHTTP2_CANCEL);
    }
    if (!session.destroyed) setImmediate(flood);
  };
  flood();
  await closed;
  expect(handled).toBeLessThan(1_000);
});

it('streams beyond the limit of a client are refused in a way that it may repeat', async () => {
  const waiting: ServerResponse[] = [];
  const limits = { ...defaultLimits, requests: 4 };
  const listener = await start((_request, response) => void waiting.push(response), { limits });
  const session = await openSession(listener);
  const streams = [1, 2].map(() => session.request({ ':path': '/' }));
  await expect.poll(() => waiting.length).toBe(2);
  const third = session.request({ ':path': '/' });
  await new Promise(resolve => third.on('error', () => undefined).once('close', resolve));
  expect(third.rstCode).toBe(constants.NGHTTP2_REFUSED_STREAM);
  const answers = streams.map(answerOf);
  for (const response of waiting) response.end('done');
  expect((await Promise.all(answers)).map(({ body }) => body.toString())).toEqual(['done', 'done']);
});

it('floods of frames that only want to be acknowledged end the session', async () => {
  const session = await openSession(await start(echo), { maxOutstandingPings: 2_000 });
  const closed = new Promise(resolve => session.once('close', resolve));
  for (let ping = 0; ping < 1_000; ping++) session.ping(() => undefined);
  await closed;
});

it.each(['from the start', 'later'])(
  'a body that comes more slowly than is allowed %s is answered with 408 or its like, and its stream ends',
  async when => {
    const timeouts = { ...defaultLimits.timeouts, bodyMs: 100 };
    const strict = { ...defaultLimits, timeouts, minRateBytes: 1_000_000 };
    const listener = await start(request => void request.on('error', () => undefined).resume(), {
      limits: when === 'later' ? defaultLimits : strict,
    });
    listener.limit(strict, undefined);
    const stream = (await openSession(listener)).request({ ':method': 'PUT', ':path': '/' });
    stream.write('slow');
    const { headers } = await answerOf(stream);
    expect(headers).toMatchObject({ 'x-why': 'too-slow' });
  },
);

it('ends all streams of a client that has closed its side, however little of its windows is left', async () => {
  let [begun, ended] = [0, 0];
  const listener = await start((_request, response) => {
    begun++;
    response.once('close', () => ended++);
    response.writeHead(200, {});
    response.write(Buffer.alloc(65_536));
  });
  const socket = connectTls({
    ...{ host: '127.0.0.1', port: listener.port },
    ...{ ca: localIdentity().caPem, ALPNProtocols: ['h2'] },
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  const session = await openSession(listener, {
    createConnection: () => socket,
    settings: { initialWindowSize: 0 },
  });
  for (let stream = 0; stream < 5; stream++) session.request({ ':path': '/' }).on('error', () => undefined);
  await turnsUntil('all streams have begun', () => begun === 5);
  expect(ended).toBe(0);
  socket.end();
  await turnsUntil('all streams have ended', () => ended === 5);
});

it('closes the connection of a client that has closed its side, although what was begun for it cannot be written', async () => {
  const served = Promise.withResolvers<Socket>();
  const listener = await start((request, response) => {
    response.writeHead(200, {});
    response.write(Buffer.alloc(WINDOW_BYTES), () => undefined);
    served.resolve(request.socket);
  });
  const socket = connectTls({
    ...{ host: '127.0.0.1', port: listener.port, allowHalfOpen: true },
    ...{ ca: localIdentity().caPem, ALPNProtocols: ['h2'] },
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  // it never reads: the answer fills the buffers of both sides
  socket.pause();
  socket.end(requestOfUnreadAnswer());
  const secure = await served.promise;
  await once(secure, 'end');
  expect(secure.destroyed).toBe(true);
});

it('sends fields whose names every object has, and none of connections', async () => {
  const listener = await start((_request, response) => {
    response.writeHead(200, ['constructor', 'v2', 'HTTP2-Settings', 'AAAA', 'Proxy-Connection', 'close']);
    response.end('whole');
  });
  const { headers, body } = await get(await openSession(listener));
  expect(headers).toMatchObject({ ':status': 200, constructor: 'v2' });
  expect(Object.keys(headers).sort()).toEqual([':status', 'constructor', 'date']);
  expect(body.toString()).toBe('whole');
});

it('sends a field again that should have one value, as a connection of HTTP/1.1 does', async () => {
  const listener = await start((_request, response) => {
    response.writeHead(200, ['etag', '"a"', 'ETag', '"b"']);
    response.end();
  });
  const session = await openSession(listener, { strictSingleValueFields: false });
  const stream = session.request({ ':path': '/' });
  const [, , raw = []]: string[][] = await once(stream, 'response');
  expect(raw.filter((_, index) => raw[index - 1] === 'etag')).toEqual(['"a"', '"b"']);
});

it.each([204, 304])(
  'a response %i is finished when its handler ends it, however early it was sent',
  async status => {
    const events: string[] = [];
    const responses: ServerResponse[] = [];
    const listener = await start((_request, response) => {
      responses.push(response);
      for (const event of ['finish', 'close']) response.on(event, () => events.push(event));
      response.writeHead(status, ['etag', '"a"']);
    });
    const { headers, body } = await get(await openSession(listener));
    expect([headers[':status'], headers.etag, body.length]).toEqual([status, '"a"', 0]);
    expect(events).toEqual([]);
    const [response] = responses;
    response?.end();
    await turnsUntil('the response is over', () => events.length === 2);
    expect([events, response?.writableFinished]).toEqual([['finish', 'close'], true]);
  },
);

it('keeps nothing of uploads that are refused unread: those that follow on the session are answered', async () => {
  let [begun, ended] = [0, 0];
  const listener = await start((request, response) => {
    begun++;
    response.once('close', () => ended++);
    if (request.method === 'PUT') response.writeHead(403, {});
    response.end('said');
  });
  const session = await openSession(listener);
  for (let upload = 0; upload < 150; upload++) {
    const stream = session.request({ ':path': '/', ':method': 'PUT' });
    stream.on('error', () => undefined);
    stream.write(Buffer.alloc(20_000));
    const { headers } = await answerOf(stream);
    expect(headers[':status'], `upload ${upload}`).toBe(403);
  }
  const replies = await Promise.all(Array.from({ length: 50 }, () => get(session)));
  expect(replies.map(({ headers }) => headers[':status'])).toEqual(Array.from({ length: 50 }, () => 200));
  await turnsUntil('all streams have ended', () => ended === begun);
});
