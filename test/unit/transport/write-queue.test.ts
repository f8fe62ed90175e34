import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { queuedBytes } from '../../../src/transport/write-queue.ts';

const longBytes = 64 * 1024 * 1024;

it('this version of Node tells how much of a write the system has not taken yet', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer(accepted.resolve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('not listening');
  const reader = connect(address.port, '127.0.0.1').pause();
  const writer = await accepted.promise;
  expect(queuedBytes(writer)).toBe(0);
  const taken = new Promise(resolve => writer.write(Buffer.alloc(longBytes), resolve));
  const atFirst = queuedBytes(writer) ?? 0;
  expect(atFirst).toBeGreaterThan(0);
  reader.resume();
  await expect.poll(() => queuedBytes(writer), { interval: 1 }).toBeLessThan(atFirst);
  await taken;
  expect(queuedBytes(writer)).toBe(0);
  writer.destroy();
  expect(queuedBytes(writer)).toBeUndefined();
  reader.destroy();
  server.close();
});
