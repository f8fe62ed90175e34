import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { resetWhenCut } from '../../../src/transport/reset-when-cut.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));
const cert = fixture('localhost-cert.pem');
// TLS 1.3 sends tickets after the handshake: a connection that closes before they are read is reset anyway
const tls = { cert, key: fixture('localhost-key.pem'), maxVersion: 'TLSv1.2' } as const;

/** A client, and how its connection ends as its server sees it. */
async function setup(answer = '', scheme: 'http' | 'https' = 'http') {
  const server = scheme === 'http' ? createServer() : createTlsServer(tls);
  const { promise: ending, resolve } = Promise.withResolvers<string>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<Socket>();
  server.on(scheme === 'http' ? 'connection' : 'secureConnection', (socket: Socket) => {
    socket.on('data', () => {
      begin(socket);
      socket.write(answer);
    });
    socket.on('end', () => resolve('ended'));
    socket.on('error', error => resolve('code' in error ? String(error.code) : 'failed'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  const address = server.address();
  const connect = buildConnector({ ca: cert });
  const port = typeof address === 'object' && address ? address.port : 0;
  const client = new Client(`${scheme}://localhost:${port}`, {
    connect: (target, callback) =>
      connect(target, (error, socket) => {
        if (error) {
          callback(error, null);
          return;
        }
        resetWhenCut(socket);
        callback(null, socket);
      }),
  });
  closing.push(() => client.destroy());
  return { client, begun, ending, port };
}

// canaries for the next versions of Node and undici
it.each([
  ['the request', 'http'],
  ['its body', 'http'],
  ['the request', 'https'],
  ['its body', 'https'],
] as const)('a server sees that a request was cut off, when %s is given up (%s)', async (what, scheme) => {
  const { client, begun, ending } = await setup('', scheme);
  const body = new Readable({ read: () => undefined });
  body.push('half');
  const giveUp = new AbortController();
  const headers = { 'content-length': '8' };
  const answer = client.request({ path: '/', method: 'PUT', headers, body, signal: giveUp.signal });
  await begun;
  if (what === 'the request') giveUp.abort();
  else body.destroy(new Error('refused'));
  await expect(answer).rejects.toThrow();
  expect(await ending).toBe('ECONNRESET');
});

const schemes = ['http', 'https'] as const;

it.each(schemes)('a connection that has served its requests ends as usual (%s)', async scheme => {
  const { client, ending } = await setup('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n', scheme);
  // undici closes the connection after it
  await (await client.request({ path: '/', method: 'HEAD' })).body.dump();
  expect(await ending).toBe('ended');
});

it.each(schemes)('a kept connection that the server ends, ends as usual (%s)', async scheme => {
  const { client, begun, ending } = await setup('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', scheme);
  await (await client.request({ path: '/', method: 'GET' })).body.dump();
  (await begun).end();
  expect(await ending).toBe('ended');
});

// the system refuses to reset it then
it('a connection that is cut off while it ends, closes', async () => {
  const { ending, port } = await setup();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  resetWhenCut(socket);
  const closed = new Promise(resolve => socket.on('close', resolve));
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
  socket.on('error', fail).end();
  socket.destroy(new Error('cut off'));
  expect(await failed).toMatchObject({ message: 'cut off' });
  await closed;
  expect(await ending).toBe('ended');
});
