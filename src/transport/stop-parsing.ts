import type { Socket } from 'node:net';

/** What a parser of node:http takes for "the rest is of another protocol": it reads nothing behind the request. */
const REST_IS_UPGRADED = 2;

/**
 * Has node:http make no more requests of what it has read from `socket`, which has been destroyed. It parses a whole read,
 * thousands of small requests, destroyed or not, and has no public way to stop that. This leans on a property of its
 * parser (`onIncoming`, in _http_server.js); where that is missing the rest is parsed as ever.
 */
export function stopParsing(socket: Socket): void {
  const parser = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null || !('onIncoming' in parser)) return;
  parser.onIncoming = () => REST_IS_UPGRADED;
}
