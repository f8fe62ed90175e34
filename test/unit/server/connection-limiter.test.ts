import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { listenHttp } from '../../../src/server/http-listener.ts';
import type { TlsMaterial } from '../../../src/server/tls/tls-material.ts';
import { defaultLimits } from '../../support/client-limits.ts';
import { localIdentity } from '../../support/local-identity.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { answerOf, openSession } from '../../support/secure-listener.ts';

const CROWDED = 'HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\n\r\n';
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server with room for 8: 6 are served, 2 wait. Each request is held until `release`. */
async function setup(readBody?: (request: IncomingMessage) => void, tls?: TlsMaterial) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    sink: { write: line => void lines.push(line), flush: () => undefined },
  });
  const held: (() => void)[] = [];
  const listener = await listenHttp({
    addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0, tls }],
    reusePort: false,
    logger,
    handle: (request, response) => {
      readBody?.(request);
      held.push(() => response.end(`answer to ${request.url}`));
    },
    takesBody: () => readBody !== undefined,
    limits: defaultLimits,
    room: { connections: 8, clock },
    answerUnreadable: why => ({ requestId: undefined, text: why === 'too-many-connections' ? CROWDED : why }),
  });
  /** A connection of an address, over which `text` is sent. */
  const open = async (text: string, localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress });
    closing.push(() => socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  const ask = (path: string, address?: string) => open(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`, address);
  const fill = async () => {
    const served = await Promise.all(Array.from({ length: 6 }, (_, index) => ask(`/${index}`)));
    await expect.poll(() => held.length).toBe(6);
    return served;
  };
  /** Once this many requests have come, while time goes by in which idle connections are closed. */
  const freed = (count: number) =>
    expect
      .poll(() => {
        clock.advance(100);
        return held.length;
      })
      .toBe(count);
  closing.unshift(() => listener.drain(0));
  const said = (words: string) => lines.filter(line => line.includes(words)).length;
  /** Takes all places with connections of one address that have sent no whole request. */
  const hold = async (text: string) => {
    const connections = await Promise.all(Array.from({ length: 6 }, () => open(text)));
    // the seventh has to wait, so the others are served
    const last = await open('');
    await expect.poll(() => said('further ones wait')).toBe(1);
    return [...connections, last];
  };
  return { clock, held, open, ask, fill, hold, said, freed, listener };
}

it('lets what is too much wait for a place, the first to come first', async () => {
  const { held, ask, fill, said, freed } = await setup();
  await fill();
  const waiting = await ask('/early');
  await expect.poll(() => said('further ones wait')).toBe(1);
  const later = await ask('/late');
  held[0]?.();
  await freed(7);
  held[6]?.();
  const [answer] = await once(waiting, 'data');
  expect(String(answer)).toContain('answer to /early');
  held[1]?.();
  await freed(8);
  held[7]?.();
  expect(String((await once(later, 'data'))[0])).toContain('answer to /late');
  expect(said('further ones wait')).toBe(1);
});

/** A server with room for 8 that drains while it covers another one and 100 connections are still to be accepted. */
async function drainCrowded(limitMs: number) {
  const clock = new ManualClock();
  const held: (() => void)[] = [];
  const listener = await listenHttp({
    ...{ addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0 }], reusePort: true, limits: defaultLimits },
    handle: (_request, response) => void held.push(() => response.end()),
    logger: createLogger({ level: 'error', sink: { write: () => undefined, flush: () => undefined } }),
    room: { connections: 8, clock },
    answerUnreadable: () => ({ requestId: undefined, text: CROWDED }),
  });
  listener.cover(true);
  await new Promise(resolve => setImmediate(resolve));
  const refused = new Set<Socket>();
  for (let index = 0; index < 100; index++) {
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
    closing.push(() => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    for (const event of ['data', 'end', 'error']) socket.on(event, () => refused.add(socket));
  }
  return { clock, held, refused, drained: listener.drain(limitMs) };
}

it('lets nobody wait for a place when it drains', async () => {
  const { clock, held, refused, drained } = await drainCrowded(60_000);
  await expect.poll(() => [held.length, refused.size]).toEqual([6, 94]);
  for (const end of held) end();
  clock.advance(500);
  await drained;
});

it('ends a drain within the limit though clients do not close what was refused', async () => {
  const { refused, drained } = await drainCrowded(300);
  await drained;
  await expect.poll(() => refused.size).toBe(100);
});

it('closes connections that are idle between requests to make room', async () => {
  const { held, ask, fill, freed } = await setup();
  const [first] = await fill();
  held[0]?.();
  if (first) await once(first, 'data');
  const next = await ask('/next');
  await freed(7);
  held[6]?.();
  expect(String((await once(next, 'data'))[0])).toContain('answer to /next');
});

it('answers what even the waiting have no room for, and what has waited for ten seconds', async () => {
  const { clock, ask, fill, said } = await setup();
  await fill();
  const waiting = [await ask('/a'), await ask('/b')];
  await expect.poll(() => said('further ones wait')).toBe(1);
  expect(await text(await ask('/c'))).toBe(CROWDED);
  clock.advance(9_999);
  const ends = waiting.map(socket => text(socket));
  clock.advance(1);
  expect(await Promise.all(ends)).toEqual([CROWDED, CROWDED]);
});

it('says nothing in plain text to a client that expects TLS, neither at once nor after ten seconds', async () => {
  const { clock, open, hold } = await setup(undefined, localIdentity().tls);
  const [last] = (await hold('')).slice(-1);
  const heardBy = async (socket: Socket | undefined) => {
    if (!socket) throw new Error('no connection');
    const heard: string[] = [];
    socket.setEncoding('latin1').on('data', (chunk: string) => heard.push(chunk));
    await once(socket, 'close');
    return heard.join('');
  };
  const waiting = [last, await open('')].map(heardBy);
  expect(await heardBy(await open(''))).toBe('');
  clock.advance(10_000);
  expect(await Promise.all(waiting)).toEqual(['', '']);
});

it('takes a session of HTTP/2 for used as long as a stream is open, and closes it to make room then', async () => {
  const { clock, held, said, listener } = await setup(undefined, localIdentity().tls);
  const sessions = await Promise.all(Array.from({ length: 6 }, () => openSession(listener)));
  const answers = sessions.map(session => answerOf(session.request({ ':path': '/held' })));
  await expect.poll(() => held.length).toBe(6);
  let isServed = false;
  const waiting = openSession(listener).then(() => {
    isServed = true;
  });
  await expect.poll(() => said('further ones wait')).toBe(1);
  clock.advance(3_000);
  for (const session of sessions) await new Promise<void>(resolve => session.ping(() => resolve()));
  expect([isServed, sessions.map(({ destroyed }) => destroyed)]).toEqual([false, sessions.map(() => false)]);
  held[0]?.();
  expect((await Promise.race(answers)).body.toString()).toBe('answer to /held');
  await expect
    .poll(() => {
      clock.advance(100);
      return isServed;
    })
    .toBe(true);
  await waiting;
  expect(sessions.filter(({ destroyed }) => !destroyed)).toHaveLength(5);
});

it('says that connections are accepted again when none has waited for a while', async () => {
  const { clock, ask, fill, said } = await setup();
  await fill();
  const waiting = await ask('/a');
  await expect.poll(() => said('further ones wait')).toBe(1);
  clock.advance(5_000);
  expect(said('accepted again without waiting')).toBe(0);
  clock.advance(5_000);
  expect(await text(waiting)).toBe(CROWDED);
  clock.advance(10_000);
  expect(said('accepted again without waiting')).toBe(1);
});

const drip = 'GET / HTTP/1.1\r\nHost: ';

it.each([
  ['silent connections', ''],
  ['blank lines', '\r\n\r\n'],
  ['heads that drip', drip],
])(
  'a client of another address is answered within a second while one address holds all with %s',
  async (_, sent) => {
    const { clock, held, ask, hold } = await setup();
    const holders = await hold(sent);
    const other = await ask('/other', '127.0.0.2');
    let hasRoom = false;
    let waitedMs = 0;
    for (const holder of holders) {
      holder.once('close', () => {
        hasRoom = true;
      });
    }
    await expect
      .poll(() => {
        for (const holder of holders) holder.write(sent.slice(-1));
        if (!hasRoom) waitedMs += 100;
        clock.advance(hasRoom ? 0 : 100);
        return held.length;
      })
      .toBe(1);
    held[0]?.();
    expect(String((await once(other, 'data'))[0])).toContain('answer to /other');
    // the same connections would make room for their own address after five seconds
    expect(waitedMs).toBeLessThan(5_000);
  },
);

it('answers a request that has waited for a store for a second, and gives its place to an address that has fewer', async () => {
  const { clock, held, ask, fill } = await setup();
  const [first] = await fill();
  const other = await ask('/other', '127.0.0.2');
  await expect
    .poll(() => {
      clock.advance(100);
      return held.length;
    })
    .toBe(7);
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(1_000);
  expect(await text(first ?? other)).toBe(CROWDED);
  held[6]?.();
  expect((await once(other, 'data')).toString()).toContain('answer to /other');
});

it.each([
  ['the beginning of a next request', '', 'GET /next HTTP/1.1\r\nx: '],
  ['a body that nobody reads', 'content-length: 60000\r\n', 'x'],
])('does not take %s for a sign of life of the one that waits', async (_, fields, begun) => {
  const { clock, held, open, ask } = await setup();
  const text = (index: number) => `GET /${index} HTTP/1.1\r\nHost: h\r\n${fields}\r\n${begun}`;
  const served = await Promise.all(Array.from({ length: 6 }, (_empty, index) => open(text(index))));
  await expect.poll(() => held.length).toBe(6);
  const other = await ask('/other', '127.0.0.2');
  await expect
    .poll(() => {
      for (const socket of served) if (socket.writable) socket.write('x');
      clock.advance(100);
      return held.length;
    })
    .toBe(7);
  held[6]?.();
  expect((await once(other, 'data')).toString()).toContain('answer to /other');
});

it.each([
  ['a listener for data', (request: IncomingMessage) => void request.on('data', () => undefined)],
  ['iteration', (request: IncomingMessage) => void request.toArray().catch(() => undefined)],
  ['read()', (request: IncomingMessage) => void request.on('readable', () => request.read())],
])('takes a body that is read with %s for a sign of life of the request that waits', async (_, readBody) => {
  const requests: IncomingMessage[] = [];
  const { clock, held, open, ask } = await setup(request => {
    requests.push(request);
    readBody(request);
  });
  const readBytes = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
  const text = (index: number) => `PUT /${index} HTTP/1.1\r\nHost: h\r\ncontent-length: 60000\r\n\r\n`;
  const served = await Promise.all(Array.from({ length: 6 }, (_empty, index) => open(text(index))));
  await expect.poll(() => held.length).toBe(6);
  await ask('/other', '127.0.0.2');
  for (let step = 0; step < 30; step++) {
    const before = readBytes();
    for (const socket of served) socket.write('x');
    await expect.poll(readBytes).toBe(before + served.length);
    clock.advance(100);
  }
  expect(served.map(socket => socket.readyState)).toEqual(served.map(() => 'open'));
});

it('closes idle connections of the address that has most, and keeps those of others', async () => {
  const { held, ask, freed } = await setup();
  const answered = async (path: string, address: string) => {
    const count = held.length;
    const socket = await ask(path, address);
    await expect.poll(() => held.length).toBe(count + 1);
    held[count]?.();
    await once(socket, 'data');
    return socket;
  };
  const poor = [await answered('/poor', '127.0.0.2'), await answered('/poor', '127.0.0.3')];
  for (let index = 0; index < 4; index++) await answered(`/${index}`, '127.0.0.1');
  const waiting = await ask('/late', '127.0.0.4');
  await freed(7);
  held[6]?.();
  expect(String((await once(waiting, 'data'))[0])).toContain('answer to /late');
  expect(poor.map(socket => socket.readyState)).toEqual(['open', 'open']);
});

it('a client that has less goes first, and takes the place of one that waits where too many do', async () => {
  const { held, ask, fill, said, freed } = await setup();
  await fill();
  const early = await ask('/a');
  await ask('/b');
  await expect.poll(() => said('further ones wait')).toBe(1);
  const displaced = text(early);
  const other = await ask('/other', '127.0.0.2');
  expect(await displaced).toBe(CROWDED);
  // it has more than the one that waits
  expect(await text(await ask('/c'))).toBe(CROWDED);
  held[0]?.();
  await freed(7);
  held[6]?.();
  expect(String((await once(other, 'data'))[0])).toContain('answer to /other');
});
