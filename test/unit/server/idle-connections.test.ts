import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { closeIdleConnections } from '../../../src/server/idle-connections.ts';
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
