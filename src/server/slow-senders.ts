import { IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { runningResponse } from '../transport/running-response.ts';

/** How slowly a client may send. */
export interface SenderLimits {
  /** For a request line and headers, and the time over which the rate of a body is taken. */
  readonly limitMs: number;
  readonly bodyBytesPerSecond: number;
}

/**
 * What Apache's mod_reqtimeout takes for a client that only keeps a connection busy; a client on the slowest mobile network
 * is ten times as fast. Stores give up silent uploads after about as long.
 */
export const usualSenderLimits: SenderLimits = { limitMs: 20_000, bodyBytesPerSecond: 500 };

/** What is known of a connection since something was last expected of its client. */
interface Watched {
  /** The request whose body is to come; undefined between requests. */
  body: IncomingMessage | undefined;
  readBytes: number;
  writtenBytes: number;
  /** How often it has been looked at since the client began to send. */
  looks: number;
}

const LOOKS_PER_LIMIT = 4;

/**
 * Has `end` called for connections whose client drips: blank lines or whatever else makes no request on a connection that has
 * been answered before, and bodies slower than the limit. Clients that send nothing are idle and have their own limit, and so
 * has the first head of a connection (`headersTimeout` of node:http, for which blank lines begin no head). One sweep for
 * all connections, as a timer per request would cost a hit more than a tenth of its CPU.
 */
export function watchSenders(
  server: Server<typeof IncomingMessage>,
  limits: SenderLimits,
  end: (socket: Socket) => void,
): { stop(): void } {
  const connections = new Map<Socket, Watched>();
  server.on('connection', socket => {
    connections.set(socket, { body: undefined, readBytes: 0, writtenBytes: 0, looks: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, watched] of connections) if (isTooSlow(socket, watched, limits)) end(socket);
  }, limits.limitMs / LOOKS_PER_LIMIT);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function isTooSlow(socket: Socket, watched: Watched, limits: SenderLimits): boolean {
  const body = unfinishedRequest(socket);
  const { bytesRead, bytesWritten } = socket;
  const isFresh = body !== watched.body || bytesWritten !== watched.writtenBytes;
  if (isFresh || isUpToUs(socket, body)) {
    expectAnew(watched, socket, body);
    return false;
  }
  // between requests a client may be silent; it has to finish what it has begun
  if (!body && bytesRead === watched.readBytes) return false;
  watched.looks++;
  if (watched.looks < LOOKS_PER_LIMIT) return false;
  if (!body) return true;
  const expectedBytes = (limits.bodyBytesPerSecond * limits.limitMs) / 1_000;
  if (bytesRead - watched.readBytes < expectedBytes) return true;
  expectAnew(watched, socket, body);
  return false;
}

function expectAnew(watched: Watched, socket: Socket, body: IncomingMessage | undefined): void {
  watched.body = body;
  watched.readBytes = socket.bytesRead;
  watched.writtenBytes = socket.bytesWritten;
  watched.looks = 0;
}

/**
 * Whether the client has nothing to send before it gets something: an answer to its request, or to an earlier one (it
 * may wait for `100 Continue`), or we do not read.
 */
function isUpToUs(socket: Socket, body: IncomingMessage | undefined): boolean {
  const running = runningResponse(socket);
  return (running !== undefined && running.req !== body) || socket.isPaused();
}

/** The request that node:http reads at the moment, as long as its body is not whole. */
function unfinishedRequest(socket: Socket): IncomingMessage | undefined {
  const parser = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null || !('incoming' in parser)) return undefined;
  const { incoming } = parser;
  return incoming instanceof IncomingMessage && !incoming.complete ? incoming : undefined;
}
