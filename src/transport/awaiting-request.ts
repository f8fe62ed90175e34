import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { runningResponse } from './running-response.ts';

/**
 * The connections on which no request has begun and no answer is running or still to be taken.
 *
 * `closeIdleConnections` of node:http tells them by its private list of connections (_http_server.js, kConnections), but
 * can only close all of them. Without that list, none is found.
 */
export function connectionsAwaitingRequest(server: Server): Socket[] {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  );
  const list: unknown = name && Reflect.get(server, name);
  if (!hasIdle(list)) return [];
  return list.idle().flatMap(({ socket }) => (socket instanceof Socket && isUnused(socket) ? [socket] : []));
}

/** node:http counts a connection as idle as soon as its request has arrived whole. */
function isUnused(socket: Socket): boolean {
  return runningResponse(socket) === undefined && socket.writableLength === 0;
}

function hasIdle(list: unknown): list is { idle(): { readonly socket?: unknown }[] } {
  return typeof list === 'object' && list !== null && 'idle' in list && typeof list.idle === 'function';
}
