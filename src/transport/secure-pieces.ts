import type { Socket } from 'node:net';

/**
 * TLS copies what is written to it, and keeps the copy until the system has accepted it. So bodies are written in pieces,
 * the next when the last was accepted: a client that does not read holds one piece beside the memory of the cache.
 */
const PIECE_BYTES = 128 * 1024;

/** The bytes of started bodies that were not written yet. */
const unwritten = new WeakMap<Socket, number>();

/** Whether `bytes` are to be written in pieces. */
export function needsPieces(socket: Socket, bytes: Uint8Array): boolean {
  return bytes.length > PIECE_BYTES && 'encrypted' in socket;
}

/**
 * Writes `bytes` piece by piece.
 *
 * @param write writes one piece, and calls back without an error when it was accepted
 * @param taken called when all were accepted; never if the client disconnects before
 */
export function writePieces(
  socket: Socket,
  bytes: Buffer,
  write: (piece: Buffer, done: (error?: Error | null) => void) => void,
  taken: () => void,
): void {
  let at = 0;
  const next = (error?: Error | null) => {
    if (error) return;
    const from = at;
    at = Math.min(bytes.length, from + PIECE_BYTES);
    unwritten.set(socket, bytes.length - at);
    if (from < bytes.length) write(bytes.subarray(from, at), next);
    else taken();
  };
  next();
}

/** How much of the body that is being written in pieces has not been written yet. */
export function unwrittenBytes(socket: Socket): number {
  return unwritten.get(socket) ?? 0;
}
