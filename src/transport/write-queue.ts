import type { Socket } from 'node:net';

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
export function queuedBytes(socket: Socket): number | undefined {
  return keepsQueue(socket) ? socket._handle.writeQueueSize : undefined;
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
