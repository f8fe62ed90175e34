import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { discardRest } from '../../../src/transport/discard-input.ts';

/** A connection whose server throws away what comes, and the server's end of it. */
async function closing(
  discard: (served: Socket) => void,
): Promise<{ client: Socket; served: Socket; stop: () => void }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const client = connect({
    port: typeof address === 'object' && address ? address.port : 0,
    allowHalfOpen: true,
  });
  const [served] = (await once(server, 'connection')) as [Socket];
  client.on('error', () => undefined);
  discard(served);
  return { client, served, stop: () => server.close() };
}

it('who ends its half of a connection whose rest is thrown away is not waited for, though nothing was answered yet', async () => {
  const { client, served, stop } = await closing(socket => discardRest(socket));
  client.end();
  await once(served, 'close');
  stop();
  expect(served.destroyed).toBe(true);
});
