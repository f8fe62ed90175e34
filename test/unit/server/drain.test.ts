import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { type HttpListener, listenHttp } from '../../../src/server/http-listener.ts';
import type { RequestHandler } from '../../../src/server/request-handler.ts';
import { defaultLimits } from '../../support/client-limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const answer: RequestHandler = (request, response) => void response.end(`answer to ${request.url}`);

async function start(handle = answer) {
  const clock = new ManualClock();
  const listener = await listenHttp({
    ...{
      addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0 }],
      reusePort: false,
      limits: defaultLimits,
      clock,
    },
    handle,
    logger: createLogger({ level: 'error', sink: { write: () => undefined, flush: () => undefined } }),
  });
  return { clock, listener };
}

async function open({ port }: HttpListener): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Many times as long as it takes to accept and read what has arrived. */
async function turns() {
  for (let turn = 0; turn < 200; turn++) await new Promise(resolve => setImmediate(resolve));
}

/** Moves time until `drained`. */
async function finish(clock: ManualClock, drained: Promise<void>) {
  let isDrained = false;
  void drained.then(() => {
    isDrained = true;
  });
  await expect
    .poll(() => {
      clock.advance(25);
      return isDrained;
    })
    .toBe(true);
}

it('answers a request that arrives 200 ms after the signal on an open connection, as its last', async () => {
  const { clock, listener } = await start();
  const socket = await open(listener);
  const drained = listener.drain(60_000);
  await turns();
  clock.advance(200);
  await turns();
  socket.write(GET);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*connection: close\r\n.*answer to \/$/is);
  await finish(clock, drained);
});

it('answers a request that arrived while the process stood still', async () => {
  const { clock, listener } = await start();
  const socket = await open(listener);
  const drained = listener.drain(60_000);
  await turns();
  clock.advance(25);
  await turns();
  socket.write(GET);
  // the timers come before the request is read
  clock.advance(300);
  expect(await text(socket)).toMatch(/answer to \/$/);
  await finish(clock, drained);
});

it('accepts connections for 250 ms, and one that was accepted last has as long to send its request', async () => {
  const { clock, listener } = await start();
  const drained = listener.drain(60_000);
  await turns();
  clock.advance(249);
  const late = await open(listener);
  await turns();
  clock.advance(1);
  await expect
    .poll(async () => {
      const refused = await open(listener).catch((error: NodeJS.ErrnoException) => error.code);
      return refused;
    })
    .toBe('ECONNREFUSED');
  clock.advance(200);
  await turns();
  late.write(GET);
  expect(await text(late)).toMatch(/answer to \/$/);
  await finish(clock, drained);
});

it('closes connections without a request after 250 ms, and has then drained', async () => {
  const { clock, listener } = await start();
  const silent = await open(listener);
  const answered = await open(listener);
  answered.write(GET);
  await once(answered, 'data');
  const ended = Promise.all([once(silent, 'close'), once(answered, 'close')]);
  for (const socket of [silent, answered]) socket.resume();
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  const drained = listener.drain(60_000);
  clock.advance(249);
  await turns();
  expect(isEnded).toBe(false);
  clock.advance(26);
  await ended;
  await drained;
});

it('answers requests that are pipelined during a drain, and only the last answer says that it is', async () => {
  const { clock, listener } = await start();
  const socket = await open(listener);
  const drained = listener.drain(60_000);
  socket.write(GET.repeat(40));
  const answers = await text(socket);
  expect(answers.match(/answer to/g)).toHaveLength(40);
  expect(answers.match(/connection: close/gi)).toHaveLength(1);
  await finish(clock, drained);
});

it('waits for a request whose head has begun to arrive, up to the limit', async () => {
  const { clock, listener } = await start();
  const socket = await open(listener);
  socket.write(GET.slice(0, 10));
  const drained = listener.drain(60_000);
  await turns();
  clock.advance(10_000);
  await turns();
  socket.write(GET.slice(10));
  expect(await text(socket)).toMatch(/answer to \/$/);
  await finish(clock, drained);
});

it('ends within a limit that is shorter than the time for new connections', async () => {
  const { clock, listener } = await start();
  const socket = await open(listener);
  socket.write(GET.slice(0, 10));
  const drained = listener.drain(100);
  await turns();
  clock.advance(100);
  await drained;
});

it('cuts off at the limit what is still running, and has then drained', async () => {
  const asked = Promise.withResolvers<void>();
  const { clock, listener } = await start(() => asked.resolve());
  const [unanswered, unsent] = [await open(listener), await open(listener)];
  unanswered.write(GET);
  unsent.write(GET.slice(0, 10));
  await asked.promise;
  let left = 2;
  const cut = [unanswered, unsent].map(async socket => {
    await once(socket.resume(), 'close');
    left--;
  });
  const drained = listener.drain(60_000);
  await turns();
  clock.advance(59_999);
  await turns();
  expect(left).toBe(2);
  clock.advance(1);
  await Promise.all(cut);
  await drained;
});
