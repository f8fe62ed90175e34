import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, constants } from 'node:http2';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { defaultLimits } from '../../../support/client-limits.ts';
import { answerOf, listenSecurely, openSession } from '../../../support/secure-listener.ts';
import { turnsUntil } from '../../../support/turns-until.ts';

const { bodyMs, idleMs } = defaultLimits.timeouts;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
});

const ping = (session: ClientHttp2Session) => new Promise<void>(resolve => session.ping(() => resolve()));

/** Time goes by, while something moves on the connection: it is not idle. */
async function sweep(session: ClientHttp2Session, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    vi.advanceTimersByTime(bodyMs);
    await ping(session);
  }
}

const takesBody = () => true;

it('a stream on which nothing moves is ended after the idle time, on a session that is in use', async () => {
  const listener = await listenSecurely((request, response) => {
    if (request.url === '/answered') response.end('done');
  });
  const session = await openSession(listener);
  const still = session.request({ ':path': '/' });
  const ended = new Promise(resolve => still.on('error', () => undefined).once('close', resolve));
  expect((await answerOf(session.request({ ':path': '/answered' }))).body.toString()).toBe('done');
  // the first sweep only remembers what there is
  await sweep(session, idleMs / bodyMs);
  expect(still.closed).toBe(false);
  await sweep(session, 1);
  await ended;
  expect(still.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
  expect((await answerOf(session.request({ ':path': '/answered' }))).body.toString()).toBe('done');
});

it('a body that is held up here is not called slow', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const listener = await listenSecurely(
    async (request, response) => {
      request.read(0);
      arrived.resolve(request);
      await once(request, 'go on');
      response.end(String((await request.toArray()).reduce((sum, { length }) => sum + length, 0)));
    },
    { takesBody },
  );
  const session = await openSession(listener);
  const stream = session.request({ ':method': 'PUT', ':path': '/' });
  stream.end(Buffer.alloc(1_000_000));
  const request = await arrived.promise;
  await turnsUntil('no more is taken', () => request.readableLength >= request.readableHighWaterMark);
  await sweep(session, 3);
  request.emit('go on');
  const { headers, body } = await answerOf(stream);
  expect([headers[':status'], body.toString()]).toEqual([200, '1000000']);
});

it('a body that comes too slowly ends its stream also where the answer has begun', async () => {
  const listener = await listenSecurely(
    (request, response) => {
      request.on('error', () => undefined).resume();
      response.writeHead(200, []);
      response.write('begun');
    },
    { takesBody },
  );
  const session = await openSession(listener);
  const stream = session.request({ ':method': 'PUT', ':path': '/' });
  const ended = new Promise(resolve => stream.on('error', () => undefined).once('close', resolve));
  stream.write('slow');
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(200);
  await sweep(session, 2);
  await ended;
  expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
});

it('a session that pings now and then goes on, however many pings it sends in all', async () => {
  const listener = await listenSecurely((_request, response) => void response.end('done'));
  const session = await openSession(listener);
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 300; count++) await ping(session);
    vi.advanceTimersByTime(20_000);
  }
  expect((await answerOf(session.request({ ':path': '/' }))).body.toString()).toBe('done');
});
