import type { ServerResponse } from 'node:http';

/**
 * Breaks off a response whose head was sent. Where only the end of the connection ends the body (HTTP/1.0), an orderly
 * end would make a part look like the whole (RFC 9112 §6.3 rule 8, §8): the connection is reset instead.
 */
export function cutOff(response: ServerResponse): void {
  const { socket, req } = response;
  if (socket && req.httpVersion === '1.0') socket.resetAndDestroy();
  else response.destroy();
}
