import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent, request as requestSecurely } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { defaultLimits } from '../../support/client-limits.ts';
import { localIdentity } from '../../support/local-identity.ts';
import { describingBytes, misplaced } from '../../support/self-describing.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const mebibyte = 1024 * 1024;

/** What came of each body, in the order in which they ended. */
let ends: string[];
/** Of the bodies that are on their way. */
let received: Map<string, number>;
let answer: (asked: IncomingMessage, reply: ServerResponse) => void;
let store: Server;
let gateway: TestGateway;

const accept = (_asked: IncomingMessage, reply: ServerResponse) =>
  void reply.writeHead(200, { etag: '"e"', 'content-length': 0 }).end();

beforeEach(async () => {
  [ends, received, answer] = [
    [],
    new Map(),
    (asked, reply) => void asked.on('end', () => accept(asked, reply)),
  ];
  store = createServer((asked, reply) => {
    const name = asked.url?.split('/').at(-1) ?? '';
    let [receivedBytes, wrong] = [0, ''];
    asked.on('data', (chunk: Buffer) => {
      wrong ||= misplaced({ object: Number(name), version: 1 }, receivedBytes, chunk) ?? '';
      receivedBytes += chunk.length;
      received.set(name, receivedBytes);
    });
    asked.on('end', () => ends.push(`${name}: ${wrong || receivedBytes}`));
    asked.on('error', () => ends.push(`${name}: ${wrong || 'cut'}`));
    answer(asked, reply);
  });
  store.listen(0, '127.0.0.1');
  await once(store, 'listening');
});

afterEach(async () => {
  await gateway.close();
  store.closeAllConnections();
  store.close();
});

async function start(more: Partial<TestGatewayOptions> = {}): Promise<void> {
  const address = store.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  gateway = await TestGateway.start({ storeUrl: `http://127.0.0.1:${port}`, listener: 'worker', ...more });
}

/** A connection whose bytes a test writes. */
class Client {
  readonly socket: Socket;
  heard = '';
  isClosed = false;

  constructor(url = gateway.url()) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.socket.setEncoding('latin1').on('error', () => undefined);
    this.socket.on('data', text => {
      this.heard += text;
    });
    this.socket.on('end', () => this.socket.end());
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    onTestFinished(() => void this.socket.destroy());
  }

  /** @param bytes all of it has left this process when it resolves, if anybody reads it */
  say(bytes: string | Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => resolve());
    return promise;
  }

  /** The statuses of all answers, once there are so many or the connection is closed. */
  async statuses(count: number): Promise<number[]> {
    const all = () => [...this.heard.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    await turnsUntil(`${count} answers`, () => all().length >= count || this.isClosed);
    return all();
  }

  async closed(): Promise<string> {
    await turnsUntil('the connection is closed', () => this.isClosed);
    return this.heard;
  }
}

const head = (object: number, sizeBytes: number, more = '') =>
  `PUT /b/${object} HTTP/1.1\r\nhost: gateway\r\ncontent-length: ${sizeBytes}\r\n${more}\r\n`;
const body = (object: number, from: number, to: number) => describingBytes({ object, version: 1 }, from, to);
const has = (object: number, sizeBytes: number) =>
  turnsUntil(`the store has ${sizeBytes} bytes`, () => (received.get(`${object}`) ?? 0) >= sizeBytes);

describe('behind a large body', () => {
  beforeEach(() => start());

  it('come further large bodies and other requests, and each is answered in its turn', async () => {
    const client = new Client();
    const sizes = [3 * mebibyte, 600 * 1024, 5, 2 * mebibyte + 1];
    const requests = sizes.flatMap((sizeBytes, index) => [
      Buffer.from(head(index, sizeBytes)),
      body(index, 0, sizeBytes),
      Buffer.from('GET /missing/k HTTP/1.1\r\nhost: gateway\r\n\r\n'),
    ]);
    void client.say(Buffer.concat(requests));
    expect(await client.statuses(8)).toEqual([200, 404, 200, 404, 200, 404, 200, 404]);
    expect(ends).toEqual(sizes.map((sizeBytes, index) => `${index}: ${sizeBytes}`));
    expect(client.isClosed).toBe(false);
  });

  it.each([5, 100_000, 2 * mebibyte])(
    'comes what is no request: that is the end, and the body is stored (%d bytes)',
    async sizeBytes => {
      const client = new Client();
      void client.say(
        Buffer.concat([
          Buffer.from(head(1, sizeBytes)),
          body(1, 0, sizeBytes),
          Buffer.from('\0'.repeat(100)),
        ]),
      );
      await client.closed();
      expect(await client.statuses(2)).toEqual([200]);
      expect(ends).toEqual([`1: ${sizeBytes}`]);
    },
  );
});

describe('a large body', () => {
  const half = 4 * mebibyte;
  const whole = 2 * half;

  it('that its client sends byte by byte at its end is whole', async () => {
    await start();
    const client = new Client();
    void client.say(head(1, whole));
    await client.say(body(1, 0, whole - 5));
    for (let at = whole - 5; at < whole; at++) {
      await client.say(body(1, at, at + 1));
      await nextTurn();
    }
    expect(await client.statuses(1)).toEqual([200]);
    expect(ends).toEqual([`1: ${whole}`]);
  });

  it('whose client leaves in it is cut off at the store', async () => {
    await start();
    const client = new Client();
    void client.say(head(1, whole));
    void client.say(body(1, 0, half));
    await has(1, half / 2);
    client.socket.destroy();
    await turnsUntil('the store is cut off', () => ends.length === 1);
    expect(ends).toEqual(['1: cut']);
  });

  it('whose client ends its half of the connection in it is told so, and cut off at the store', async () => {
    await start();
    const client = new Client();
    void client.say(head(1, whole));
    await client.say(body(1, 0, half));
    await has(1, half / 2);
    client.socket.end();
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 400 [\s\S]*<Code>IncompleteBody<\/Code>/);
    await turnsUntil('the store is cut off', () => ends.length === 1);
    expect(ends).toEqual(['1: cut']);
  });

  it('whose client sends no more is answered in time, and cut off at the store', async () => {
    const timeouts = { ...defaultLimits.timeouts, headersMs: 400, bodyMs: 400 };
    await start({ listenerLimits: { timeouts } });
    const client = new Client();
    void client.say(head(1, whole));
    await client.say(body(1, 0, half));
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 408 [\s\S]*<Code>RequestTimeout<\/Code>/);
    await turnsUntil('the store is cut off', () => ends.length === 1);
    expect(ends).toEqual(['1: cut']);
  });

  it('is asked for only when the request is allowed, and is whole then', async () => {
    await start({ allows: (_caller, _bucket, _action, key) => key !== '2' });
    const expecting = 'expect: 100-continue\r\n';
    const [allowed, refused] = [new Client(), new Client()];
    void refused.say(head(2, whole, expecting));
    expect(await refused.closed()).toMatch(/^HTTP\/1\.1 403 /);
    void allowed.say(head(1, whole, expecting));
    await turnsUntil('the client may go on', () => allowed.heard === 'HTTP/1.1 100 Continue\r\n\r\n');
    expect(received.size).toBe(0);
    void allowed.say(body(1, 0, whole));
    expect(await allowed.statuses(2)).toEqual([100, 200]);
    expect(ends).toEqual([`1: ${whole}`]);
  });

  it.each([
    ['goes on', false],
    ['closes', true],
  ])('that the store refuses in its middle, and %s, is answered so at once', async (_, closes) => {
    answer = (asked, reply) => {
      let receivedBytes = 0;
      asked.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length;
        if (receivedBytes < mebibyte || reply.headersSent) return;
        reply.writeHead(403, { 'content-length': 2 }).end('no', () => closes && asked.socket.destroySoon());
      });
    };
    await start();
    const client = new Client();
    void client.say(head(1, whole));
    void client.say(body(1, 0, half));
    expect(await client.statuses(1)).toEqual([403]);
    void client.say(body(1, half, whole));
    await client.closed();
    expect(ends).not.toContain(`1: ${whole}`);
    // and the next one finds all as it was
    answer = (asked, reply) => void asked.on('end', () => accept(asked, reply));
    const next = new Client();
    void next.say(Buffer.concat([Buffer.from(head(3, whole)), body(3, 0, whole)]));
    expect(await next.statuses(1)).toEqual([200]);
    expect(ends).toContain(`3: ${whole}`);
  });

  it.each([
    ['two lengths', 'content-length: 9\r\n', 400],
    ['a length and a coding', 'transfer-encoding: chunked\r\n', 400],
    ['a coding that is not known', 'transfer-encoding: gzip, chunked\r\n', 400],
  ])('with %s is refused unread', async (_, more, status) => {
    await start();
    const client = new Client();
    void client.say(head(1, whole, more));
    void client.say(body(1, 0, whole));
    expect(await client.statuses(1)).toEqual([status]);
    await client.closed();
    expect(await client.statuses(1)).toEqual([status]);
    expect(received.size).toBe(0);
  });

  it('that many clients leave in takes no place from those that follow', async () => {
    await start();
    for (let round = 0; round < 4; round++) {
      const clients = Array.from({ length: 12 }, (_, index) => {
        const client = new Client();
        void client.say(head(index, whole));
        void client.say(body(index, 0, half));
        return client;
      });
      for (const [index, client] of clients.entries()) {
        await has(index, mebibyte);
        client.socket.destroy();
      }
      await turnsUntil('all are cut off', () => ends.length === 12 * (round + 1));
      received.clear();
    }
    const last = new Client();
    void last.say(Buffer.concat([Buffer.from(head(99, whole)), body(99, 0, whole)]));
    expect(await last.statuses(1)).toEqual([200]);
    expect([ends.filter(end => end.endsWith('cut')).length, ends.at(-1)]).toEqual([48, `99: ${whole}`]);
  });
});

describe('over TLS', () => {
  const sizeBytes = 5 * mebibyte;
  const { tls, caPem: ca } = localIdentity();
  beforeEach(() => start({ tls }));

  function put(agent: Agent, object: number): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const { hostname, port } = new URL(gateway.secureUrl());
    const headers = { 'content-length': sizeBytes };
    const sent = requestSecurely({ agent, hostname, port, method: 'PUT', path: `/b/${object}`, headers });
    sent.on('response', reply => resolve(reply.resume().statusCode ?? 0)).on('error', () => resolve(0));
    sent.end(body(object, 0, sizeBytes));
    return promise;
  }

  async function putInStream(session: ClientHttp2Session, object: number): Promise<number> {
    const fields = { ':method': 'PUT', ':path': `/b/${object}`, 'content-length': sizeBytes };
    const stream = session.request(fields).on('error', () => undefined);
    stream.end(body(object, 0, sizeBytes));
    const [head] = await once(stream, 'response');
    stream.resume();
    return Number(head[':status']);
  }

  const all = [0, 1, 2, 3, 4, 5].map(object => `${object}: ${sizeBytes}`);

  it('bodies beside each other and one after the other are stored byte for byte', async () => {
    const agents = [0, 1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1, ca }));
    onTestFinished(() => {
      for (const agent of agents) agent.destroy();
    });
    for (const first of [0, 3])
      expect(await Promise.all(agents.map((agent, index) => put(agent, first + index)))).toEqual([
        200, 200, 200,
      ]);
    expect(ends.toSorted()).toEqual(all);
  });

  it('and so are those in streams of one connection, of which some are broken off', async () => {
    const session = connectHttp2(gateway.secureUrl(), { ca, maxSessionMemory: 100 }).on(
      'error',
      () => undefined,
    );
    onTestFinished(() => session.destroy());
    const fields = { ':method': 'PUT', ':path': '/b/9', 'content-length': sizeBytes };
    const broken = session.request(fields).on('error', () => undefined);
    broken.write(body(9, 0, mebibyte));
    const answers = [0, 1, 2, 3, 4, 5].map(object => putInStream(session, object));
    await has(9, mebibyte / 2);
    broken.destroy(new Error('leaves'));
    expect(await Promise.all(answers)).toEqual(all.map(() => 200));
    await turnsUntil('the store is cut off', () => ends.length === 7);
    expect(ends.toSorted()).toEqual([...all, '9: cut']);
  });
});
