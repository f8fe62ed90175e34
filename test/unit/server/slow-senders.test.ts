import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { listenHttp } from '../../../src/server/http-listener.ts';
import type { RequestHandler } from '../../../src/server/request-handler.ts';
import type { TakesBody } from '../../../src/transport/request-bodies.ts';
import { defaultLimits } from '../../support/client-limits.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** All that comes until the connection is closed, in whatever way. */
function text(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('latin1').on('data', piece => {
    received += piece;
  });
  return new Promise(resolve => socket.once('close', () => resolve(received)));
}

/** 500 bytes in half a second. */
const limits = {
  ...defaultLimits,
  timeouts: { ...defaultLimits.timeouts, headersMs: 500, bodyMs: 500 },
  minRateBytes: 1_000,
};

async function setup(handle: RequestHandler, takesBody?: TakesBody, first = limits) {
  const listener = await listenHttp({
    ...{
      addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0 }],
      reusePort: false,
      handle,
      takesBody,
    },
    limits: first,
    logger: createLogger({ level: 'error', sink: { write: () => undefined, flush: () => undefined } }),
  });
  closing.unshift(() => listener.drain(0));
  const open = (sent: string): Socket => {
    const socket = connect(listener.port, '127.0.0.1');
    closing.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(sent);
    return socket;
  };
  /** Goes on sending `piece`; until the connection is closed. */
  const drip = (socket: Socket, piece: string, everyMs = 20) => {
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
  /** Kept when a client that drips has been closed which came after all others. */
  const oneLimit = async () => {
    const socket = open(get);
    drip(socket, '\r\n');
    await text(socket);
  };
  return { open, drip, oneLimit, listener };
}

const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const put = 'PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n';
const always: TakesBody = () => true;
const answerAtOnce: RequestHandler = (_request, response) => void response.end('answer');

it.each([
  ['blank lines', '', '\r\n'],
  ['the bytes of a head', 'GET / HTTP/1.1\r\nx: ', 'y'],
])('a client that was answered and then drips %s is closed', async (_, begun, piece) => {
  const { open, drip } = await setup(answerAtOnce);
  const socket = open(get);
  await once(socket, 'data');
  socket.write(begun);
  drip(socket, piece);
  expect(await text(socket)).toBe('');
});

it('a body that drips on after the answer is ended', async () => {
  const { open, drip } = await setup(answerAtOnce);
  const socket = open(put);
  drip(socket, 'x');
  expect(await text(socket)).toMatch(/answer$/);
});

it('a body that drips before the answer is answered 408, on a connection of its own and on a kept one', async () => {
  const { open, drip } = await setup((request, response) => {
    if (request.method === 'GET') response.end('first');
    else request.resume();
  }, always);
  for (const before of ['', get]) {
    const socket = open(before + put);
    drip(socket, 'x');
    expect(await text(socket)).toMatch(/(^|first)HTTP\/1.1 408 Request Timeout\r\n/);
  }
});

it('who reads a body that drips gives the answer, and the connection is closed after it', async () => {
  const { open, drip } = await setup((request, response) => {
    request.resume().on('error', error => response.end(error.message));
  }, always);
  for (const length of [1_000, 1_000_000]) {
    const socket = open(put.replace('1000000', String(length)));
    drip(socket, 'x');
    expect(await text(socket)).toMatch(
      /^HTTP\/1.1 200 OK\r\n[\s\S]*Connection: close[\s\S]*the client sends its body too slowly/,
    );
  }
});

it('a reader that does not answer is not waited for', async () => {
  const { open, drip } = await setup(request => {
    request.resume().on('error', () => undefined);
  }, always);
  const socket = open(put);
  drip(socket, 'x');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
});

it('law 2: a body that drips gets no 408 into an answer that has begun', async () => {
  const { open, drip } = await setup((_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('begun');
  }, always);
  const socket = open(put);
  drip(socket, 'x');
  expect(await text(socket)).toMatch(/begun$/);
});

it('a slow upload that keeps the rate passes, however long it takes', async () => {
  const { open, oneLimit } = await setup(async (request, response) => {
    if (request.method === 'GET') response.end('x');
    else response.end(`took ${(await request.toArray()).join('').length} bytes`);
  }, always);
  const socket = open('PUT / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 1000000\r\n\r\n');
  let sentBytes = 0;
  const upload = setInterval(() => {
    sentBytes += 200;
    socket.write('x'.repeat(200));
  }, 20);
  await oneLimit();
  await oneLimit();
  clearInterval(upload);
  socket.write('x'.repeat(1_000_000 - sentBytes));
  expect(await text(socket)).toMatch(/took 1000000 bytes$/);
});

it('closes nobody who is silent between requests, or whose body is not read', async () => {
  const asked = Promise.withResolvers<() => void>();
  const { open, oneLimit } = await setup((request, response) => {
    if (request.method === 'GET') response.end('answer');
    else asked.resolve(() => response.end('late'));
  });
  const silent = open(get);
  await once(silent, 'data');
  const unread = open(put + 'x'.repeat(1_000_000));
  const answerLate = await asked.promise;
  await oneLimit();
  await oneLimit();
  answerLate();
  expect(String((await once(unread, 'data'))[0])).toContain('late');
  silent.write(get);
  expect(String((await once(silent, 'data'))[0])).toContain('answer');
});

it('a head that does not come cuts no answer to a request before it', async () => {
  const asked = Promise.withResolvers<() => void>();
  const { open } = await setup((_request, response) => asked.resolve(() => response.end('whole')));
  const socket = open(`${get}GET / HTT`);
  const answer = await asked.promise;
  // this one has come later and has been given up
  expect(await text(open('GET / HTT'))).toMatch(/^HTTP\/1.1 408/);
  answer();
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n(.+\r\n)*\r\nwhole$/);
});

it('a client whose body is taken but not read, or who waits to be told to send it, is not to blame', async () => {
  const answers: (() => void)[] = [];
  const { open, oneLimit } = await setup((request, response) => {
    if (request.method === 'PUT') answers.push(() => response.end('late'));
    else response.end();
  }, always);
  const unread = open(put + 'x'.repeat(900_000));
  const expecting = open(put.replace(/\r\n$/, 'expect: 100-continue\r\n\r\n'));
  const heard = [text(unread), text(expecting)];
  await oneLimit();
  await oneLimit();
  expect(answers).toHaveLength(2);
  for (const answer of answers) answer();
  for (const each of heard) expect(await each).toMatch(/^HTTP\/1.1 200 [\s\S]*late/);
});

it.each([
  ['a head that does not come', 'GET / HTT', ''],
  ['a body that drips', put, 'x'],
])('%s is ended by the limits that hold now, not by those of the start', async (_, begun, piece) => {
  const drain: RequestHandler = request => void request.resume();
  const { open, drip, listener } = await setup(drain, always, defaultLimits);
  const socket = open(begun);
  listener.limit(limits, undefined);
  if (piece) drip(socket, piece);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
});

it('without a minimum rate a body may stop for as long as the connection may be idle', async () => {
  const { open, oneLimit, listener } = await setup(async (request, response) => {
    if (request.method === 'GET') response.end('x');
    else response.end(`took ${(await request.toArray()).join('').length} bytes`);
  }, always);
  listener.limit({ ...limits, minRateBytes: 0 }, undefined);
  const socket = open('PUT / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 200000\r\n\r\n');
  await oneLimit();
  await oneLimit();
  socket.write('x'.repeat(200_000));
  expect(await text(socket)).toMatch(/took 200000 bytes$/);
});

it('a connection on which nothing moves is closed after the idle time that holds now', async () => {
  const { open, listener } = await setup(answerAtOnce, always, defaultLimits);
  const socket = open(get);
  await once(socket, 'data');
  listener.limit({ ...limits, timeouts: { ...limits.timeouts, idleMs: 100 } }, undefined);
  expect(await text(socket)).toBe('');
});
