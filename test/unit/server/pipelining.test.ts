import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import type { ClientLimits } from '../../../src/server/client-limits.ts';
import { type HttpListener, listenHttp } from '../../../src/server/http-listener.ts';
import type { RequestHandler } from '../../../src/server/request-handler.ts';
import { DirectAnswer } from '../../../src/transport/answer.ts';
import { defaultLimits } from '../../support/client-limits.ts';

const listeners: HttpListener[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of listeners.splice(0)) await listener.drain(0);
});

async function start(handle: RequestHandler, limits: Partial<ClientLimits> = {}): Promise<number> {
  const sink = { write: () => undefined, flush: () => undefined };
  const listener = await listenHttp({
    ...{ addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0 }], reusePort: false, handle },
    logger: createLogger({ level: 'error', sink }),
    limits: { ...defaultLimits, ...limits },
  });
  listeners.push(listener);
  return listener.port;
}

/** A connection, and what has come back over it. */
function open(port: number) {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  const talk = { socket, received: '', closed };
  socket.setEncoding('latin1').on('data', (text: string) => {
    talk.received += text;
  });
  socket.on('error', () => undefined);
  return talk;
}

const get = (number: number, more = '') => `GET /${number} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const gets = (count: number) => Array.from({ length: count }, (_, number) => get(number)).join('');
const bodies = (received: string) => [...received.matchAll(/\r\n\r\n\/(\d+)/g)].map(([, url]) => Number(url));

/** Begun requests, each to be answered with its URL when the test wants it. */
class Begun {
  readonly urls: string[] = [];
  readonly #open: [IncomingMessage, ServerResponse][] = [];
  readonly #watches: { readonly count: number; readonly reached: () => void }[] = [];

  readonly handle: RequestHandler = (request, response) => {
    this.urls.push(request.url ?? '');
    this.#open.push([request, response]);
    for (const { count, reached } of this.#watches) if (this.urls.length >= count) reached();
  };

  get open(): number {
    return this.#open.length;
  }

  /** Kept when so many have begun in all. */
  reached(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.urls.length >= count) resolve();
    this.#watches.push({ count, reached: resolve });
    return promise;
  }

  /** Answers the oldest. */
  answer(): void {
    const [request, response] = this.#open.shift() ?? [];
    response?.writeHead(200, { 'content-length': request?.url?.length ?? 0 }).end(request?.url);
  }
}

it('begins one request of a connection at a time, in order, whatever comes with it', async () => {
  const begun = new Begun();
  const port = await start(begun.handle);
  const talk = open(port);
  talk.socket.write(gets(40) + get(40, 'connection: close\r\n'));
  for (let count = 1; count <= 41; count++) {
    await begun.reached(count);
    expect(begun.urls).toHaveLength(count);
    expect(begun.open).toBe(1);
    begun.answer();
  }
  await talk.closed;
  expect(bodies(talk.received)).toEqual(Array.from({ length: 41 }, (_, number) => number));
});

it('does not read on while requests wait, and answers all of them however many there are', async () => {
  const begun = new Begun();
  let serverSide: Socket | undefined;
  const port = await start((request, response) => {
    serverSide = request.socket;
    begun.handle(request, response);
  });
  const talk = open(port);
  const count = 20_000;
  const all = gets(count) + get(count, 'connection: close\r\n');
  talk.socket.write(all);
  await begun.reached(1);
  // others are served meanwhile, and long enough for everything to be read
  for (let number = 0; number < 20; number++) {
    const other = open(port);
    other.socket.write(get(number, 'connection: close\r\n'));
    await begun.reached(number + 2);
  }
  expect(serverSide?.bytesRead).toBeLessThan(3 * 65_536);
  const next = () => {
    while (begun.open > 0) begun.answer();
    if (begun.urls.length <= count + 20) setImmediate(next);
  };
  next();
  await talk.closed;
  expect(bodies(talk.received)).toEqual(Array.from({ length: count + 1 }, (_, number) => number));
}, 60_000);

it('closes a connection that brings too many at once, and frees what node:http has parsed of it', async () => {
  const begun = new Begun();
  const port = await start(begun.handle, { requestsPerConnection: 100 });
  const talk = open(port);
  talk.socket.write(gets(102));
  await talk.closed;
  expect(bodies(talk.received)).toEqual([]);
  expect(begun.urls).toEqual(['/0']);
});

it('has no stacks made for the requests that a connection leaves behind, and has them for others', async () => {
  const stacks: string[] = [];
  const port = await start(request => {
    request.on('error', error => stacks.push(error.stack ?? ''));
  });
  const stackTraceLimit = Error.stackTraceLimit;
  const talk = open(port);
  talk.socket.write(gets(3));
  await expect.poll(() => talk.socket.bytesWritten).toBe(gets(3).length);
  talk.socket.resetAndDestroy();
  await expect.poll(() => stacks).toEqual(['Error: aborted']);
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});

it('answers as many as one connection may bring', async () => {
  const begun = new Begun();
  const port = await start(begun.handle, { requestsPerConnection: 100 });
  const talk = open(port);
  talk.socket.write(gets(101));
  for (let count = 1; count <= 101; count++) {
    await begun.reached(count);
    begun.answer();
  }
  talk.socket.end();
  await talk.closed;
  expect(bodies(talk.received)).toHaveLength(101);
});

it('counts what waits on all connections of a client, until they close', async () => {
  const begun = new Begun();
  const firstIsGone = Promise.withResolvers<void>();
  const port = await start(
    (request, response) => {
      if (begun.urls.length === 0) request.socket.once('close', firstIsGone.resolve);
      begun.handle(request, response);
    },
    { requests: 100 },
  );
  const first = open(port);
  first.socket.write(gets(51));
  await begun.reached(1);
  const second = open(port);
  second.socket.write(gets(2));
  // none of this one may wait
  await second.closed;
  expect(begun.urls).toEqual(['/0', '/0']);
  // a connection that is not read is found to be gone when something is written to it
  first.socket.resetAndDestroy();
  begun.answer();
  await firstIsGone.promise;
  begun.answer();
  const third = open(port);
  third.socket.write(gets(51));
  for (let count = 3; count < 54; count++) {
    await begun.reached(count);
    begun.answer();
  }
  third.socket.end();
  await third.closed;
  expect(bodies(third.received)).toHaveLength(51);
});

it('forgets what waits on a connection that closes: nothing of it is begun', async () => {
  const begun = new Begun();
  const closed = Promise.withResolvers<void>();
  const port = await start((request, response) => {
    request.socket.once('close', closed.resolve);
    begun.handle(request, response);
  });
  const talk = open(port);
  talk.socket.write(gets(5));
  await begun.reached(1);
  talk.socket.resetAndDestroy();
  await closed.promise;
  begun.answer();
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
  expect(begun.urls).toEqual(['/0']);
});

it('begins nothing on a connection that closed between the turn of a request and its beginning', async () => {
  const urls: (string | undefined)[] = [];
  const port = await start((request, response) => {
    urls.push(request.url);
    // the next one has its turn when this one is over
    response.once('close', () => request.socket.destroy());
    response.end('x');
  });
  const talk = open(port);
  talk.socket.write(gets(3));
  await talk.closed;
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
  expect(urls).toEqual(['/0']);
});

it('answers every request before the garbage, and closes then', async () => {
  const port = await start((request, response) => {
    const { url = '' } = request;
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${url.length}\r\n\r\n`;
    const answer = DirectAnswer.begin(response, 200, head);
    if (answer) answer.endWith(url);
    else response.writeHead(200, { 'content-length': url.length }).end(url);
  });
  const talk = open(port);
  talk.socket.write(`${gets(30)}\0garbage\r\n\r\n`);
  await talk.closed;
  expect(bodies(talk.received)).toEqual(Array.from({ length: 30 }, (_, number) => number));
  expect(talk.received).not.toContain('400');
});

it.each([
  ['garbage', '\0garbage\r\n\r\n'],
  ['a head that is cut short', 'GET /1 HTTP/1.1\r\nho'],
])('answers the one request before %s and the end of the connection, and closes then', async (_, behind) => {
  const begun = new Begun();
  const port = await start(begun.handle);
  const talk = open(port);
  talk.socket.end(get(0) + behind);
  await begun.reached(1);
  // everything that was sent is looked at before the answer
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
  begun.answer();
  await talk.closed;
  expect(bodies(talk.received)).toEqual([0]);
  expect(talk.received).not.toContain('400');
});

it.each([
  ['of one client', { connectionsPerAddress: 2 }],
  ['in all', { connections: 2 }],
])(
  'answers 503 to connections beyond the limit %s, and takes one again when one has closed',
  async (_, limits) => {
    const begun = new Begun();
    const serverSides: Socket[] = [];
    const port = await start((request, response) => {
      serverSides.push(request.socket);
      begun.handle(request, response);
    }, limits);
    const kept = [open(port), open(port)];
    for (const { socket } of kept) socket.write(get(1));
    await begun.reached(2);
    const refused = open(port);
    refused.socket.write(get(2));
    await refused.closed;
    expect(refused.received).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/);
    expect(begun.urls).toHaveLength(2);
    const gone = new Promise<void>(resolve => serverSides[0]?.once('close', () => resolve()));
    kept[0]?.socket.resetAndDestroy();
    await gone;
    open(port).socket.write(get(3));
    await begun.reached(3);
  },
);
