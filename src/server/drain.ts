import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { connectionsAwaitingRequest } from '../transport/awaiting-request.ts';
import { onceAccepted } from './accept-queue.ts';
import type { ExtraSockets } from './extra-sockets.ts';

interface DrainParts {
  readonly server: Server;
  readonly extra: ExtraSockets;
  /** Closes all connections and the extra listening sockets. */
  readonly cutOff: () => void;
  readonly clock: Clock;
}

/**
 * How long connections are still accepted, and how long one may stay without a request: several round trips of a slow
 * network, so that a request that was sent before its client could know of the drain is answered.
 */
const GRACE_MS = 250;
const STEP_MS = 25;

/** Closes the listening sockets and waits until all connections have ended; cuts them off after `limitMs`. */
export async function drain({ server, extra, cutOff, clock }: DrainParts, limitMs: number): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.once('close', resolve);
  // server.close() of node:http would also close idle connections and stop enforcing the limit for heads
  const close = () => void NetServer.prototype.close.call(server);
  const limit = clock.after(limitMs, () => {
    close();
    cutOff();
  });
  const graceMs = Math.min(GRACE_MS, limitMs / 2);
  const idle = closeAwaiting(server, graceMs, clock);
  onceAccepted(server, { clock, graceMs }, close);
  extra.close({ clock, graceMs });
  await Promise.all([closed, extra.drained()]);
  idle.stop();
  limit.cancel();
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
