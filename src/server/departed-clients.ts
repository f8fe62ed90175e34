import type { ServerResponse } from 'node:http';
import { isBodyHeldUp, unfinishedRequest } from '../transport/request-bodies.ts';
import { runningResponse } from '../transport/running-response.ts';
import type { OpenConnection } from './open-connections.ts';
import { Sweep } from './sweep.ts';

/** After this many checks, a client whose connection is not read is sent an interim response. */
const LOOKS_BEFORE_INTERIM = 2;

/** After this many checks, the connection of a destroyed session is closed even if its last bytes were not sent. */
const CHECKS_BEFORE_DESTROY = 2;

type Session = NonNullable<OpenConnection['session']>;

/**
 * Finds clients that have disconnected while waiting for an answer, and closes their connections, which frees what was
 * held for them. In two cases the kernel does not report the disconnect:
 *
 * - The connection is not being read, because requests are queued or a body is not consumed. The kernel reports a reset
 *   only with the next read or write, so an empty write is made.
 * - The client has sent a FIN. It may have closed only its sending side (half-close) or be gone; only sending something
 *   to it tells, since a client that is gone replies with a reset. So after two seconds it is sent `102 Processing`, an
 *   interim response that clients must accept before any answer (RFC 9110 §15.2; not HTTP/1.0 clients), and a later
 *   empty write sees the reset. Once an answer has begun, its own bytes do this.
 *
 * Other cases are noticed only when the answer is sent: HTTP/1.0 clients that sent a FIN, and clients whose network
 * failed without a reset. Each holds at most one request to a store, and those have time limits of their own.
 *
 * Over TLS, the empty write is made on the accepted connection: node:tls loses the error of a write that fails after
 * its own end, or before it has taken the data (`OnStreamAfterWrite` and `InvokeQueued` in Node's crypto_tls.cc). Then
 * it waits for that write without end, and so does node:http2, which closes a session only when all has been written.
 */
export function watchForDepartures(connections: Iterable<OpenConnection>, stepMs: number): Sweep {
  return new Sweep(stepMs, () => {
    for (const connection of connections) connection.departureChecks = check(connection);
  });
}

/**
 * @returns the new number of checks; 0 when nothing is pending, or when the kernel would report a disconnect anyway.
 */
function check(connection: OpenConnection): number {
  const { accepted, socket, session, streams, departureChecks: checks } = connection;
  const running = runningResponse(socket);
  const body = unfinishedRequest(socket);
  const isHeldUp = body !== undefined && isBodyHeldUp(body);
  const isUnread = socket.readableEnded || socket.isPaused() || isHeldUp;
  const isSecure = socket !== accepted;
  if (isSecure && (isUnread || running || streams > 0 || socket.writableEnded || session?.destroyed))
    probe(connection);
  if (session) return checkSession(connection, session);
  if (!running || !isUnread || !socket.writable) return 0;
  // the pending bytes will trigger the reset
  if (socket.writableLength > 0) return checks;
  // Clients that send, or whose body waits for a store that lags behind, may take an interim response for the answer, as
  // Python's http.client takes each but 100.
  const isBodyRead = body === undefined && running.req.readableLength === 0;
  const mayInterim = checks === LOOKS_BEFORE_INTERIM && isBodyRead;
  if (mayInterim && takesInterim(running)) running.writeProcessing();
  else socket.write('');
  return checks + 1;
}

/** A failed write closes the accepted connection, and with it the TLS or HTTP/2 session on top. */
function probe(connection: OpenConnection): void {
  const { accepted } = connection;
  if (connection.isProbed || !accepted.writable) return;
  connection.isProbed = true;
  accepted.write('', () => {
    connection.isProbed = false;
  });
}

/**
 * A session that was destroyed has only its GOAWAY left to send; a client that does not read would keep the connection
 * open. A session that was closed in good order may still be sending its last answers.
 */
function checkSession({ socket, departureChecks: checks }: OpenConnection, session: Session): number {
  if (!session.destroyed || session.closed) return 0;
  if (checks >= CHECKS_BEFORE_DESTROY) socket.destroy();
  return checks + 1;
}

function takesInterim({ req: { httpVersionMajor, httpVersionMinor }, headersSent }: ServerResponse): boolean {
  return httpVersionMajor === 1 && httpVersionMinor >= 1 && !headersSent;
}
