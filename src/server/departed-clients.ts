import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { runningResponse } from '../transport/running-response.ts';

/** A client of which nothing is read is sent an interim answer when it has waited for so many looks. */
const LOOKS_BEFORE_INTERIM = 2;

/**
 * Finds clients that have left while they wait for an answer, and closes their connections, which frees all that waits for
 * them. Of two kinds the system does not tell it:
 *
 * - A connection that is not read (requests wait on it, or a body that nobody takes) is told of no reset: the system tells
 *   that with the next read or write. A write of no bytes is enough.
 * - A client that has closed its side may wait for its answers (half-closed) or be gone: TCP sends one FIN for both, and only
 *   when something is sent to one that is gone, a reset comes back. So after two seconds it is sent `102 Processing`, an
 *   interim answer, which clients have to take before any answer (RFC 9110 §15.2; not those of HTTP/1.0), and a write of no
 *   bytes, later on, meets the reset. Where an answer has begun, its own bytes do that.
 *
 * What is left is noticed with the answer: clients of HTTP/1.0 that have closed, and those that vanish without a word to
 * the network. Each holds one request to a store, which has limits of time of its own.
 */
export function watchForDepartures(server: Server<typeof IncomingMessage>, stepMs: number): { stop(): void } {
  const connections = new Map<Socket, number>();
  server.on('connection', socket => {
    connections.set(socket, 0);
    socket.once('close', () => connections.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, looks] of connections) connections.set(socket, look(socket, looks));
  }, stepMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** @returns how often it has been looked at; 0 for one that would be noticed to leave, or that waits for nothing. */
function look(socket: Socket, looks: number): number {
  const running = runningResponse(socket);
  const isUnread = socket.readableEnded || socket.isPaused();
  if (!running || !isUnread || !socket.writable) return 0;
  // what is on its way meets the reset itself
  if (socket.writableLength > 0) return looks;
  if (looks === LOOKS_BEFORE_INTERIM && takesInterim(running)) running.writeProcessing();
  else socket.write('');
  return looks + 1;
}

function takesInterim({ req: { httpVersionMajor, httpVersionMinor }, headersSent }: ServerResponse): boolean {
  return httpVersionMajor === 1 && httpVersionMinor >= 1 && !headersSent;
}
