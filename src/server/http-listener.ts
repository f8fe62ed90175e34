import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ListenError } from '../base/listen-error.ts';
import type { Logger } from '../base/logger.ts';
import { atTurnEnd, hasTurnEndTasks } from '../http/turn-end.ts';
import { type UnreadableRequest, unreadableStatuses } from '../http/unreadable-request.ts';
import { closeIdleConnections } from './idle-connections.ts';

/** Gives the whole answer to what is no request, from status line to body. */
export type AnswerUnreadable = (why: UnreadableRequest) => string;

/** Answers one request; called in the turn of the event loop in which the request's headers arrived. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether other threads listen on the same port. */
  readonly reusePort: boolean;
  readonly handle: RequestHandler;
  /**
   * Answers what is no request; left out, it gets a status and nothing else. With it, the handler is also given requests
   * without the Host that RFC 9112 §3.2 wants, to refuse them in the same words.
   */
  readonly answerUnreadable?: AnswerUnreadable | undefined;
  readonly logger: Logger;
}

/** A listening HTTP server. */
export interface HttpListener {
  readonly port: number;
  /** Takes no further connections, lets running responses finish for at most `limitMs`, then cuts them off. */
  drain(limitMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 32 * 1024;
/** A client has this long for its request line and headers. */
const HEADERS_TIMEOUT_MS = 20_000;
const HEADERS_CHECK_INTERVAL_MS = 5_000;
const IDLE_LIMIT_MS = 300_000;
const BACKLOG = 4_096;
/** While draining, kept-alive connections are closed within this time after their last response. */
const DRAIN_STEP_MS = 25;

/** @throws ListenError when the address cannot be bound */
export async function listenHttp(options: HttpListenerOptions): Promise<HttpListener> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: HEADERS_CHECK_INTERVAL_MS,
      // an upload may take as long as it moves
      requestTimeout: 0,
      // a timer per request; idle-connections.ts does it with one per server
      keepAliveTimeout: 0,
      requireHostHeader: options.answerUnreadable === undefined,
      noDelay: true,
    },
    options.handle,
  );
  server.on('checkContinue', (request, response) => {
    letContinue(response);
    options.handle(request, response);
  });
  server.on('connection', socket => answerBeforeEnd(server, socket));
  // answers to the requests before it go first
  server.on('clientError', (error, socket) =>
    atTurnEnd({ run: () => refuseBadRequest(error, socket, options) }),
  );
  const idle = closeIdleConnections(server, IDLE_LIMIT_MS);
  const port = await listen(server, options);
  return {
    port,
    drain: async limitMs => {
      await drain(server, limitMs);
      idle.stop();
    },
  };
}

function listen(server: Server, { host, port, reusePort }: HttpListenerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(new ListenError(host, port, error)));
    server.listen({ host, port, reusePort, exclusive: true, backlog: BACKLOG }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** `100 Continue`, in its turn: behind another answer it would get between the head and the body of its own. */
function letContinue(response: ServerResponse): void {
  const goOn = () => {
    if (!response.headersSent) response.writeContinue();
  };
  if (response.socket) goOn();
  else response.once('socket', goOn);
}

/** A client may end its side right behind its requests, while their answers wait for the end of the turn. */
function answerBeforeEnd(server: Server & { httpAllowHalfOpen?: boolean }, socket: Socket): void {
  socket.prependListener('end', () => {
    server.httpAllowHalfOpen = hasTurnEndTasks();
  });
}

function drain(server: Server, limitMs: number): Promise<void> {
  return new Promise(resolve => {
    const step = setInterval(() => server.closeIdleConnections(), DRAIN_STEP_MS);
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearInterval(step);
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * What is no HTTP is answered as such, unless an answer has been sent on this connection: it may still be
 * running, and these bytes would become part of its body. The request's own bytes are not logged, since
 * they may hold secrets.
 */
function refuseBadRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { answerUnreadable = answerPlainly, logger }: HttpListenerOptions,
): void {
  const fresh = socket instanceof Socket && socket.bytesWritten === 0 && socket.writable;
  if (!fresh || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  logger.info({ code: error.code, remoteAddress: socket.remoteAddress }, 'refused what is no HTTP request');
  socket.end(answerUnreadable(reasonOf(error)));
}

function reasonOf({ code }: NodeJS.ErrnoException): UnreadableRequest {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code === 'HPE_INVALID_URL') return 'invalid-uri';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'malformed';
}

function answerPlainly(why: UnreadableRequest): string {
  return `HTTP/1.1 ${unreadableStatuses[why]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
}
