import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createSocketServer, Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { endWith, isAboutRequest, mayAnswer, unreadableBecause } from '../../../src/transport/unreadable.ts';

const error = (code: string) => Object.assign(new Error('planted'), { code });

it.each([
  ['HPE_INVALID_METHOD', true, 'malformed'],
  ['HPE_HEADER_OVERFLOW', true, 'headers-too-large'],
  ['HPE_INVALID_URL', true, 'invalid-uri'],
  ['ERR_HTTP_REQUEST_TIMEOUT', true, 'too-slow'],
  ['ECONNRESET', false, 'malformed'],
])('%s is about the request: %s, which is %s', (code, isAbout, because) => {
  expect([isAboutRequest(error(code)), unreadableBecause(error(code))]).toEqual([isAbout, because]);
});

describe('an answer would be taken for one', () => {
  /** A connection as its server has it, and its client. */
  async function connected() {
    const server = createSocketServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const taken = once(server, 'connection');
    const client = connect(port, '127.0.0.1');
    const [socket] = await taken;
    server.close();
    if (!(socket instanceof Socket)) throw new Error('no socket');
    return { socket, client };
  }

  it.each([
    ['HPE_INVALID_METHOD', true, true],
    ['ERR_HTTP_REQUEST_TIMEOUT', true, false],
    ['ECONNRESET', false, false],
  ])('%s: before any other %s, behind one %s', async (code, first, behind) => {
    const { socket, client } = await connected();
    expect(mayAnswer(error(code), socket)).toBe(first);
    await new Promise(written => socket.write('HTTP/1.1 204 No Content\r\n\r\n', written));
    expect(mayAnswer(error(code), socket)).toBe(behind);
    socket.destroy();
    client.destroy();
  });

  it('but not on what is no connection, or is closed', async () => {
    expect(mayAnswer(error('HPE_INVALID_METHOD'), new PassThrough())).toBe(false);
    const { socket, client } = await connected();
    socket.destroy();
    client.destroy();
    expect(mayAnswer(error('HPE_INVALID_METHOD'), socket)).toBe(false);
  });

  it('but not beside a response that may be incomplete', async () => {
    const refused = Promise.withResolvers<boolean>();
    const server = createServer((_, response) => void response.write('half'));
    server.on('clientError', (failure, socket) => {
      refused.resolve(mayAnswer(failure, socket));
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\nwhat is this\r\n\r\n');
    expect(await refused.promise).toBe(false);
    client.destroy();
    server.close();
  });

  it('and is sent whole to a client that goes on sending', async () => {
    const { socket, client } = await connected();
    client.write('x'.repeat(1_000));
    endWith(socket, 'the answer');
    expect(await text(client)).toBe('the answer');
  });
});
