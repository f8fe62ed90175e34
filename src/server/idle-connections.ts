import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes connections on which no data has moved for a while, whether idle between requests or stalled during a
 * response. A periodic sweep replaces node:http's timer per request, which costs more than a tenth of a cache hit's CPU
 * time.
 */
export function closeIdleConnections(server: Server, idleLimitMs: number): { stop(): void } {
  const moved = new Map<Socket, { bytes: number; sweeps: number }>();
  server.on('connection', socket => {
    moved.set(socket, { bytes: 0, sweeps: 0 });
    socket.once('close', () => moved.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, last] of moved) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      last.sweeps = bytes === last.bytes ? last.sweeps + 1 : 0;
      last.bytes = bytes;
      if (last.sweeps >= SWEEPS_PER_LIMIT) socket.destroy();
    }
  }, idleLimitMs / SWEEPS_PER_LIMIT);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

const SWEEPS_PER_LIMIT = 5;
