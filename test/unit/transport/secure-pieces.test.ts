import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { connect, TLSSocket } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { acceptedSocketOf } from '../../../src/transport/accepted-socket.ts';
import { DirectAnswer, StandardAnswer } from '../../../src/transport/answer.ts';
import { queuedBytes } from '../../../src/transport/write-queue.ts';
import { TestAuthority } from '../../support/certificates.ts';
import { describingBytes } from '../../support/self-describing.ts';

const authority = new TestAuthority();
const { cert, key } = authority.issue(['localhost']);
afterAll(() => authority.remove());

const SIZE_BYTES = 8 * 1024 * 1024;
const body = describingBytes({ object: 1, version: 2 }, 0, SIZE_BYTES);

const kinds = ['direct', 'standard'] as const;

/** The answer of `kind` to a request over TLS whose client does not read yet. */
async function begin(kind: (typeof kinds)[number]) {
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('not listening');
  const asked = once(server, 'request');
  const client = connect({
    port: address.port,
    host: '127.0.0.1',
    ca: authority.caPem,
    servername: 'localhost',
  });
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  client.pause();
  const [, response] = (await asked) as [IncomingMessage, ServerResponse];
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${SIZE_BYTES}\r\nConnection: keep-alive\r\n\r\n`;
  const answer = kind === 'direct' ? DirectAnswer.begin(response, 200, head) : undefined;
  if (!answer) response.writeHead(200, { 'content-length': SIZE_BYTES });
  const { socket } = response;
  if (!(socket instanceof TLSSocket)) throw new Error('not TLS');
  const close = () => {
    client.destroy();
    server.close();
  };
  return { answer: answer ?? new StandardAnswer(response), socket, client, close };
}

it.each(kinds)(
  'a %s answer over TLS gives OpenSSL one piece at a time, and all bytes in order',
  async kind => {
    const { answer, socket, client, close } = await begin(kind);
    const taken = new Promise<void>(resolve => answer.write(body, resolve));
    // the client does not read: what the system has not accepted stays with the answer
    await expect.poll(() => (queuedBytes(socket) ?? 0) > 0).toBe(true);
    expect(socket.writableLength).toBeLessThanOrEqual(256 * 1024);
    const before = queuedBytes(socket) ?? 0;
    expect(before).toBeGreaterThan(256 * 1024);
    const chunks: Buffer[] = [];
    client.on('data', (chunk: Buffer) => void chunks.push(chunk)).resume();
    await taken;
    answer.end();
    await expect.poll(() => Buffer.concat(chunks).length).toBeGreaterThanOrEqual(SIZE_BYTES + 4);
    const received = Buffer.concat(chunks);
    expect(received.subarray(received.indexOf('\r\n\r\n') + 4).equals(body)).toBe(true);
    expect(queuedBytes(socket)).toBe(0);
    close();
  },
);

it('this version of Node tells which connection is under a TLS connection', async () => {
  const { socket, close } = await begin('direct');
  expect(acceptedSocketOf(socket)?.remotePort).toBe(socket.remotePort);
  close();
});
