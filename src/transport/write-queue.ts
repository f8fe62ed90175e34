import type { Socket } from 'node:net';

/** Where a socket of node:net tells what its system call has not taken; node:net itself judges by it whether a write moves. */
interface QueueKeeper {
  readonly _handle: { readonly writeQueueSize: number };
}

/**
 * Bytes written to `socket` that the system has not taken yet; undefined where this version of Node keeps that elsewhere,
 * or the socket is closed. `writableLength` and `bytesWritten` of a socket do not change while a write goes on.
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
