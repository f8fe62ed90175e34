import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** How long, and up to how many bytes, a client may go on sending after the last answer. */
interface Lingering {
  readonly limitMs: number;
  /** Without a byte. */
  readonly idleMs: number;
  readonly limitBytes: number;
}

/** For uploads, as nginx does it (`lingering_time`); a client on a slow network is heard of again within the idle time. */
const ofUploads: Lingering = { limitMs: 30_000, idleMs: 2_000, limitBytes: 8 * 1024 * 1024 };

/** Beyond this many uploads of a thread at a time, each has less. */
const UPLOADS = 64;
const brief: Lingering = { limitMs: 500, idleMs: 500, limitBytes: 256 * 1024 };

const uploads = new Set<Socket>();
const discarded = new WeakSet<Socket>();

/**
 * Closes a connection of node:http on which nothing more will be parsed, after all that was written. Closing a socket
 * with unread data resets the connection, and the client may lose the answer (RFC 9112 §9.6). So the rest is read for a
 * while and thrown away, as raw bytes: parsing would cost one call per HTTP chunk, however small.
 *
 * @param isUpload whether the client was expected to send a body: many read the answer only when they have sent it
 */
export function closeDiscarding(socket: Socket, isUpload = false): void {
  if (socket.destroyed) return;
  socket.end();
  const { limitMs, idleMs, limitBytes } = isUpload && uploads.size < UPLOADS ? ofUploads : brief;
  if (limitMs > brief.limitMs) uploads.add(socket);
  const timers = [limitMs, idleMs].map(waitMs => setTimeout(() => socket.destroy(), waitMs));
  socket.once('close', () => {
    uploads.delete(socket);
    for (const timer of timers) clearTimeout(timer);
  });
  discardRest(socket, limitBytes, () => timers[1]?.refresh());
}

/**
 * Reads what else comes on a connection of node:http as raw bytes, and throws it away. Whoever ends its half of the connection then,
 * or sends more than `limitBytes`, is not waited for.
 */
export function discardRest(
  socket: Socket,
  limitBytes = brief.limitBytes,
  arrived: () => void = () => undefined,
): void {
  discarded.add(socket);
  // those of node:http, which would parse
  for (const event of ['data', 'end']) socket.removeAllListeners(event);
  socket.once('end', () => socket.destroy());
  // node:http starts reading again in its own listener for 'resume', which it removes with the first one for data
  socket.pause();
  socket.once('resume', () => discard(socket, limitBytes, arrived));
  socket.resume();
}

/**
 * Makes `response` the last of its connection, for one that goes on until the client leaves: that is seen at once, whatever the client
 * has sent behind the request. Called before the head is written.
 */
export function answerLast(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  if (response.socket) discardRest(response.socket);
}

/** Whether what comes on a connection is thrown away. */
export function isDiscarded(socket: Socket): boolean {
  return discarded.has(socket);
}

/** Has node:http close the connection of `request` by `closeDiscarding` while its body is not complete. */
export function discardRestOnClose(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    if (request.complete) Socket.prototype.destroySoon.call(socket);
    else closeDiscarding(socket, true);
  };
}

/** With a listener for data, node:http's parser does not read from the socket directly any more. */
function discard(socket: Socket, limitBytes: number, arrived: () => void): void {
  let discardedBytes = 0;
  socket.on('data', bytes => {
    discardedBytes += bytes.length;
    arrived();
    if (discardedBytes > limitBytes) socket.destroy();
  });
}
