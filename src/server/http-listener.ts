import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ListenError } from '../base/listen-error.ts';
import type { Logger } from '../base/logger.ts';

import { closeIdleConnections } from './idle-connections.ts';

/** Answers one request; called in the turn of the event loop in which the request's headers arrived. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether other threads listen on the same port. */
  readonly reusePort: boolean;
  readonly handle: RequestHandler;
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
      // RFC 9112 §3.2: without Host, or with several, 400
      requireHostHeader: true,
      noDelay: true,
    },
    options.handle,
  );
  server.on('clientError', (error, socket) => refuseBadRequest(error, socket, options.logger));
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
 * What is no HTTP gets a plain answer, unless an answer has been sent on this connection: it may still be
 * running, and these bytes would become part of its body. The request's own bytes are not logged, since
 * they may hold secrets.
 */
function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  const fresh = socket instanceof Socket && socket.bytesWritten === 0 && socket.writable;
  if (!fresh || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  logger.info({ code: error.code, remoteAddress: socket.remoteAddress }, 'refused what is no HTTP request');
  socket.end(`HTTP/1.1 ${statusLineOf(error)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function statusLineOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
}
