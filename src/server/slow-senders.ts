import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isBodyHeldUp, unfinishedRequest } from '../transport/request-bodies.ts';
import { runningResponse } from '../transport/running-response.ts';
import type { OpenConnection, Sending } from './open-connections.ts';

/** The minimum rate at which clients must send. */
export interface SenderLimits {
  /** Time limit for a request line and headers, and the period over which the rate of a body is measured. */
  readonly limitMs: number;
  readonly bodyBytesPerSecond: number;
}

/**
 * The limits at which Apache's mod_reqtimeout regards a client as an attacker; the slowest mobile networks are ten
 * times as fast. Stores abort silent uploads after a similar time.
 */
export const usualSenderLimits: SenderLimits = { limitMs: 20_000, bodyBytesPerSecond: 500 };

const CHECKS_PER_LIMIT = 4;

/**
 * Calls `end` for connections whose client sends too slowly: bodies below the minimum rate, and blank lines or other
 * bytes that do not become a request on a connection that has already been answered. Silent clients are covered by the
 * idle limit, and the first head of a connection by `headersTimeout` of node:http (which does not count blank lines as
 * the start of a head). One sweep serves all connections, since a timer per request would cost more than a tenth of a
 * cache hit's CPU time.
 */
export function watchSenders(
  connections: Iterable<OpenConnection>,
  limits: SenderLimits,
  end: (socket: Socket) => void,
): { stop(): void } {
  const timer = setInterval(() => {
    for (const { socket, protocol, sending } of connections) {
      // handshakes have a limit of their own, and so have streams of HTTP/2
      if (protocol === 'http/1.1' && isTooSlow(socket, sending, limits)) end(socket);
    }
  }, limits.limitMs / CHECKS_PER_LIMIT);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function isTooSlow(socket: Socket, watched: Sending, limits: SenderLimits): boolean {
  const body = unfinishedRequest(socket);
  const { bytesRead, bytesWritten } = socket;
  const isFresh = body !== watched.body || bytesWritten !== watched.writtenBytes;
  if (isFresh || isClientWaiting(socket, body)) {
    restartMeasurement(watched, socket, body);
    return false;
  }
  // between requests a client may be silent, but must finish what it has begun
  if (!body && bytesRead === watched.readBytes) return false;
  watched.checks++;
  if (watched.checks < CHECKS_PER_LIMIT) return false;
  if (!body) return true;
  const expectedBytes = (limits.bodyBytesPerSecond * limits.limitMs) / 1_000;
  if (bytesRead - watched.readBytes < expectedBytes) return true;
  restartMeasurement(watched, socket, body);
  return false;
}

function restartMeasurement(watched: Sending, socket: Socket, body: IncomingMessage | undefined): void {
  watched.body = body;
  watched.readBytes = socket.bytesRead;
  watched.writtenBytes = socket.bytesWritten;
  watched.checks = 0;
}

/**
 * Whether the client is waiting for us: for the answer to an earlier request, for `100 Continue`, or because the body or
 * the connection is not being read.
 */
function isClientWaiting(socket: Socket, body: IncomingMessage | undefined): boolean {
  const running = runningResponse(socket);
  if (running !== undefined && running.req !== body) return true;
  return socket.isPaused() || (body !== undefined && isBodyHeldUp(body));
}
