import { Socket } from 'node:net';

/**
 * Has the connection of a request that undici breaks off end with a reset. Else it ends as one that has sent all it wanted
 * to, and there are stores (versitygw) that take a body for whole that ends before its length: what was to be cut off
 * became an object.
 *
 * Over TLS no closing alert is sent, which tells the same. A process that dies cannot choose: see docs/access.md.
 *
 * Relies on the field of node:net by which `resetAndDestroy` has `destroy` reset the connection; that itself ends the
 * sending side first.
 */
export function resetWhenCut(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = error => {
    if (error && !isOfIdleConnection(error) && canReset(socket)) Reflect.set(socket, 'resetAndClosing', true);
    return destroy(error);
  };
}

/** undici gives a reason too where it closes a connection without a request. */
function isOfIdleConnection(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_INFO' && error.message !== 'aborted';
}

/**
 * Of a connection over TCP, not of one that is being made or has closed. Where either side has ended its sending, there is
 * nothing to cut off, and node:net never tells the close of a connection whose reset the system refuses: while it ends.
 */
function canReset(socket: Socket): boolean {
  if (socket.connecting || socket.readableEnded || socket.writableEnded) return false;
  const handle: unknown = Reflect.get(socket, '_handle');
  const isPlain = Object.getPrototypeOf(socket) === Socket.prototype;
  return isPlain && typeof handle === 'object' && handle !== null && 'reset' in handle;
}
