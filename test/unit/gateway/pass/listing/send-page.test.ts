import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FairRoom } from '../../../../../src/base/fair-room.ts';
import { sendPage } from '../../../../../src/gateway/pass/listing/send-page.ts';
import { PendingSends } from '../../../../../src/gateway/reply/pending-sends.ts';
import { Exchange } from '../../../../../src/gateway/request/exchange.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

/** More than the system takes for a connection whose client does not read. */
const PAGE_BYTES = 24 * 1024 * 1024;
let clock: ManualClock;
let sends: PendingSends;
let room: FairRoom;
let server: Server;
let clients: Socket[];

beforeEach(async () => {
  clock = new ManualClock();
  sends = new PendingSends(clock, { holds: () => 0, claimNeed: () => false });
  room = new FairRoom(64 * 1024 * 1024, () => new Error('no memory'));
  clients = [];
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const client of clients) client.destroy();
  return new Promise(resolve => server.close(resolve));
});

/** The request of a new client, which reads nothing unless it is told to. */
async function ask(): Promise<{ client: Socket; exchange: Exchange }> {
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').pause();
  clients.push(client);
  client.on('error', () => undefined);
  const requested = once(server, 'request');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, response]: ServerResponse[] = await requested;
  if (!response) throw new Error('no response');
  const errors = { refuse: () => undefined, fault: () => undefined };
  return { client, exchange: new Exchange(response, 'GET', '/', 0, '', '', { now: '' }, errors) };
}

function send(exchange: Exchange): Promise<void> {
  const hold = room.begin('client', () => undefined);
  exchange.response.once('close', () => hold.release());
  return sendPage(exchange, { status: 200, fields: [], body: Buffer.alloc(PAGE_BYTES) }, sends, hold);
}

it('a page is pending until its client has taken it', async () => {
  const { client, exchange } = await ask();
  const sent = send(exchange);
  expect(sends.size).toBe(1);
  client.resume();
  await sent;
  expect([sends.size, exchange.hasClientLeft, exchange.failure]).toEqual([0, false, undefined]);
});

it('a page is given up when its client leaves', async () => {
  const { client, exchange } = await ask();
  const sent = send(exchange);
  client.destroy();
  await sent;
  expect([sends.size, exchange.hasClientLeft]).toEqual([0, true]);
});

it('clients that take nothing are refused further pages, and lose theirs after five seconds', async () => {
  const [first, second, third] = [await ask(), await ask(), await ask()];
  const sent = [send(first.exchange), send(second.exchange)];
  await expect(send(third.exchange)).rejects.toThrow('memory');
  clock.advance(5_000);
  expect(sends.size).toBe(2);
  clock.advance(1_000);
  await Promise.race(sent);
  expect(sends.size).toBe(1);
  expect([first, second].filter(({ exchange }) => exchange.failure).length).toBe(1);
  expect(first.exchange.hasClientLeft).toBe(false);
  void send(third.exchange);
  expect(sends.size).toBe(2);
});
