import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createNetServer, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { watchForDepartures } from '../../../src/server/departed-clients.ts';
import { OpenConnections } from '../../../src/server/open-connections.ts';
import { defaultLimits } from '../../support/client-limits.ts';
import { openConnectionsOf } from '../../support/open-connections-of.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const closing: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

/** A server that gives no answer by itself, whose clients are looked at every 20 ms. */
async function setup() {
  const server: Server & { httpAllowHalfOpen?: boolean } = createServer();
  server.httpAllowHalfOpen = true;
  const watch = watchForDepartures(openConnectionsOf(server), 20);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => watch.stop(),
  );
  /** The client's side of a request, and the response that is to be given. */
  const ask = async (
    version = '1.1',
    fields = 'connection: keep-alive\r\n',
    body = '',
  ): Promise<[Socket, ServerResponse]> => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    closing.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(`GET / HTTP/${version}\r\nhost: x\r\n${fields}\r\n${body}`);
    const [, response] = await once(server, 'request');
    return [socket, response];
  };
  return { ask };
}

it('a client that closes its connection while it waits is noticed before its answer', async () => {
  const { ask } = await setup();
  const [socket, response] = await ask();
  const closed = once(response, 'close');
  socket.destroy();
  await closed;
  expect(response.headersSent).toBe(false);
});

it('a reset is noticed on a connection that is not read', async () => {
  const { ask } = await setup();
  const [socket, response] = await ask();
  response.socket?.pause();
  const closed = once(response, 'close');
  await new Promise(resolve => setImmediate(resolve));
  socket.resetAndDestroy();
  await closed;
  expect(response.headersSent).toBe(false);
});

it('a client that has left in the middle of an answer is noticed before the rest of it', async () => {
  const { ask } = await setup();
  const [socket, response] = await ask();
  const closed = once(response, 'close');
  response.writeHead(200, { 'content-length': 100 });
  response.write('begun');
  await once(socket, 'data');
  socket.destroy();
  await once(response.req.socket, 'end');
  response.write('more');
  await closed;
});

it('a client that has closed its side alone gets an interim answer, once, and its answer', async () => {
  const { ask } = await setup();
  const [socket, response] = await ask();
  const received = text(socket);
  socket.end();
  await once(socket, 'data');
  // by then a client that is gone would have been noticed
  const [other, gone] = await ask();
  const closed = once(gone, 'close');
  other.destroy();
  await closed;
  response.end('answer');
  expect(await received).toMatch(/^HTTP\/1.1 102 Processing\r\n\r\nHTTP\/1.1 200 OK\r\n(.+\r\n)*\r\nanswer$/);
});

it('clients of HTTP/1.0, and those that have not closed their side, get the answer alone', async () => {
  const { ask } = await setup();
  const [old, toOld] = await ask('1.0');
  const [open, toOpen] = await ask();
  old.end();
  const [other, gone] = await ask();
  const closed = once(gone, 'close');
  other.destroy();
  await closed;
  const received = text(old);
  toOld.end('answer');
  toOpen.end('answer');
  expect(await received).toMatch(/^HTTP\/1.1 200 OK/);
  expect(String((await once(open, 'data'))[0])).toMatch(/^HTTP\/1.1 200 OK/);
});

it('clients whose body is not read, or not all of it has come, get the answer alone: some take any other for it', async () => {
  const { ask } = await setup();
  // whose rest the client still sends
  const [sending, toSending] = await ask('1.1', 'content-length: 1000000\r\n', 'begin');
  toSending.req.on('data', () => undefined);
  await turnsUntil('what has come was read', () => toSending.req.readableLength === 0);
  toSending.req.socket.pause();
  // all of which is there
  const [waiting, toWaiting] = await ask('1.1', 'content-length: 5\r\n', 'whole');
  await turnsUntil('the body is there', () => toWaiting.req.complete);
  toWaiting.req.socket.pause();
  const [half] = await ask();
  half.end();
  // by then the others have been looked at as often
  await once(half, 'data');
  const received = [sending, waiting].map(async socket => String((await once(socket, 'data'))[0]));
  for (const response of [toSending, toWaiting]) response.end('answer');
  for (const text of await Promise.all(received)) expect(text).toMatch(/^HTTP\/1.1 200 OK/);
});

/** A connection of `client` that is not read, under what stands for a TLS connection whose writes never end. */
async function setupStalled() {
  const server = createNetServer({ pauseOnConnect: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const accepting = once(server, 'connection');
  const client = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  client.on('error', () => undefined);
  const [accepted]: Socket[] = await accepting;
  if (!accepted) throw new Error('no connection');
  accepted.on('error', () => undefined);
  const secure = new Socket();
  const open = new OpenConnections(defaultLimits);
  open.add(accepted, 'http/1.1');
  const connection = open.find(accepted);
  if (!connection) throw new Error('no connection');
  connection.socket = secure;
  const watch = watchForDepartures(open, 20);
  closing.push(
    () => server.close(),
    () => client.destroy(),
    () => accepted.destroy(),
    () => watch.stop(),
  );
  return { client, accepted, secure, open, connection };
}

it('a reset is noticed below a TLS connection that waits without end for a write', async () => {
  const { client, accepted, secure, open } = await setupStalled();
  Object.defineProperty(secure, 'writableEnded', { value: true });
  client.resetAndDestroy();
  await new Promise(resolve => accepted.once('close', resolve));
  expect(Array.from(open)).toEqual([]);
});

it('a reset is noticed below a session with open streams whose writes do not end', async () => {
  const { client, accepted, open, connection } = await setupStalled();
  Object.assign(connection, { streams: 1, session: { closed: false, destroyed: false } });
  client.resetAndDestroy();
  await new Promise(resolve => accepted.once('close', resolve));
  expect(Array.from(open)).toEqual([]);
});

it('the connection of an ended session is closed, although its client takes nothing; a last answer has its time', async () => {
  const [ended, answering] = [await setupStalled(), await setupStalled()];
  answering.connection.session = { closed: true, destroyed: true };
  ended.connection.session = { closed: false, destroyed: true };
  await new Promise(resolve => ended.secure.once('close', resolve));
  expect(answering.secure.destroyed).toBe(false);
});
