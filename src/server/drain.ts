import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { connectionsAwaitingRequest } from '../transport/awaiting-request.ts';
import type { ListeningSocket } from './listening-socket.ts';

interface DrainParts {
  /** Parses the requests of all connections. */
  readonly server: Server;
  readonly sockets: readonly ListeningSocket[];
  /** Closes all connections. */
  readonly cutOff: () => void;
  readonly clock: Clock;
}

/**
 * How long connections are still accepted, and how long one may stay without a request: several round trips of a slow
 * network, so that a request that was sent before its client could know of the drain is answered.
 */
export const GRACE_MS = 250;
const STEP_MS = 25;

/** Closes the listening sockets and waits until all connections have ended; cuts them off after `limitMs`. */
export async function drain({ server, sockets, cutOff, clock }: DrainParts, limitMs: number): Promise<void> {
  const limit = clock.after(limitMs, () => {
    for (const socket of sockets) socket.closeNow();
    cutOff();
  });
  const graceMs = Math.min(GRACE_MS, limitMs / 2);
  const idle = closeAwaiting(server, graceMs, clock);
  for (const socket of sockets) socket.close({ clock, graceMs });
  await Promise.all(sockets.map(socket => socket.drained()));
  idle.stop();
  limit.cancel();
  // stops the enforcement of the limit for heads
  server.close();
}

/** Closes connections that have waited for a request for `graceMs`. */
function closeAwaiting(server: Server, graceMs: number, clock: Clock): { stop(): void } {
  let since = new Map<Socket, number>();
  let isStopped = false;
  const step = () => {
    if (isStopped) return;
    const nowMs = clock.monotonicMs();
    since = new Map(
      connectionsAwaitingRequest(server).map(socket => [socket, since.get(socket) ?? nowMs] as const),
    );
    for (const [socket, sinceMs] of since) if (nowMs - sinceMs >= graceMs) socket.destroy();
    timer = clock.after(STEP_MS, soon);
  };
  // after a standstill timers come first: what has arrived meanwhile is read before connections are judged
  const soon = () => void setImmediate(step);
  let timer = clock.after(0, step);
  return {
    stop: () => {
      isStopped = true;
      timer.cancel();
    },
  };
}
