import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { StreamBody } from '../../../src/transport/stream-body.ts';
import { describingBytes } from '../../support/self-describing.ts';

/** A stream of a server, and of its client that does not read yet. */
async function openStream() {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const session = connect(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
  onTestFinished(() => session.destroy());
  const asked = session.request({ ':path': '/' });
  const [stream]: ServerHttp2Stream[] = await once(server, 'stream');
  if (!stream) throw new Error('no stream');
  stream.respond({ ':status': 200 });
  return { stream, asked, session };
}

it('gives the session one piece at a time, however large a chunk is, and counts the rest as its own', async () => {
  const { stream, asked, session } = await openStream();
  const body = new StreamBody(stream);
  const content = describingBytes({ object: 1, version: 1 }, 0, 4 * 1024 * 1024);
  let most = 0;
  const write = stream.write.bind(stream);
  Object.assign(stream, {
    write: (piece: Buffer, done: () => void) => {
      const isTaken = write(piece, done);
      most = Math.max(most, stream.writableLength);
      return isTaken;
    },
  });
  body.end(content);
  await once(asked, 'response');
  // by then the client's window is full
  await new Promise<void>(resolve => session.ping(() => resolve()));
  expect(body.queuedBytes).toBeGreaterThan(3 * 1024 * 1024);
  expect((await buffer(asked)).equals(content)).toBe(true);
  expect(most).toBe(64 * 1024);
  expect(body.queuedBytes).toBe(0);
});

it('ends with its stream, and says so to whoever waits for it', async () => {
  const { stream, asked } = await openStream();
  const body = new StreamBody(stream);
  asked.on('error', () => undefined);
  stream.on('error', () => undefined);
  const told = new Promise<unknown>(resolve => body.write(Buffer.alloc(4 * 1024 * 1024), resolve));
  stream.destroy();
  expect(await told).toBeInstanceOf(Error);
});
