import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OriginPool } from '../../../src/backend/origin-pools.ts';
import { readAfterWriteFailure } from '../../../src/transport/read-after-write-failure.ts';

const nothing = () => undefined;
let server: Server;
let pool: OriginPool;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  pool = new OriginPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    connections: 1,
    timeouts: { connectMs: 2_000, firstByteMs: 5_000, idleMs: 5_000 },
  });
});
afterEach(async () => {
  await pool.close();
  await new Promise(resolve => server.close(resolve));
});

const body = '<Error><Code>PreconditionFailed</Code></Error>';
const answer = `HTTP/1.1 412 x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** What becomes of a PUT whose connection is reset in the turn in which `said` was sent and the next piece is written. */
function putAgainst(said: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stream = new Readable({ read: () => undefined });
  stream.on('error', () => undefined);
  stream.push(Buffer.alloc(10));
  server.once('connection', peer => {
    peer.once('data', () => {
      peer.write(said);
      peer.resetAndDestroy();
      stream.push(Buffer.alloc(10));
    });
  });
  let got = '';
  pool.send(
    { method: 'PUT', path: '/b/k', headers: ['host', 'x', 'content-length', '1000'], body: stream },
    {
      answered: status => {
        got += `${status} `;
      },
      arrived: chunk => {
        got += chunk.toString('latin1');
      },
      ended: () => resolve(got),
      failed: ({ code }) => resolve(`${got}${code}`),
    },
  );
  return promise;
}

it('an answer that came before the connection was reset is read, though the rest of the body cannot be written', async () => {
  for (let round = 0; round < 5; round++) expect(await putAgainst(answer)).toBe(`412 ${body}`);
});

it.each(['', 'HTTP/1.1 412 x\r\n'])(
  'a connection that was reset without an answer has failed: "%s"',
  async said => {
    expect(await putAgainst(said)).toBe('BROKEN');
  },
);

it('what is no failed write destroys the socket at once', () => {
  for (const error of [
    undefined,
    new Error('given up'),
    Object.assign(new Error(), { code: 'ECONNRESET', syscall: 'read' }),
  ]) {
    const socket = new Socket();
    socket.on('error', () => undefined);
    readAfterWriteFailure(socket, nothing);
    socket.destroy(error);
    expect(socket.destroyed).toBe(true);
  }
});

it('nor does it wait for a failed write', async () => {
  const socket = new Socket();
  socket.on('error', () => undefined);
  readAfterWriteFailure(socket, nothing);
  const failed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
  socket.destroy(failed);
  socket.destroy(failed);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
  expect(socket.destroyed).toBe(true);
  await once(socket, 'close');
});
