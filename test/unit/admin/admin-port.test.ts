import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AdminPort } from '../../../src/admin/admin-port.ts';
import type { AdminRoute } from '../../../src/admin/admin-route.ts';
import { readJson, sendJson } from '../../../src/admin/json.ts';
import { refuseUnreadable } from '../../../src/admin/refuse-unreadable.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { answerLast } from '../../../src/transport/discard-input.ts';
import { type AdminServerOptions, startAdminServer } from '../../support/admin-server.ts';
import { askAdmin } from '../../support/ask-admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const servers: AdminPort[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const routes: readonly AdminRoute[] = [
  { method: 'GET', path: '/thing', handle: (_request, response) => sendJson(response, 200, { thing: 1 }) },
  { method: 'GET', path: '/open', open: true, handle: (_request, response) => sendJson(response, 200, {}) },
  {
    method: 'POST',
    path: '/thing',
    handle: async (message, response) => {
      sendJson(
        response,
        200,
        await readJson(message, z.strictObject({ name: z.string({ error: 'a text' }) })),
      );
    },
  },
  {
    method: 'GET',
    path: '/broken',
    handle: () => {
      throw new Error('planted: internal detail');
    },
  },
];

async function start(options: Partial<AdminServerOptions> = {}) {
  const server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    names: [],
    token: undefined,
    routes,
    logger: silentLogger(),
    ...options,
  });
  servers.push(server);
  return server.port;
}

const json = { 'content-type': 'application/json' };

it('answers a route, HEAD as GET, and 404 where there is none', async () => {
  const port = await start();
  expect(await askAdmin(port, '/thing?x=1')).toMatchObject({ status: 200, text: '{"thing":1}\n' });
  expect(await askAdmin(port, '/thing', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  expect(await askAdmin(port, '/nothing')).toMatchObject({ status: 404 });
});

it('names the methods of a path that takes another', async () => {
  const port = await start();
  const answer = await askAdmin(port, '/thing', { method: 'DELETE' });
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe('GET, HEAD, POST');
});

it.each([
  ['evil.example.test', 421],
  ['evil.example.test:9090', 421],
  ['10.0.0.1', 421],
  ['127.0.0.1.evil.example.test', 421],
  ['localhost', 200],
  ['127.0.0.1:9090', 200],
  ['[::1]:9090', 200],
])('answers Host %s on a loopback port with %i', async (host, status) => {
  const port = await start();
  expect((await askAdmin(port, '/thing', { headers: { host } })).status).toBe(status);
});

it('a request without Host is refused, and an expectation that nobody knows is passed over (RFC 9112 §3.2, RFC 9110 §10.1.1)', async () => {
  const port = await start();
  const [nameless, expecting] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  nameless.write('GET /thing HTTP/1.1\r\nconnection: close\r\n\r\n');
  expecting.write('GET /thing HTTP/1.1\r\nhost: localhost\r\nexpect: a-miracle\r\nconnection: close\r\n\r\n');
  expect(await text(nameless)).toMatch(
    /^HTTP\/1.1 400 [\s\S]*"INVALID_HOST","reason":"the request has no Host/,
  );
  expect(await text(expecting)).toMatch(/^HTTP\/1.1 200 [\s\S]*{"thing":1}/);
});

it('a request with two Host lines is refused (RFC 9112 §3.2)', async () => {
  const socket = connect(await start(), '127.0.0.1');
  socket.write(
    'GET /thing HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: evil.example.test\r\nconnection: close\r\n\r\n',
  );
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*"INVALID_HOST"/);
});

it.each([
  ['evil.example.test', 421],
  ['tidegate.test:9090', 200],
  ['10.0.0.1:9090', 200],
])('answers Host %s on a port that others reach with %i', async (host, status) => {
  const port = await start({ host: '0.0.0.0', names: ['tidegate.test'] });
  expect((await askAdmin(port, '/thing', { headers: { host } })).status).toBe(status);
});

it.each([
  [undefined, 401],
  ['Bearer wrong', 401],
  ['bearer s3cret', 401],
  ['Basic s3cret', 401],
  ['Bearer s3cret', 200],
])('with a token set, answers authorization %s with %i', async (authorization, status) => {
  const port = await start({ token: 's3cret' });
  const answer = await askAdmin(port, '/thing', authorization ? { headers: { authorization } } : {});
  expect(answer.status).toBe(status);
  expect(answer.text).not.toContain('s3cret');
  if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer realm="tidegate"');
});

it('asks open routes for no token', async () => {
  const port = await start({ token: 's3cret' });
  expect((await askAdmin(port, '/open')).status).toBe(200);
});

it.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/jsonp', 415],
  ['application/json; charset=utf-8', 200],
])('answers a change of type %s with %i', async (type, status) => {
  const port = await start();
  const answer = await askAdmin(port, '/thing', {
    method: 'POST',
    headers: { 'content-type': type },
    body: '{"name":"x"}',
  });
  expect(answer.status).toBe(status);
});

it.each([
  ['{', 400, 'the body is not valid JSON'],
  ['{"name":1}', 400, 'name: a text'],
  ['{"name":"x","more":1}', 400, 'more'],
  [`{"name":"${'x'.repeat(70_000)}"}`, 413, 'a body may have at most 65536 bytes'],
])('names what is wrong with a body', async (body, status, reason) => {
  const port = await start();
  const answer = await askAdmin(port, '/thing', { method: 'POST', headers: json, body });
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text).reason).toContain(reason);
});

it('keeps what went wrong inside out of the answer', async () => {
  const port = await start();
  const answer = await askAdmin(port, '/broken');
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('planted');
});

it('says in one line that its port is in use', async () => {
  const port = await start();
  await expect(start({ port })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}: the port is in use, perhaps by another instance`,
  );
});

it.each([
  ['no request', 'what is this\r\n\r\n', 400, 'the bytes are not an HTTP/1.1 request'],
  [
    'large fields',
    `GET /thing HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'the header fields are too large',
  ],
])('answers %s with a date and JSON, and closes the connection', async (_, bytes, status, reason) => {
  const clock = new ManualClock(1_700_000_000_000);
  const port = await AdminPort.open({ host: '127.0.0.1', port: 0 }, clock);
  servers.push(port);
  const sent = connect(port.port, '127.0.0.1');
  sent.write(bytes);
  const [head = '', body = ''] = (await text(sent)).split('\r\n\r\n');
  expect(head).toMatch(
    new RegExp(`^HTTP/1.1 ${status} .*\r\ndate: Tue, 14 Nov 2023 22:13:20 GMT\r\nconnection: close\r\n`),
  );
  expect(head).toContain('\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\n');
  expect(head).toContain(`\r\nx-content-type-options: nosniff\r\ncontent-length: ${body.length}`);
  expect(JSON.parse(body)).toEqual({ error: 'UNREADABLE', reason });
});

it('answers nothing where that would be taken for the end of another answer', () => {
  const socket = new Socket();
  const end = vi.spyOn(socket, 'end');
  refuseUnreadable(Object.assign(new Error('gone'), { code: 'ECONNRESET' }), socket, undefined, 0);
  expect(socket.destroyed).toBe(true);
  expect(end).not.toHaveBeenCalled();
});

it('answers what is pipelined on one connection in turn', async () => {
  const began: string[] = [];
  const { promise: first, resolve: finish } = Promise.withResolvers<void>();
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>();
  const route = (path: string): AdminRoute => ({
    method: 'GET',
    path,
    handle: async (_request, response) => {
      began.push(path);
      taken();
      if (path === '/a') await first;
      sendJson(response, 200, {});
    },
  });
  const port = await start({ routes: ['/a', '/b', '/c'].map(route) });
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const sent = connect(port, '127.0.0.1');
  sent.write(ask('/a') + ask('/b'));
  await isTaken;
  // on another connection
  await askAdmin(port, '/c');
  expect(began).toEqual(['/a', '/c']);
  finish();
  let heard = '';
  for await (const bytes of sent) {
    heard += bytes;
    if (heard.split('HTTP/1.1 200').length === 3) break;
  }
  expect(began).toEqual(['/a', '/c', '/b']);
});

const asked = 'GET /thing HTTP/1.1\r\nhost: localhost\r\n\r\n';

it.each([
  ['garbage', 'what is this\r\n\r\n'],
  ['garbage that comes later', undefined],
])('answers what was asked before %s, and closes the connection', async (_, behind) => {
  const { promise: first, resolve: finish } = Promise.withResolvers<void>();
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>();
  const handle: AdminRoute['handle'] = async (_request, response) => {
    taken();
    await first;
    sendJson(response, 200, { thing: 2 });
  };
  const port = await start({ routes: [...routes, { method: 'GET', path: '/slow', handle }] });
  const sent = connect(port, '127.0.0.1');
  const slow = asked.replace('/thing', '/slow');
  if (behind === undefined) {
    sent.write(slow + asked);
    await isTaken;
    sent.write('what is this\r\n\r\n');
    // on another connection
    await askAdmin(port, '/open');
    sent.write('what is this\r\n\r\n');
  } else sent.write(slow + asked + behind);
  await isTaken;
  await askAdmin(port, '/open');
  finish();
  const heard = await text(sent);
  sent.destroy();
  expect(heard.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  expect(heard).toContain('{"thing":2}');
  const heads = heard.split('HTTP/1.1').slice(1);
  expect(heads.map(head => /\r\nconnection: close\r\n/i.test(head))).toEqual([false, true]);
});

it('answers what was asked before a body that is malformed, and says that it broke off', async () => {
  const { promise: first, resolve: finish } = Promise.withResolvers<void>();
  const handle: AdminRoute['handle'] = async (_request, response) => {
    await first;
    sendJson(response, 200, { thing: 2 });
  };
  const port = await start({ routes: [...routes, { method: 'GET', path: '/slow', handle }] });
  const sent = connect(port, '127.0.0.1');
  const head = `POST /thing HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
  sent.write(`${asked.replace('/thing', '/slow')}${head}2\r\n{"\r\nwhat is this`);
  // on another connection
  await askAdmin(port, '/open');
  finish();
  const heard = await text(sent);
  sent.destroy();
  expect(heard.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(heard).toContain('{"thing":2}');
  expect(heard).toContain('the body broke off');
});

it('closes a connection on which garbage arrives behind an answer, and answers that', async () => {
  const sent = connect(await start(), '127.0.0.1').setEncoding('latin1');
  sent.write(asked);
  await once(sent, 'data');
  sent.write('what is this\r\n\r\n');
  expect(await text(sent)).toMatch(/^HTTP\/1.1 400 /);
  sent.destroy();
});

it('does not read garbage for ever', async () => {
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>();
  const port = await start({
    routes: [{ method: 'GET', path: '/endless', handle: () => taken() }],
  });
  const sent = connect(port, '127.0.0.1').resume();
  // a reset by the port is in order: the client sends on
  sent.on('error', () => undefined);
  const closed = new Promise(resolve => sent.once('close', resolve));
  sent.write(`${asked.replace('/thing', '/endless')}what is this\r\n\r\n`);
  await isTaken;
  sent.write('x'.repeat(4 * 1024 * 1024));
  await closed;
});

it.each([
  ['destroy', 'what is this\r\n\r\n'],
  ['end', 'what is this\r\n\r\n'],
  ['end', ''],
  ['end', 'GET /he'],
] as const)('a client that has left (%s) behind %j is seen', async (leave, behind) => {
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>();
  const { promise: hasLeft, resolve: left } = Promise.withResolvers<void>();
  const handle: AdminRoute['handle'] = (_request, response) => {
    response.once('close', left);
    taken();
  };
  const port = await start({ routes: [...routes, { method: 'GET', path: '/endless', handle }] });
  const sent = connect(port, '127.0.0.1').resume();
  sent.write(asked.replace('/thing', '/endless') + behind);
  await isTaken;
  // on another connection
  await askAdmin(port, '/open');
  sent[leave]();
  await hasLeft;
  sent.destroy();
});

it.each([
  [
    'a body in chunks',
    'GET /thing HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n',
  ],
  ['a long body', 'GET /thing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 70000\r\n\r\nx'],
  [
    'a body that waits for its turn',
    `POST /thing HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n${'x'.repeat(100_000)}`,
  ],
])('a client that has left an answer without end is seen behind %s', async (_, behind) => {
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>();
  const { promise: hasLeft, resolve: left } = Promise.withResolvers<void>();
  const handle: AdminRoute['handle'] = async (_request, response) => {
    await isTaken;
    answerLast(response);
    response.once('close', left);
    response.writeHead(200).flushHeaders();
  };
  const port = await start({ routes: [...routes, { method: 'GET', path: '/endless', handle }] });
  const sent = connect(port, '127.0.0.1');
  sent.write(asked.replace('/thing', '/endless') + behind);
  // on another connection
  await askAdmin(port, '/open');
  taken();
  const [head] = await once(sent, 'data');
  expect(String(head)).toMatch(/\r\nconnection: close\r\n/i);
  sent.end();
  await hasLeft;
  sent.destroy();
});

it('does not answer what a client had sent that has left', async () => {
  const began: string[] = [];
  const { promise: first, resolve: finish } = Promise.withResolvers<void>();
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>();
  const { promise: hasLeft, resolve: left } = Promise.withResolvers<void>();
  const handle: AdminRoute['handle'] = async ({ socket }, response) => {
    began.push('/a');
    socket.once('close', left);
    taken();
    await first;
    sendJson(response, 200, {});
  };
  const port = await start({ routes: [...routes, { method: 'GET', path: '/a', handle }] });
  const sent = connect(port, '127.0.0.1');
  sent.write('GET /a HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(5));
  await isTaken;
  sent.destroy();
  await hasLeft;
  finish();
  await askAdmin(port, '/open');
  expect(began).toEqual(['/a']);
});

it('a request that arrives before the routes exist is answered once they do', async () => {
  const port = await AdminPort.open({ host: '127.0.0.1', port: 0 });
  servers.push(port);
  const sent = connect(port.port, '127.0.0.1');
  sent.write('GET /thing HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  await once(sent, 'connect');
  port.serve({ access: () => ({ names: [], token: undefined }), routes, logger: silentLogger() });
  expect(await text(sent)).toContain('{"thing":1}');
});

const chunks = '1\r\nx\r\n'.repeat(400_000);

it.each([
  ['a route that takes none', 'GET /thing HTTP/1.1\r\nhost: localhost\r\n', 200],
  ['no route', 'POST /nothing HTTP/1.1\r\nhost: localhost\r\n', 404],
  ['another host', 'POST /thing HTTP/1.1\r\nhost: evil\r\ncontent-type: application/json\r\n', 421],
  ['another type', 'POST /thing HTTP/1.1\r\nhost: localhost\r\n', 415],
])('does not read on in a body for %s, and closes the connection', async (_, head, status) => {
  const socket = connect(await start(), '127.0.0.1').setEncoding('latin1');
  // a reset by the port is in order: the client sends on
  socket.on('error', () => undefined);
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n`, 'is'));
  socket.write(chunks);
  await closed;
});

it('reads a body in chunks that a route takes, and keeps the connection', async () => {
  const socket = connect(await start(), '127.0.0.1').setEncoding('latin1');
  const head = 'POST /thing HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  for (const name of ['a', 'b']) {
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    for (const byte of JSON.stringify({ name })) socket.write(`1\r\n${byte}\r\n`);
    socket.write('0\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 200 .*keep-alive.*"name":"${name}"`, 's'));
  }
  socket.destroy();
});

it('closes the connection behind Upgrade and CONNECT, which node:http does not parse on', async () => {
  for (const head of [
    'GET /thing HTTP/1.1\r\nupgrade: x\r\nconnection: upgrade\r\n',
    'CONNECT a:1 HTTP/1.1\r\n',
  ]) {
    const socket = connect(await start(), '127.0.0.1');
    socket.write(`${head}host: localhost\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 (200|404)/);
  }
});

it('closing ends connections, also of requests that are not answered, and frees the port', async () => {
  const asked = Promise.withResolvers<void>();
  const server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: undefined, logger: silentLogger() },
    routes: [{ method: 'GET', path: '/slow', open: true, handle: () => asked.resolve() }],
  });
  const [unanswered, idle] = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
  const ended = Promise.all([once(unanswered.resume(), 'close'), once(idle.resume(), 'close')]);
  await once(idle, 'connect');
  unanswered.write(`GET /slow HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n\r\n`);
  await asked.promise;
  await server.close();
  await ended;
  await expect(once(connect(server.port, '127.0.0.1'), 'connect')).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});
