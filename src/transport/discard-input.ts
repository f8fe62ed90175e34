import type { Socket } from 'node:net';

/** How long, and up to how many bytes, a client may go on sending after the last answer. */
const LINGER_MS = 500;
const LINGER_BYTES = 256 * 1024;

/**
 * Closes a connection of node:http on which nothing more will be parsed, after all that was written. Closing a socket
 * with unread data resets the connection, and the client may lose the answer (RFC 9112 §9.6). So the rest is read for a
 * moment and thrown away, as raw bytes: parsing would cost one call per HTTP chunk, however small.
 */
export function closeDiscarding(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  // those of node:http, which would parse
  for (const event of ['data', 'end']) socket.removeAllListeners(event);
  socket.once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  // node:http starts reading again in its own listener for 'resume', which it removes with the first one for data
  socket.pause();
  socket.once('resume', () => discard(socket));
  socket.resume();
}

/** With a listener for data, node:http's parser does not read from the socket directly any more. */
function discard(socket: Socket): void {
  let discardedBytes = 0;
  socket.on('data', bytes => {
    discardedBytes += bytes.length;
    if (discardedBytes > LINGER_BYTES) socket.destroy();
  });
}
