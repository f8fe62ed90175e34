import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Has the connection of a request that undici breaks off end with a reset. Else it ends as one that has sent all it wanted
 * to, and there are stores (versitygw) that take a body for whole that ends before its length: what was to be cut off
 * became an object. Over TLS too: Go takes a connection that ends between two records for one that was closed in order, also
 * without a closing alert.
 *
 * A process that dies cannot choose: see docs/access.md.
 *
 * Relies on what node:net closes a connection with, because `resetAndDestroy` ends the sending side first, and is not for
 * TLS.
 */
export function resetWhenCut(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = error => {
    if (error && !isOfIdleConnection(error)) closeByReset(socket);
    return destroy(error);
  };
}

/** undici gives a reason too where it closes a connection without a request. */
function isOfIdleConnection(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_INFO' && error.message !== 'aborted';
}

/**
 * Nothing where either side has ended its sending: there is nothing to cut off, and the system refuses to reset a connection
 * that is ending; node:net would never tell its close then.
 */
function closeByReset(socket: Socket): void {
  if (socket.readableEnded || socket.writableEnded) return;
  const handle = tcpHandle(socket);
  if (handle) handle.close = done => handle.reset(done);
}

/** What node:net has of a connection in the system. */
interface TcpHandle {
  close: (done: () => void) => void;
  reset(done: () => void): number;
}

/** Undefined when the connection has closed, or is not one of TCP. */
function tcpHandle(socket: Socket): TcpHandle | undefined {
  const own: unknown = Reflect.get(socket, '_handle');
  if (!(socket instanceof TLSSocket)) return isTcp(own) ? own : undefined;
  const under: unknown = typeof own === 'object' && own !== null ? Reflect.get(own, '_parent') : undefined;
  return isTcp(under) ? under : undefined;
}

function isTcp(handle: unknown): handle is TcpHandle {
  return typeof handle === 'object' && handle !== null && 'reset' in handle && 'close' in handle;
}
