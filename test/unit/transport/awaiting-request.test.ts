import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { connectionsAwaitingRequest } from '../../../src/transport/awaiting-request.ts';

it('finds connections that are silent or answered, not those with a request that has begun or runs', async () => {
  const running: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/runs') running.push(response);
    else response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async (text: string) => {
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'connect');
    socket.write(text);
    return socket.localPort;
  };
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const silent = await open('');
  const answered = await open(get('/'));
  await open(get('/').slice(0, 8));
  await open(get('/runs'));
  await open(`${get('/')}GET`);
  await expect.poll(() => running.length).toBe(1);
  const found = () =>
    connectionsAwaitingRequest(server)
      .map(socket => socket.remotePort)
      .sort();
  await expect.poll(found).toEqual([silent, answered].sort());
  server.closeAllConnections();
  server.close();
});
