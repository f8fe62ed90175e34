import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ListenError } from '../base/listen-error.ts';
import type { Logger } from '../base/logger.ts';
import { ServedRequest } from '../transport/served-request.ts';
import { atTurnEnd } from '../transport/turn-end.ts';
import type { ClientLimits } from './client-limits.ts';
import { ConnectionCounter } from './connection-counter.ts';
import { ConnectionLimiter, type ConnectionLimiterOptions } from './connection-limiter.ts';
import { watchForDepartures } from './departed-clients.ts';
import { ExtraSockets } from './extra-sockets.ts';
import { closeIdleConnections } from './idle-connections.ts';
import { Pipelining } from './pipelining.ts';
import {
  type AnswerUnreadable,
  answerPlainly,
  isAboutRequest,
  type Refusing,
  refuseBadRequest,
  refuseConnection,
  refuseSlow,
  refuseTunnel,
} from './refuse-unreadable.ts';
import type { RequestHandler } from './request-handler.ts';
import { type SenderLimits, usualSenderLimits, watchSenders } from './slow-senders.ts';

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
  readonly limits: ClientLimits;
  /** How slowly clients may send; left out, those that suit clients everywhere. */
  readonly senders?: SenderLimits | undefined;
  /** What the limit of open files leaves; left out, nothing bounds it. */
  readonly room?: Pick<ConnectionLimiterOptions, 'connections' | 'clock'> | undefined;
}

/** A listening HTTP server. */
export interface HttpListener {
  readonly port: number;
  /** Whether it takes connections for another listener on the same port too, as far as that can be had. */
  cover(isCovering: boolean): void;
  /** Takes no further connections, lets running responses finish for at most `limitMs`, then cuts them off. */
  drain(limitMs: number): Promise<void>;
}

const IDLE_LIMIT_MS = 300_000;
const DEPARTURE_STEP_MS = 1_000;
const BACKLOG = 4_096;
/** While draining, kept-alive connections are closed within this time after their last response. */
const DRAIN_STEP_MS = 25;

/** @throws ListenError when the address cannot be bound */
export async function listenHttp(options: HttpListenerOptions): Promise<HttpListener> {
  const { logger, answerUnreadable = answerPlainly, limits, senders = usualSenderLimits } = options;
  const refusing = { logger, answerUnreadable };
  const connections = new ConnectionCounter(limits);
  const pipelining = new Pipelining((request, response) => {
    if (request.method === 'CONNECT') refuseTunnel(request.socket, refusing);
    else options.handle(request, response);
  }, limits);
  const handle: Handler = (request, response) => {
    // behind such a request node:http reads nothing more of the connection
    if (request.isUpgrade) response.shouldKeepAlive = false;
    pipelining.take(request, response);
  };
  const server: ListenerServer = createServer(
    {
      IncomingMessage: ServedRequest,
      maxHeaderSize: limits.headersBytes,
      headersTimeout: senders.limitMs,
      connectionsCheckingInterval: senders.limitMs / 4,
      // an upload may take as long as it moves: slow-senders.ts looks after that
      requestTimeout: 0,
      // a timer per request; idle-connections.ts does it with one per server
      keepAliveTimeout: 0,
      requireHostHeader: options.answerUnreadable === undefined,
      noDelay: true,
    },
    handle,
  );
  // a client may half-close: pending answers still go out, and the connection ends with the last of them
  server.httpAllowHalfOpen = true;
  server.on('checkContinue', (request, response) => {
    letContinue(response);
    handle(request, response);
  });
  refuseUnreadable(server, pipelining, refusing);
  server.on('connection', socket => {
    if (!connections.admit(socket)) refuseConnection(socket, refusing);
  });
  const idle = closeIdleConnections(server, IDLE_LIMIT_MS);
  const watch = watchSenders(server, senders, socket => refuseSlow(socket, refusing));
  const departures = watchForDepartures(server, DEPARTURE_STEP_MS);
  const answerCrowded = () => answerUnreadable('too-many-connections');
  // the last of the listeners of connections: it calls the others for those that there is room for
  const room = options.room && new ConnectionLimiter(server, { ...options.room, answerCrowded, logger });
  const port = await listen(server, options);
  const extra = new ExtraSockets(server, logger);
  return {
    port,
    cover: isCovering => {
      if (isCovering) extra.open(options.host, port);
      else extra.close();
    },
    drain: async limitMs => {
      room?.close();
      await drain(server, extra, limitMs);
      idle.stop();
      watch.stop();
      departures.stop();
    },
  };
}

/** What is no request that the handler could be given gets an answer too. */
function refuseUnreadable(server: ListenerServer, pipelining: Pipelining, refusing: Refusing): void {
  // answers to the requests before it go first
  const refuseLater = (socket: Duplex, refuse: () => void) => {
    const failed = (error: unknown) => {
      refusing.logger.error({ err: error }, 'an unreadable request could not be answered');
      socket.destroy();
    };
    atTurnEnd({ run: refuse, failed });
  };
  server.on('clientError', (error, socket) => {
    if (isAboutRequest(error) && pipelining.endWithPending(socket)) return;
    refuseLater(socket, () => refuseBadRequest(error, socket, refusing));
  });
}

interface ListenerServer extends Server<typeof ServedRequest> {
  /** node:http has it, its types do not. */
  httpAllowHalfOpen?: boolean;
}

type Handler = (request: ServedRequest, response: ServerResponse) => void;

function listen(server: ListenerServer, { host, port, reusePort }: HttpListenerOptions): Promise<number> {
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

async function drain(server: ListenerServer, extra: ExtraSockets, limitMs: number): Promise<void> {
  const step = setInterval(() => server.closeIdleConnections(), DRAIN_STEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), limitMs);
  const closed = new Promise(resolve => server.close(resolve));
  extra.close();
  server.closeIdleConnections();
  await Promise.all([closed, extra.drained()]);
  clearInterval(step);
  clearTimeout(limit);
}
