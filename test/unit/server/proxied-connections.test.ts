import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { ProxiedConnections, type ProxyRefusal } from '../../../src/server/proxied-connections.ts';
import { peerOf } from '../../../src/transport/peer.ts';
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
    { trustedProxies: ['127.0.0.1'], proxyProtocol: true },
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
  const sockets = Array.from({ length: 1_024 }, () => new Socket());
  for (const socket of sockets) accept(socket);
  expect(refusals).toEqual([]);
  const late = new Socket();
  accept(late);
  expect(refusals).toEqual(['crowded']);
  expect(late.destroyed).toBe(true);
  const closed = new Promise(resolve => sockets[0]?.once('close', resolve));
  sockets[0]?.destroy();
  await closed;
  accept(new Socket());
  expect(refusals).toEqual(['crowded']);
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
