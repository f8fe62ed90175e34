import type { Socket } from 'node:net';

/** Errors of a write to a connection that the peer has closed or reset. */
const closedByPeer: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET']);

/**
 * A store may refuse a request before it has read the body: it answers and closes the connection. Then writing the rest
 * of the body fails, and node:net destroys the socket, although the answer has arrived and can still be read. With this,
 * such a failure destroys the socket only after everything was read that had arrived before it.
 *
 * @param passOnRest called before that: passes on what was read and is not parsed yet
 */
export function readAfterWriteFailure(socket: Socket, passOnRest: () => void): void {
  const destroy = socket.destroy.bind(socket);
  let isFailed = false;
  socket.destroy = error => {
    if (!error || !isFailedWrite(error)) return destroy(error);
    if (!isFailed)
      afterOneRead(() => {
        passOnRest();
        destroy(error);
      });
    isFailed = true;
    return socket;
  };
}

function isFailedWrite(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'write' && 'code' in error && closedByPeer.has(error.code);
}

/** Sockets are read between two rounds of `setImmediate` (the poll phase of the event loop). */
function afterOneRead(task: () => void): void {
  setImmediate(() => setImmediate(task));
}
