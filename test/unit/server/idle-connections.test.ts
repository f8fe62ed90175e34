import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { closeIdleConnections } from '../../../src/server/idle-connections.ts';
import { holdBack } from '../../../src/transport/held-back.ts';
import { openConnectionsOf } from '../../support/open-connections-of.ts';

it.each([
  ['at the start', 250],
  ['later', 300_000],
])(
  'closes a connection over which nothing moves, and none that moves, with a limit given %s',
  async (_, first) => {
    const server = createServer((_request, response) => void response.end('x'));
    const idle = closeIdleConnections(openConnectionsOf(server), first);
    idle.limit(250);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;

    const busy = connect(port, '127.0.0.1');
    busy.on('data', () => setImmediate(() => busy.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')));
    busy.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const quiet = connect(port, '127.0.0.1');
    await once(quiet, 'close');
    expect(busy.destroyed).toBe(false);

    idle.stop();
    busy.destroy();
    server.close();
  },
);

it('closes no connection whose response is held back, until it is not any more', async () => {
  let goOn: () => void = () => undefined;
  const server = createServer((_request, response) => {
    goOn = holdBack(response);
  });
  const idle = closeIdleConnections(openConnectionsOf(server), 100);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const held = connect(port, '127.0.0.1');
  held.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(server, 'request');
  for (let others = 0; others < 3; others++) await once(connect(port, '127.0.0.1'), 'close');
  expect(held.destroyed).toBe(false);
  goOn();
  await once(held, 'close');
  idle.stop();
  server.close();
});
