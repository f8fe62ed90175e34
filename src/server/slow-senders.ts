import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isHeldBack } from '../transport/held-back.ts';
import { isBodyHeldUp, unfinishedRequest } from '../transport/request-bodies.ts';
import { runningResponse } from '../transport/running-response.ts';
import type { ClientLimits } from './client-limits.ts';
import type { OpenConnection, Sending } from './open-connections.ts';
import { Sweep } from './sweep.ts';

const CHECKS_PER_LIMIT = 4;

/** Closes the connections of slow senders until `stop` is called. */
interface SenderWatch {
  /** Changes the limits. */
  limit(limits: ClientLimits): void;
  stop(): void;
}

/**
 * Calls `end` for connections whose client sends too slowly: bodies below the minimum rate, and blank lines or other
 * bytes that do not become a request on a connection that has already been answered. Silent clients are covered by the
 * idle limit, and the first head of a connection by `headersTimeout` of node:http (which does not count blank lines as
 * the start of a head). One sweep serves all connections, since a timer per request would cost more than a tenth of a
 * cache hit's CPU time.
 */
export function watchSenders(
  connections: Iterable<OpenConnection>,
  limits: ClientLimits,
  end: (socket: Socket) => void,
): SenderWatch {
  let current = limits;
  const sweep = new Sweep(stepMsOf(limits), stepMs => {
    for (const { socket, protocol, sending } of connections) {
      // handshakes have a limit of their own, and so have streams of HTTP/2
      if (protocol === 'http/1.1' && isTooSlow(socket, sending, stepMs, current)) end(socket);
    }
  });
  return {
    limit: next => {
      current = next;
      sweep.every(stepMsOf(next));
    },
    stop: () => sweep.stop(),
  };
}

function stepMsOf({ timeouts }: ClientLimits): number {
  return Math.min(timeouts.headersMs, timeouts.bodyMs) / CHECKS_PER_LIMIT;
}

/** The bytes of a body that must arrive within one window. */
export function leastBodyBytes({ minRateBytes, timeouts }: ClientLimits): number {
  return (minRateBytes * timeouts.bodyMs) / 1_000;
}

/** @param stepMs since the last check */
function isTooSlow(socket: Socket, watched: Sending, stepMs: number, limits: ClientLimits): boolean {
  const body = unfinishedRequest(socket);
  const { bytesRead, bytesWritten } = socket;
  const isFresh = body !== watched.body || bytesWritten !== watched.writtenBytes;
  if (isFresh || isClientWaiting(socket, body)) {
    restartMeasurement(watched, socket, body);
    return false;
  }
  // between requests a client may be silent, but must finish what it has begun
  if (!body && bytesRead === watched.readBytes) return false;
  watched.measuredMs += stepMs;
  if (watched.measuredMs < (body ? limits.timeouts.bodyMs : limits.timeouts.headersMs)) return false;
  if (!body || bytesRead - watched.readBytes < leastBodyBytes(limits)) return true;
  restartMeasurement(watched, socket, body);
  return false;
}

function restartMeasurement(watched: Sending, socket: Socket, body: IncomingMessage | undefined): void {
  watched.body = body;
  watched.readBytes = socket.bytesRead;
  watched.writtenBytes = socket.bytesWritten;
  watched.measuredMs = 0;
}

/**
 * Whether the client is waiting for us: for the answer to an earlier request, for `100 Continue`, or because the body or
 * the connection is not being read, as when a rate limit holds it back.
 */
function isClientWaiting(socket: Socket, body: IncomingMessage | undefined): boolean {
  const running = runningResponse(socket);
  if (running !== undefined && running.req !== body) return true;
  return socket.isPaused() || isHeldBack(socket) || (body !== undefined && isBodyHeldUp(body));
}
