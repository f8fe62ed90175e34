import type { Socket } from 'node:net';

/**
 * Returned by `onIncoming` of a node:http parser, it ends the parsing: the rest of the connection belongs to another
 * protocol.
 */
export const REST_IS_UPGRADED = 2;

/**
 * Stops node:http from parsing more requests out of data already read from `socket`, which was destroyed. Otherwise it
 * parses the whole read, perhaps thousands of small requests, and has no public API to stop that. Relies on a property
 * of its parser (`onIncoming`, in _http_server.js); where that is missing, parsing continues.
 */
export function stopParsing(socket: Socket): void {
  const parser = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null || !('onIncoming' in parser)) return;
  parser.onIncoming = () => REST_IS_UPGRADED;
}
