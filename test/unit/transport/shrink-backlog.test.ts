import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { shrinkBacklog } from '../../../src/transport/shrink-backlog.ts';

it.runIf(process.platform === 'linux')('lets one connection into the accept queue at a time', async () => {
  let accepted = 0;
  const server = createServer(() => accepted++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const connectTen = () => Array.from({ length: 10 }, () => connect(port, '127.0.0.1'));
  const before = connectTen();
  await expect.poll(() => accepted).toBe(10);
  shrinkBacklog(server);
  const behind = connectTen();
  for (let turn = 0; turn < 200; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(accepted).toBe(11);
  for (const socket of [...before, ...behind]) socket.destroy();
  server.close();
});
