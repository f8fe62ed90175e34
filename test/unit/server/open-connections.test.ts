import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OpenConnections } from '../../../src/server/open-connections.ts';

it('a client that has its share of connections is refused more until one of them closes', async () => {
  const server = createServer();
  const refused: Socket[] = [];
  const open = new OpenConnections({ connections: 10, connectionsPerAddress: 1 });
  server.on('connection', (socket: Socket) => {
    if (open.add(socket, 'http/1.1')) return;
    refused.push(socket);
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  /** The server's side of a new connection. */
  const connected = async (): Promise<Socket> => {
    const accepted = once(server, 'connection');
    connect(port, '127.0.0.1').on('error', () => undefined);
    const [socket] = await accepted;
    return socket;
  };

  const first = await connected();
  const second = await connected();
  expect(refused).toEqual([second]);
  await once(second, 'close');
  expect([...open].map(({ socket }) => socket)).toEqual([first]);
  first.destroy();
  await once(first, 'close');
  const third = await connected();
  expect(refused).toEqual([second]);
  expect([...open].map(({ socket }) => socket)).toEqual([third]);

  third.destroy();
  server.close();
});
