import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { OriginPool } from '../../../src/backend/origin-pools.ts';
import { ask, RawOrigin } from '../../support/raw-origin.ts';

/** What other connections bring meanwhile: would be valid in any place of a head or a body. */
const otherBody = Buffer.alloc(300_000, 'private');
const otherAnswer = Buffer.concat([
  Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${otherBody.length}\r\n\r\n`),
  otherBody,
]);

const fields = ['ETag', '"a-tag"', 'x-amz-meta-long', 'm'.repeat(40), 'Connection', 'keep-alive'];
const body = 'every byte of this body tells where it is: 0123456789abcdefghijklmnopqrstuvwxyz';

/** An answer with `more` fields, and its headers as they are to arrive. */
function answerOf(more: readonly string[], rest: string): { wire: Buffer; headers: readonly string[] } {
  const headers = [...fields, ...more];
  const lines = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  return { wire: Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n${rest}`), headers };
}

const ofLength = answerOf(['Content-Length', String(body.length)], body);
const trailers = '0\r\nx-trailer: of-this-answer\r\nx-other: too\r\n\r\n';
const inPlainChunks = answerOf(
  ['Transfer-Encoding', 'chunked'],
  `9\r\n${body.slice(0, 9)}\r\n01A\r\n${body.slice(9, 35)}\r\n${(body.length - 35).toString(16)}\r\n` +
    `${body.slice(35)}\r\n${trailers}`,
);
const untilClosed = answerOf([], body);
const inChunks = answerOf(
  ['Transfer-Encoding', 'chunked'],
  `9;name=value\r\n${body.slice(0, 9)}\r\n${(body.length - 9).toString(16)}\r\n${body.slice(9)}\r\n` +
    trailers,
);
const informational = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\nx-hint: mine\r\n\r\n';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

/** A pool to a server that answers `/other` by itself; `connection` is where the next other request was made. */
async function wire(protocol: 'http' | 'https') {
  let asked = Promise.withResolvers<Socket>();
  const origin = await RawOrigin.start(protocol, (path, connection) => {
    if (path === '/other') connection.write(otherAnswer);
    else asked.resolve(connection);
  });
  const pool = origin.pool();
  cleanups.push(
    () => origin.close(),
    () => pool.close(),
  );
  const connection = async () => {
    const socket = await asked.promise;
    asked = Promise.withResolvers();
    return socket;
  };
  return { pool, connection };
}

/** Lets another connection fill the shared memory: the first round may come before what was written last, the second not. */
async function overwrite(pool: OriginPool): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const other = await ask(pool, '/other');
    if (!other.body.equals(otherBody)) throw new Error('the other answer is not whole');
  }
}

describe.each(['http', 'https'] as const)('over %s', protocol => {
  const step = protocol === 'http' ? 1 : 5;

  it.each([
    ['of known length', ofLength.wire, ofLength.headers],
    ['in chunks with trailers', inPlainChunks.wire, inPlainChunks.headers],
    ['in chunks with extensions and trailers', inChunks.wire, inChunks.headers],
    [
      'behind an informational head',
      Buffer.concat([Buffer.from(informational), ofLength.wire]),
      ofLength.headers,
    ],
  ])(
    'an answer %s that comes in two pieces holds nothing of other answers',
    async (_name, bytes, headers) => {
      const { pool, connection } = await wire(protocol);
      for (let at = 1; at < bytes.length; at += step) {
        const answer = ask(pool, '/');
        const socket = await connection();
        socket.write(bytes.subarray(0, at));
        await overwrite(pool);
        socket.write(bytes.subarray(at));
        expect(await answer, `in two at ${at}`).toEqual({ status: 200, headers, body: Buffer.from(body) });
      }
    },
  );

  it.each([
    ['of known length', ofLength.wire],
    ['in chunks', inPlainChunks.wire],
  ])('one %s that is paused at its first byte holds nothing of other answers', async (_name, bytes) => {
    const { pool, connection } = await wire(protocol);
    for (let at = 1; at < bytes.length; at += 3 * step) {
      const paused = Promise.withResolvers<() => void>();
      let isFirst = true;
      const answer = ask(pool, '/', (_chunk, call) => {
        if (isFirst) call.pause();
        isFirst = false;
        paused.resolve(() => call.resume());
      });
      const socket = await connection();
      socket.write(bytes.subarray(0, at));
      await overwrite(pool);
      socket.write(bytes.subarray(at));
      const resume = await paused.promise;
      await overwrite(pool);
      resume();
      expect((await answer).body.toString()).toBe(body);
    }
  });
});

it('one that ends with its connection holds nothing of other answers', async () => {
  const { pool, connection } = await wire('http');
  const { wire: bytes, headers } = untilClosed;
  for (let at = 1; at < bytes.length; at += 3) {
    const answer = ask(pool, '/');
    const socket = await connection();
    socket.write(bytes.subarray(0, at));
    await overwrite(pool);
    socket.end(bytes.subarray(at));
    expect(await answer, `in two at ${at}`).toEqual({ status: 200, headers, body: Buffer.from(body) });
  }
});

it('chunks that hold what looks like chunks are whole, wherever the head is cut', async () => {
  const { pool, connection } = await wire('http');
  const { wire: bytes, headers } = answerOf(
    ['Transfer-Encoding', 'chunked'],
    '8\r\n3\r\nabc\r\n\r\n0\r\n\r\n',
  );
  const data = bytes.indexOf('3\r\nabc');
  for (let at = 1; at < data; at++) {
    const answer = ask(pool, '/');
    const socket = await connection();
    for (const piece of [bytes.subarray(0, at), bytes.subarray(at, data), bytes.subarray(data)]) {
      socket.write(piece);
      await overwrite(pool);
    }
    expect(await answer, `cut at ${at}`).toEqual({ status: 200, headers, body: Buffer.from('3\r\nabc\r\n') });
  }
});

it('bytes behind an answer in chunks are no part of it, and end the connection', async () => {
  const { pool, connection } = await wire('http');
  for (const garbage of [
    'garbage',
    '5\r\nhello\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nsmuggle',
  ]) {
    const answer = ask(pool, '/');
    const socket = await connection();
    const closed = new Promise(resolve => socket.on('close', resolve));
    socket.write(inPlainChunks.wire.subarray(0, -10));
    await overwrite(pool);
    socket.write(Buffer.concat([inPlainChunks.wire.subarray(-10), Buffer.from(garbage)]));
    expect((await answer).body.toString()).toBe(body);
    await closed;
  }
});

it('a length that no body follows makes nothing of the next answer shared', async () => {
  const { pool, connection } = await wire('http');
  for (const at of [1, 20, 60, 100]) {
    const head = ask(pool, '/', undefined, 'HEAD');
    (await connection()).write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
    await head;
    const answer = ask(pool, '/');
    const socket = await connection();
    socket.write(ofLength.wire.subarray(0, at));
    await overwrite(pool);
    socket.write(ofLength.wire.subarray(at));
    expect(await answer).toEqual({ status: 200, headers: ofLength.headers, body: Buffer.from(body) });
  }
});

it('bytes behind an answer of known length are no part of it, and end the connection', async () => {
  const { pool, connection } = await wire('http');
  for (const garbage of ['garbage', 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nsmuggle']) {
    const answer = ask(pool, '/');
    const socket = await connection();
    const closed = new Promise(resolve => socket.on('close', resolve));
    socket.write(ofLength.wire.subarray(0, -10));
    await overwrite(pool);
    socket.write(Buffer.concat([ofLength.wire.subarray(-10), Buffer.from(garbage)]));
    expect((await answer).body.toString()).toBe(body);
    await closed;
  }
});

it('an answer goes on when it is let go while another one is being reported', async () => {
  const { pool, connection } = await wire('http');
  let goOn: () => void = () => undefined;
  const paused = Promise.withResolvers<void>();
  const answer = ask(pool, '/', (_chunk, call) => {
    call.pause();
    goOn = () => call.resume();
    paused.resolve();
  });
  (await connection()).write(ofLength.wire);
  await paused.promise;
  expect((await ask(pool, '/other', goOn)).body.equals(otherBody)).toBe(true);
  expect((await answer).body.toString()).toBe(body);
});

it('an empty line behind an answer does not cost the connection', async () => {
  const { pool, connection } = await wire('http');
  const used = new Set<Socket>();
  for (let round = 0; round < 6; round++) {
    const answer = ask(pool, '/');
    const socket = await connection();
    used.add(socket);
    socket.write(ofLength.wire.subarray(0, -10));
    await overwrite(pool);
    socket.write(Buffer.concat([ofLength.wire.subarray(-10), Buffer.from('\r\n')]));
    expect((await answer).body.toString()).toBe(body);
  }
  // undici may take either of the two that are idle
  expect(used.size).toBeLessThanOrEqual(2);
});

it.each([
  ['two lengths', 'Content-Length: 79\r\nContent-Length: 79\r\n'],
  ['a length and chunks', 'Content-Length: 79\r\nTransfer-Encoding: chunked\r\n'],
])('an answer with %s fails', async (_name, lines) => {
  const { pool, connection } = await wire('http');
  const answer = ask(pool, '/');
  const socket = await connection();
  socket.write(`HTTP/1.1 200 OK\r\n${lines}\r\n${body}`);
  await expect(answer).rejects.toMatchObject({ code: 'BROKEN' });
});
