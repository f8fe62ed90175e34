import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it, test } from 'vitest';
import type { OriginReceiver } from '../../../src/backend/origin-call.ts';
import { OriginPool, type OriginPoolOptions } from '../../../src/backend/origin-pools.ts';
import { ReadBuffer } from '../../../src/transport/read-buffer.ts';
import { ask, RawOrigin } from '../../support/raw-origin.ts';
import { copyOf, patternContent, pieces } from '../../support/stand-in/content.ts';

const content = patternContent(3_000_001, 7);
const wanted = copyOf(content);
const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8');
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

const serveContent: RequestListener = (_request, reply) => {
  reply.writeHead(200, { 'content-length': content.sizeBytes });
  for (const piece of pieces(content)) reply.write(piece);
  reply.end();
};

/** @param nowMs by default parsing takes no time, so that nothing waits for its turn */
async function poolFor(
  server: ReturnType<typeof createServer>,
  protocol: string,
  nowMs = () => 0,
): Promise<OriginPool> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const options: OriginPoolOptions = {
    connections: 8,
    timeouts: { connectMs: 2_000, firstByteMs: 2_000, idleMs: 2_000 },
    lookup: (_host, options, callback) => {
      if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    },
  };
  const pool = new OriginPool(`${protocol}://localhost:${port}`, options, new ReadBuffer(nowMs));
  cleanups.push(
    () => pool.close(),
    async () => {
      server.closeAllConnections();
      server.close();
    },
  );
  return pool;
}

interface Got {
  readonly body: Buffer;
  /** The memory that the chunks lay in; small ones of a chunked body are joined elsewhere. */
  readonly memory: ReadonlySet<ArrayBufferLike>;
  /** Of the pieces. */
  readonly lengths: readonly number[];
}

/** Reads the whole answer; stops for a moment after every `pauseEvery`th chunk. */
function get(pool: OriginPool, pauseEvery: number): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const chunks: Buffer[] = [];
  const memory = new Set<ArrayBufferLike>();
  const receiver: OriginReceiver = {
    answered: () => undefined,
    arrived: chunk => {
      if (chunk.length >= 16 * 1024) memory.add(chunk.buffer);
      chunks.push(Buffer.from(chunk));
      if (chunks.length % pauseEvery !== 0) return;
      call.pause();
      setImmediate(() => call.resume());
    },
    ended: () => resolve({ body: Buffer.concat(chunks), memory, lengths: chunks.map(chunk => chunk.length) }),
    failed: reject,
  };
  const call = pool.send({ method: 'GET', path: '/', headers: [] }, receiver);
  return promise;
}

test('all connections of a pool read into the same memory', async () => {
  const pool = await poolFor(createServer(serveContent), 'http');
  const got = await Promise.all(Array.from({ length: 4 }, () => get(pool, Number.POSITIVE_INFINITY)));
  for (const { body } of got) expect(body.equals(wanted)).toBe(true);
  expect(new Set(got.flatMap(({ memory }) => [...memory])).size).toBe(1);
});

test.each([1, 3])('connections paused at every %i. chunk do not disturb each other', async pauseEvery => {
  const pool = await poolFor(createServer(serveContent), 'http');
  const got = await Promise.all(
    [pauseEvery, Number.POSITIVE_INFINITY, pauseEvery, pauseEvery + 1].map(every => get(pool, every)),
  );
  for (const { body } of got) expect(body.equals(wanted)).toBe(true);
});

test('a connection is not read while its call is paused: nothing has to be kept', async () => {
  const pool = await poolFor(createServer(serveContent), 'http');
  // not every chunk: undici hands on an empty one when it goes on, and a call that is paused there is read once too often
  const got = await Promise.all(Array.from({ length: 4 }, () => get(pool, 2)));
  for (const { body } of got) expect(body.equals(wanted)).toBe(true);
  expect(new Set(got.flatMap(({ memory }) => [...memory])).size).toBe(1);
});

test('connections are used again after paused answers', async () => {
  const server = createServer(serveContent);
  let connections = 0;
  server.on('connection', () => connections++);
  const pool = await poolFor(server, 'http');
  for (let round = 0; round < 8; round++) expect((await get(pool, 2)).body.equals(wanted)).toBe(true);
  // undici may take a second one while the first has not noticed yet that it is free
  expect(connections).toBeLessThanOrEqual(2);
});

test.each([
  ['in chunks', {}],
  ['that end with their connection', { connection: 'close' }],
] as const)(
  'bodies %s are handed on where they were read: only what came with a head is copied',
  async (_name, fields) => {
    const pool = await poolFor(
      createServer((_request, reply) => {
        reply.useChunkedEncodingByDefault = !('connection' in fields);
        reply.writeHead(200, fields);
        for (const piece of pieces(content)) reply.write(piece);
        reply.end();
      }),
      'http',
    );
    const got = await Promise.all(Array.from({ length: 3 }, () => get(pool, Number.POSITIVE_INFINITY)));
    expect(new Set(got.flatMap(({ memory }) => [...memory])).size).toBe(1);
    for (const { body } of [...got, await get(pool, 3)]) expect(body.equals(wanted)).toBe(true);
  },
);

test('a body in chunks of a few bytes is handed on in few pieces', async () => {
  const pool = await poolFor(
    // an HTTP server of Node joins the chunks of one turn
    createServer(({ socket }) => {
      const sent: Buffer[] = [Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')];
      for (let at = 0; at < 200_000; at += 20)
        sent.push(Buffer.from('14\r\n'), wanted.subarray(at, at + 20), Buffer.from('\r\n'));
      socket.write(Buffer.concat([...sent, Buffer.from('0\r\n\r\n')]));
    }),
    'http',
  );
  const { body, lengths } = await get(pool, Number.POSITIVE_INFINITY);
  expect(body.equals(wanted.subarray(0, 200_000))).toBe(true);
  expect(lengths.length).toBeLessThan(body.length / 1_000);
});

test('connections whose bytes take long give others a turn, and the memory of what waits is freed', async () => {
  // every piece takes as long as all of a turn
  let nowMs = 0;
  const pool = await poolFor(createServer(serveContent), 'http', () => nowMs);
  let piecesOfTurn = 0;
  let mostOfATurn = 0;
  const memory = new Set<ArrayBufferLike>();
  const reads = Array.from({ length: 3 }, async () => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    const receiver: OriginReceiver = {
      answered: () => undefined,
      arrived: chunk => {
        if (piecesOfTurn++ === 0) setImmediate(() => (piecesOfTurn = 0));
        mostOfATurn = Math.max(mostOfATurn, piecesOfTurn);
        nowMs += 10;
        if (chunk.length >= 16 * 1024) memory.add(chunk.buffer);
        chunks.push(Buffer.from(chunk));
      },
      ended: () => resolve(Buffer.concat(chunks)),
      failed: reject,
    };
    pool.send({ method: 'GET', path: '/', headers: [] }, receiver);
    return await promise;
  });
  for (const body of await Promise.all(reads)) expect(body.equals(wanted)).toBe(true);
  // the counter may be set back before or after the budget is renewed
  expect(mostOfATurn).toBeLessThanOrEqual(2);
  expect(memory.size).toBeGreaterThan(1);
  // with the last byte that waits, and not only with the connection, which is used again for seconds
  await expect
    .poll(() => [...memory].filter(({ byteLength }) => byteLength > 0).length, { timeout: 3_000 })
    .toBe(1);
});

test('the memory of bytes that wait is freed with their connection', async () => {
  let nowMs = 0;
  const pool = await poolFor(createServer(serveContent), 'http', () => nowMs);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let first: ArrayBufferLike | undefined;
  const call = pool.send(
    { method: 'GET', path: '/', headers: [] },
    {
      answered: () => undefined,
      arrived: chunk => {
        nowMs += 10;
        if (chunk.length < 16 * 1024) return;
        first ??= chunk.buffer;
        // in memory of its own, and more behind it
        if (chunk.buffer === first) return;
        call.pause();
        resolve(chunk);
      },
      ended: () => reject(new Error('nothing had to wait')),
      failed: () => undefined,
    },
  );
  const chunk = await promise;
  expect(chunk.buffer.byteLength).toBeGreaterThan(0);
  call.abort();
  await expect.poll(() => chunk.buffer.byteLength).toBe(0);
});

describe('a parser that is given a body of 11 bytes in two chunks', () => {
  const chunks = '5\r\nhello\r\n6\r\nworld!\r\n';

  /** What becomes of its connection when it hands on `dataBytes` and gives back all of `chunks` from `restFrom` on. */
  async function outcome(dataBytes: number, restFrom: number): Promise<string> {
    const origin = await RawOrigin.start(
      'http',
      (_path, connection) => void connection.write(`HTTP/1.1 200 OK\r\n\r\n${chunks}`),
    );
    cleanups.push(() => origin.close());
    const { hostname, port, protocol } = new URL(origin.url);
    const readBuffer = new ReadBuffer();
    const { promise, resolve } = Promise.withResolvers<string>();
    const parse = (socket: Socket) => {
      if (!socket.read()) return;
      const body = readBuffer.expectBody({ kind: 'chunked' });
      const given = socket.read();
      expect(String(given)).toBe(chunks);
      body?.parsed(Buffer.alloc(dataBytes));
      socket.unshift(given.subarray(restFrom));
      const next = socket.read();
      // where it was read, not a copy: what was given back is followed again from its place
      if (next) expect(next.buffer).toBe(given.buffer);
      if (!socket.destroyed) resolve(String(next));
      socket.destroy();
    };
    readBuffer.connector({ connectMs: 2_000, lookup: undefined })(
      { hostname, port, protocol },
      (...[, socket]) => {
        socket?.on('error', error => resolve(error.message));
        socket?.on('readable', () => parse(socket));
        socket?.write('GET / HTTP/1.1\r\n\r\n');
      },
    );
    return promise;
  }

  it.each([
    ['hands on all', 11, chunks.length, 'null'],
    ['hands on a chunk and gives back the other', 5, 10, '6\r\nworld!\r\n'],
    ['hands on a chunk and gives back the line behind it too', 5, 8, '\r\n6\r\nworld!\r\n'],
    ['hands on some of a chunk and gives back the rest', 2, 5, 'llo\r\n6\r\nworld!\r\n'],
  ])('goes on when it %s', async (_what, dataBytes, restFrom, next) => {
    expect(await outcome(dataBytes, restFrom)).toBe(next);
  });

  it('goes on in order when it gives back some of what it was given of a long body', async () => {
    const lines = Array.from({ length: 4_000 }, (_, index) => `a\r\n${`${index}`.padStart(10)}\r\n`);
    const sent = lines.join('');
    const dataBefore = (at: number) => 10 * Math.floor(at / 15) + Math.min(10, Math.max(0, (at % 15) - 3));
    const origin = await RawOrigin.start(
      'http',
      (_path, connection) => void connection.write(`HTTP/1.1 200 OK\r\n\r\n${sent}`),
    );
    cleanups.push(() => origin.close());
    const { hostname, port, protocol } = new URL(origin.url);
    const readBuffer = new ReadBuffer(() => 0);
    const { promise, resolve } = Promise.withResolvers<string>();
    let got = '';
    let body: ReturnType<ReadBuffer['expectBody']>;
    const parse = (socket: Socket) => {
      if (!body && socket.read()) body = readBuffer.expectBody({ kind: 'chunked' });
      for (let given = socket.read(); given; given = socket.read()) {
        const taken = given.subarray(0, 5_000);
        const before = dataBefore(got.length);
        got += taken;
        body?.parsed(Buffer.alloc(dataBefore(got.length) - before));
        socket.unshift(given.subarray(taken.length));
      }
      if (socket.destroyed || got.length === sent.length) resolve(got);
    };
    readBuffer.connector({ connectMs: 2_000, lookup: undefined })(
      { hostname, port, protocol },
      (...[, socket]) => {
        socket?.on('error', error => resolve(error.message));
        socket?.on('readable', () => parse(socket));
        socket?.write('GET / HTTP/1.1\r\n\r\n');
      },
    );
    expect(await promise).toBe(sent);
  });

  it.each([
    ['keeps some back', 10, chunks.length],
    ['hands on more', 12, chunks.length],
    ['gives back what it has handed on', 5, 3],
    ['hands on nothing', 0, chunks.length],
  ])('loses its connection when it %s', async (_what, dataBytes, restFrom) => {
    expect(await outcome(dataBytes, restFrom)).toMatch(/^undici did not pass on exactly/);
  });
});

test('an answer that ends with its connection is whole, paused or not', async () => {
  const pool = await poolFor(
    createServer((_request, reply) => {
      reply.useChunkedEncodingByDefault = false;
      reply.writeHead(200, { connection: 'close' });
      for (const piece of pieces(content)) reply.write(piece);
      reply.end();
    }),
    'http',
  );
  for (const pauseEvery of [1, Number.POSITIVE_INFINITY]) {
    expect((await get(pool, pauseEvery)).body.equals(wanted)).toBe(true);
  }
});

test('a connection that breaks in the middle of a body fails the call', async () => {
  const pool = await poolFor(
    createServer((_request, reply) => {
      reply.writeHead(200, { 'content-length': content.sizeBytes });
      reply.write(content.slice(0, 65_536), () => reply.destroy());
    }),
    'http',
  );
  await expect(get(pool, 1)).rejects.toMatchObject({ code: 'BROKEN' });
});

test('encrypted connections read into one memory too', async () => {
  const before = getCACertificates();
  setDefaultCACertificates([...before, fixture('localhost-cert.pem')]);
  cleanups.push(async () => setDefaultCACertificates(before));
  const tls = { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') };
  const pool = await poolFor(createTlsServer(tls, serveContent), 'https');
  const got = await Promise.all([get(pool, Number.POSITIVE_INFINITY), get(pool, Number.POSITIVE_INFINITY)]);
  for (const { body } of got) expect(body.equals(wanted)).toBe(true);
  expect(new Set(got.flatMap(({ memory }) => [...memory])).size).toBe(1);
  for (const { body } of await Promise.all([get(pool, 1), get(pool, 2)]))
    expect(body.equals(wanted)).toBe(true);
});

it('a certificate nobody vouches for is refused, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  const tls = { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') };
  const pool = await poolFor(createTlsServer(tls, serveContent), 'https');
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  cleanups.push(async () => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
  await expect(ask(pool, '/')).rejects.toMatchObject({ code: 'UNREACHABLE' });
});
