import { TLSSocket } from 'node:tls';
import { acceptedSocketOf } from './accepted-socket.ts';
import { unwrittenBytes } from './secure-pieces.ts';
import { StreamBody } from './stream-body.ts';

/**
 * The private field of a node:net socket with the bytes that the system has not accepted. node:net itself uses it to
 * detect whether a write makes progress.
 */
interface QueueKeeper {
  readonly _handle: { readonly writeQueueSize: number };
}

/**
 * Bytes written to `socket` that the system has not accepted yet; undefined when this version of Node keeps them
 * elsewhere, or the socket is closed. `writableLength` and `bytesWritten` do not change during a write.
 */
export function queuedBytes(socket: object): number | undefined {
  if (socket instanceof StreamBody) return socket.destroyed ? undefined : socket.queuedBytes;
  if (!keepsQueue(socket)) return undefined;
  const { writeQueueSize } = socket._handle;
  return socket instanceof TLSSocket ? writeQueueSize + queuedBelow(socket) : writeQueueSize;
}

/** TLS keeps what it has encrypted until the connection below it has written it. */
function queuedBelow(secure: TLSSocket): number {
  const accepted = acceptedSocketOf(secure);
  return unwrittenBytes(secure) + (accepted ? (queuedBytes(accepted) ?? 0) : 0);
}

function keepsQueue(socket: object): socket is QueueKeeper {
  if (!('_handle' in socket)) return false;
  const { _handle: handle } = socket;
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'writeQueueSize' in handle &&
    typeof handle.writeQueueSize === 'number'
  );
}
