import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { OpenConnections } from '../../src/server/open-connections.ts';
import { defaultLimits } from './client-limits.ts';

/** The connections of a server on its own, as a listener has them. */
export function openConnectionsOf(server: Server): OpenConnections {
  const open = new OpenConnections(defaultLimits);
  server.on('connection', (socket: Socket) => void open.add(socket, 'http/1.1'));
  return open;
}
