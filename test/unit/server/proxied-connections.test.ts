import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger, silentLogger } from '../../../src/base/logger.ts';
import type { ListenAddress } from '../../../src/server/listen-address.ts';
import { ProxiedConnections, type ProxyRefusal } from '../../../src/server/proxied-connections.ts';
import { peerOf, rememberPeer } from '../../../src/transport/peer.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const header = 'PROXY TCP4 203.0.113.9 10.0.0.1 1 2\r\n';

let clock: ManualClock;
let lines: Record<string, unknown>[];
let refusals: ProxyRefusal[];
let served: Socket[];
let server: Server;
let accepted: number;
let accept: (socket: Socket) => void;

beforeEach(async () => {
  [clock, lines, refusals, served, accepted] = [new ManualClock(), [], [], [], 0];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)), flush: () => undefined };
  const proxied = new ProxiedConnections(
    { kind: 'tcp', host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'], proxyProtocol: true },
    { clock, logger: createLogger({ level: 'info', sink }), onProxyRefusal: why => refusals.push(why) },
    socket => void served.push(socket),
  );
  accept = socket => proxied.accept(socket);
  server = createServer({ allowHalfOpen: true }, socket => {
    accepted++;
    accept(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of served) socket.destroy();
  server.close();
});

async function client(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  const before = accepted;
  await vi.waitUntil(() => accepted > before);
  return socket;
}

function serveAt(address: ListenAddress): ProxiedConnections {
  const options = { clock, logger: silentLogger() };
  return new ProxiedConnections(address, options, socket => void served.push(socket));
}

/** A connection, of which nothing comes, of a proxy that is trusted. */
function ofTrusted(): Socket {
  const socket = new Socket();
  rememberPeer(socket, { address: '127.0.0.1' });
  return socket;
}

it('what follows the header is read by whoever takes the connection', async () => {
  const socket = await client();
  socket.write(`${header}first`);
  await vi.waitUntil(() => served.length === 1);
  const [taken] = served;
  if (!taken) throw new Error('no connection');
  expect(peerOf(taken)).toMatchObject({ address: '203.0.113.9', isNamedByProxy: true });
  let read = '';
  taken.on('data', (bytes: Buffer) => {
    read += bytes;
  });
  socket.write('second');
  await vi.waitUntil(() => read === 'firstsecond');
  socket.destroy();
});

it('a header that does not come, or not to its end, is waited for no longer than five seconds', async () => {
  const sockets = [await client(), await client()];
  sockets[1]?.write(header.slice(0, -1));
  clock.advance(4_999);
  expect(refusals).toEqual([]);
  const closed = Promise.all(sockets.map(socket => new Promise(resolve => socket.once('close', resolve))));
  for (const socket of sockets) socket.resume();
  clock.advance(1);
  expect(refusals).toEqual(['slow', 'slow']);
  await closed;
  expect(served).toEqual([]);
});

it('no more than 1024 connections may wait for their headers; those that have gone do not count', async () => {
  const sockets = Array.from({ length: 1_024 }, ofTrusted);
  for (const socket of sockets) accept(socket);
  expect(refusals).toEqual([]);
  const late = ofTrusted();
  accept(late);
  expect(refusals).toEqual(['crowded']);
  expect(late.destroyed).toBe(true);
  const closed = new Promise(resolve => sockets[0]?.once('close', resolve));
  sockets[0]?.destroy();
  await closed;
  accept(ofTrusted());
  expect(refusals).toEqual(['crowded']);
});

it.each([
  ['that trusts nobody', {}],
  ['that trusts everybody', { trustedProxies: ['0.0.0.0/0', '::/0'] }],
  ['that trusts the headers of everybody', { trustedProxies: ['0.0.0.0/0', '::/0'], proxyProtocol: true }],
])('a connection to a port %s is closed if its client has reset it, and so has no address', (_, trust) => {
  const reset = new Socket();
  serveAt({ kind: 'tcp', host: '127.0.0.1', port: 0, ...trust }).accept(reset);
  expect(reset.destroyed).toBe(true);
  expect(served).toEqual([]);
});

it('a client of a unix socket never has an address', () => {
  const socket = new Socket();
  serveAt({ kind: 'unix', path: '/run/x', mode: 0o660, trustedProxies: ['10.0.0.0/8'] }).accept(socket);
  expect(served).toEqual([socket]);
  expect(peerOf(socket).isTrusted?.(undefined)).toBe(true);
});

it('refused headers are told once in ten seconds, with how many were not', async () => {
  const spoil = async () => {
    const before = refusals.length;
    (await client()).end('GET / HTTP/1.1\r\n\r\n');
    await vi.waitUntil(() => refusals.length > before);
  };
  await spoil();
  await spoil();
  await spoil();
  expect(lines).toMatchObject([{ client: '127.0.0.1', why: 'malformed' }]);
  clock.advance(10_000);
  await spoil();
  expect(lines.slice(1)).toMatchObject([{ why: 'malformed', leftOut: 2 }]);
});
