import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { StreamRequest } from '../../../src/transport/stream-request.ts';
import { turnsUntil } from '../../support/turns-until.ts';

/** A stream whose client sends a body, and the request that the server makes of it. */
async function upload(initialWindowSize: number) {
  const server = createServer({ settings: { initialWindowSize } });
  onTestFinished(() => void server.close());
  const arrived = Promise.withResolvers<StreamRequest>();
  server.on('stream', (stream: ServerHttp2Stream, _headers: object, _flags: number, raw: string[]) => {
    stream.on('error', () => undefined);
    arrived.resolve(new StreamRequest(new Socket(), stream, raw, true));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => session.destroy());
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  const sending = session.request({ ':method': 'PUT', ':path': '/' });
  sending.on('error', () => undefined);
  return { session, sending, request: await arrived.promise };
}

/** When it resolves, the server has seen all that was sent before. */
const roundTrip = (session: ClientHttp2Session) =>
  new Promise<void>(resolve => session.ping(() => resolve()));

it('holds no more of a body that is not read than its window, and goes on when it is', async () => {
  const windowBytes = 128 * 1024;
  const { session, sending, request } = await upload(windowBytes);
  const sentBytes = 4 * 1024 * 1024;
  sending.end(Buffer.alloc(sentBytes));
  // begins to take the body, as whoever reads does
  request.read(0);
  // each may bring another window, if the stream goes on by itself
  for (let trip = 0; trip < 64; trip++) await roundTrip(session);
  expect(request.receivedBytes).toBeGreaterThan(0);
  expect(request.receivedBytes).toBeLessThanOrEqual(windowBytes);
  expect(request.readableLength).toBe(request.receivedBytes);
  let readBytes = 0;
  for await (const chunk of request) readBytes += chunk.length;
  expect([readBytes, request.receivedBytes, request.complete]).toEqual([sentBytes, sentBytes, true]);
});

it.each([
  ['an error of its client', (sending: ClientHttp2Stream) => sending.destroy(new Error('leaves'))],
  ['the loss of its connection', ({ session }: ClientHttp2Stream) => session?.socket.destroy()],
])('a body that is broken off by %s has no end: it is aborted', async (_, breakOff) => {
  const { sending, request } = await upload(128 * 1024);
  const events: string[] = [];
  for (const event of ['end', 'aborted', 'error']) request.on(event, () => events.push(event));
  const closed = new Promise(resolve => request.once('close', resolve));
  request.resume();
  sending.write('half');
  await turnsUntil('half of it has come', () => request.receivedBytes === 4);
  breakOff(sending);
  await closed;
  expect([events, request.complete, request.aborted]).toEqual([['aborted', 'error'], false, true]);
});
